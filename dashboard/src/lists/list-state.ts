import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { ENUMS } from "../generated/inputs.js";
import {
  type FilterField,
  filterFields,
  type ListVariables,
  onPage,
  readVariables,
  withValues,
} from "./list-variables.js";

export interface ListState {
  readonly variables: ListVariables;
  /** The fields of the filter by which the list can be narrowed, with the names of nested ones such as `module.kind`. */
  readonly fields: readonly FilterField[];
  readonly isFiltered: boolean;
  /** Whether the URL names a page other than the first. */
  readonly isOnLaterPage: boolean;
  /** What the URL has for a name: "" when nothing. */
  value(name: string): string;
  /** Sets what the URL has, and goes to the first page. "" takes a name out. */
  set(values: Readonly<Record<string, string>>): void;
  /** Goes to the page after or before a cursor. */
  turn(to: { readonly after: string } | { readonly before: string }): void;
  /** Goes to the first page of everything, in the default order. */
  clear(): void;
}

/** The state of the list of a type, such as `HttpsEdge`. */
export function useListState(typename: string): ListState {
  const [params, setParams] = useSearchParams();
  const fields = useMemo(() => filterFields(`${typename}Filter`), [typename]);
  const variables = useMemo(() => readVariables(params, fields), [params, fields]);
  const set = useCallback(
    (values: Readonly<Record<string, string>>) =>
      setParams((current) => withValues(current, values)),
    [setParams],
  );
  return {
    variables,
    fields,
    isFiltered: Object.keys(variables.filter).length > 0,
    isOnLaterPage: params.has("after") || params.has("before"),
    value: (name) => params.get(name) ?? "",
    set,
    turn: (to) => setParams((current) => onPage(current, to)),
    clear: () => setParams({}),
  };
}

/** The orders of the list of a type, as its schema names them. */
export function ordersOf(typename: string): string[] {
  return (ENUMS[`${typename}OrderField`] ?? []).map(({ name }) => name);
}
