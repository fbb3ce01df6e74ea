import {
  ActionIcon,
  Button,
  Collapse,
  Group,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { ArrowDown, ArrowUp, ListFilter, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { ENUMS } from "../generated/inputs.js";
import { words } from "../words.js";
import { type ListState, ordersOf } from "./list-state.js";
import type { FilterField } from "./list-variables.js";

const TYPING_MS = 300;
const SEARCH = "search";

interface FilterBarProps {
  /** Of which the list is. */
  readonly typename: string;
  readonly state: ListState;
}

/** What narrows and orders a list: everything that its filter has in the schema. */
export function FilterBar({ typename, state }: FilterBarProps) {
  const others = state.fields.filter(({ param }) => param !== SEARCH && param !== "ids");
  const inUse = others.filter(({ param }) => state.value(param) !== "").length;
  const [isOpen, setOpen] = useState(inUse > 0);
  const direction = state.value("direction") || "DESC";
  const order = state.value("order") || "CREATED_AT";
  return (
    <Stack gap="xs" component="search">
      <Group align="end">
        {state.fields.some(({ param }) => param === SEARCH) && (
          <TypedValue label="Search" param={SEARCH} state={state} isSearch />
        )}
        <Select
          label="Order by"
          data={ordersOf(typename).map((value) => ({ value, label: words(value) }))}
          value={order}
          allowDeselect={false}
          onChange={(value) => state.set({ order: value ?? "", direction })}
        />
        <ActionIcon
          variant="default"
          size="input-sm"
          aria-label={
            direction === "DESC" ? "Descending: make it ascending" : "Ascending: make it descending"
          }
          onClick={() => state.set({ order, direction: direction === "DESC" ? "ASC" : "DESC" })}
        >
          {direction === "DESC" ? (
            <ArrowDown size={16} aria-hidden />
          ) : (
            <ArrowUp size={16} aria-hidden />
          )}
        </ActionIcon>
        <Button
          variant="default"
          leftSection={<ListFilter size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Filter{inUse > 0 && ` (${inUse})`}
        </Button>
        {state.isFiltered && (
          <Button variant="subtle" onClick={state.clear}>
            Clear
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          {others.map((field) => (
            <FilterValue key={field.param} field={field} state={state} />
          ))}
        </SimpleGrid>
      </Collapse>
    </Stack>
  );
}

interface FilterValueProps {
  readonly field: FilterField;
  readonly state: ListState;
}

function FilterValue({ field, state }: FilterValueProps) {
  const { param, type, description } = field;
  const label = words(param.replace(".", "_"));
  const choices =
    type === "Boolean"
      ? [
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]
      : ENUMS[type]?.map(({ name }) => ({ value: name, label: words(name) }));
  if (!choices)
    return (
      <TypedValue
        label={label}
        param={param}
        state={state}
        isTime={type === "DateTime"}
        hint={description}
      />
    );
  return (
    <Select
      label={label}
      placeholder="Any"
      clearable
      searchable={choices.length > 8}
      clearButtonProps={{ "aria-label": `Clear ${label}` }}
      data={choices}
      value={state.value(param) || null}
      onChange={(value) => state.set({ [param]: value ?? "" })}
    />
  );
}

interface TypedValueProps {
  readonly label: string;
  readonly param: string;
  readonly state: ListState;
  readonly isSearch?: boolean;
  readonly isTime?: boolean;
  readonly hint?: string;
}

/** A value that is typed. What is searched is taken over when the typing pauses; the others must be whole. */
function TypedValue({
  label,
  param,
  state,
  isSearch = false,
  isTime = false,
  hint,
}: TypedValueProps) {
  const stored = state.value(param);
  const shown = isTime ? localOf(stored) : stored;
  const [text, setText] = useState(shown);
  const applied = useRef(shown);
  const apply = (value: string) => {
    const isNoTime = isTime && value !== "" && Number.isNaN(Date.parse(value));
    if (value === shown || isNoTime) return;
    applied.current = value;
    state.set({ [param]: isTime && value !== "" ? new Date(value).toISOString() : value });
  };
  const applySoon = useDebouncedCallback(apply, TYPING_MS);
  // What was typed since it was applied stays; what came from elsewhere, such as the way back, is shown.
  useEffect(() => {
    if (shown !== applied.current) setText(shown);
    applied.current = shown;
  }, [shown]);
  return (
    <TextInput
      label={label}
      title={hint}
      type={isTime ? "datetime-local" : isSearch ? "search" : "text"}
      leftSection={isSearch && <Search size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        if (isSearch) applySoon(event.currentTarget.value);
      }}
      onBlur={() => apply(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply(text);
      }}
    />
  );
}

/** A time in ISO 8601 as fields for times have it, in the viewer's zone. */
function localOf(time: string): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return "";
  const shifted = at - new Date(at).getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 16);
}
