import { MultiSelect, Select, TagsInput } from "@mantine/core";
import type { ReactNode } from "react";
import { kindOf } from "../resources/kinds.js";
import type { Reference } from "../resources/references.js";
import { words } from "../words.js";
import { type Choosing, isChoosing, useChoices } from "./choices.js";
import { Described } from "./described.js";
import { errorAt, useFields } from "./form.js";
import type { FieldProps } from "./input-fields.js";
import { valueAt } from "./values.js";

/** Ids of other resources, chosen by their names. */
export function ReferenceField({ field, path }: FieldProps) {
  const { name, list = false, required = false, description } = field;
  const form = useFields();
  const value = valueAt(form.values, path);
  const common = {
    label: words(name.replace(/yIds$/, "ies").replace(/Id(s?)$/, "$1")),
    description: <Described text={description} />,
    withAsterisk: required,
    error: errorAt(form, path),
    set: (next: unknown) => form.setFieldValue(path, next),
  };
  const ids = Array.isArray(value) ? value.map(String) : [];
  if (!isChoosing(name)) {
    const { set, ...props } = common;
    return <TagsInput {...props} value={ids} onChange={set} />;
  }
  if (list) return <ManyReferences {...common} from={name} ids={ids} />;
  return <OneReference {...common} from={name} id={typeof value === "string" ? value : null} />;
}

interface ReferenceProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly withAsterisk?: boolean;
  readonly error: string | null;
  readonly from: Choosing;
  readonly isOffered?: (resource: Reference) => boolean;
  set(value: unknown): void;
}

interface OneReferenceProps extends ReferenceProps {
  readonly id: string | null;
}

export function OneReference({ from, id, set, isOffered, ...props }: OneReferenceProps) {
  const { choices, search, setSearch } = useChoices(from, id === null ? [] : [id], isOffered);
  return (
    <Select
      {...props}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `Clear ${props.label}` }}
      nothingFoundMessage="Nothing found"
      data={choices}
      filter={({ options }) => options}
      value={id}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(next) => set(next ?? undefined)}
    />
  );
}

function ManyReferences({
  from,
  ids,
  set,
  isOffered,
  ...props
}: ReferenceProps & { ids: string[] }) {
  const { choices, search, setSearch } = useChoices(from, ids, isOffered);
  return (
    <MultiSelect
      {...props}
      searchable
      nothingFoundMessage="Nothing found"
      data={choices}
      filter={({ options }) => options}
      value={ids}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={set}
    />
  );
}

/** Whether a resource is a backend that may be the child of another one, by the input that refers to it. */
export function fitsInput(input: string): (resource: Reference) => boolean {
  if (input === "BackendReferenceInput") return () => true;
  const refused = input === "LeafBackendReferenceInput" ? ["failover", "weighted"] : ["failover"];
  return ({ __typename }) =>
    !refused.some((name) => kindOf(__typename).path === `backends/${name}`);
}
