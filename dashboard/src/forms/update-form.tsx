import { Alert, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";
import { useClient } from "urql";
import type { Problem } from "../api/problems.js";
import type { Resource, Row } from "../resources/resource.js";
import { Conflict } from "./conflict.js";
import { refill, useInputForm } from "./form.js";
import { update } from "./mutations.js";
import { type Outcome, ResourceForm } from "./resource-form.js";
import { changedFields, inputOf, isSame, merged, type Values } from "./values.js";

interface UpdateFormProps<Item extends Row> {
  readonly resource: Resource<Item>;
  /** The state that is shown, which is newer than that of the form when somebody else has changed it. */
  readonly item: Item;
}

/** What a form was filled with: what it saves is compared with that, and refused when it is no longer so. */
interface Base {
  readonly version: number;
  readonly values: Values;
}

/** The fields of a resource that can be changed. */
export function UpdateForm<Item extends Row>({ resource, item }: UpdateFormProps<Item>) {
  const type = `Update${resource.kind.typename}Input`;
  const client = useClient();
  const [base, setBase] = useState<Base>(() => baseOf(type, item));
  const [theirs, setTheirs] = useState<Item | null>(null);
  const form = useInputForm(base.values);
  const isChanged = !isSame(base.values, form.values);

  const begin = (from: Item) => {
    const next = baseOf(type, from);
    setBase(next);
    setTheirs(null);
    refill(form, next.values);
  };
  // Nobody has typed anything that would be lost.
  const isOutdated = item.version > base.version;
  useEffect(() => {
    if (isOutdated && !isChanged) begin(item);
  });

  const ask = (values: Values, expectedVersion: number, dryRun: boolean) =>
    update(client, resource, {
      id: item.id,
      input: changedFields(base.values, values),
      expectedVersion,
      dryRun,
    });
  const check = async (values: Values): Promise<Outcome> => ask(values, base.version, true);
  const save = async (values: Values): Promise<Problem | null> => {
    const result = await ask(values, base.version, false);
    if ("problem" in result) {
      if (result.problem.currentVersion === null) return result.problem;
      return compare(result.problem);
    }
    if (result.resource) begin(result.resource);
    notifications.show({ message: `Saved as version ${result.resource?.version}.` });
    return null;
  };
  const compare = async (refused: Problem): Promise<Problem | null> => {
    const { data } = await client
      .query(resource.one, { id: item.id } as never, { requestPolicy: "network-only" })
      .toPromise();
    if (!data?.resource) return refused;
    setTheirs(data.resource);
    return null;
  };

  return (
    <ResourceForm
      form={form}
      type={type}
      submitLabel="Save"
      isChanged={isChanged}
      isUnsaved={isChanged}
      check={check}
      save={save}
    >
      {isChanged && (
        <Button variant="default" onClick={() => begin(item)}>
          Discard changes
        </Button>
      )}
      {isChanged && isOutdated && !theirs && (
        <Alert title={`Version ${item.version} was saved meanwhile`} role="status">
          Your changes are still here. Saving shows both versions.
        </Alert>
      )}
      {theirs && (
        <Conflict
          base={base.values}
          mine={form.values}
          theirs={inputOf(type, { ...theirs })}
          version={theirs.version}
          onMine={() => {
            const next = baseOf(type, theirs);
            setBase(next);
            setTheirs(null);
            refill(form, merged(base.values, form.values, next.values));
          }}
          onTheirs={() => begin(theirs)}
        />
      )}
    </ResourceForm>
  );
}

function baseOf(type: string, item: Row): Base {
  return { version: item.version, values: inputOf(type, { ...item }) };
}
