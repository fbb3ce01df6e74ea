import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { ENUMS, INPUTS, type InputField } from "../generated/inputs.js";

// Filter, order and page of a list are in the URL, named as in the schema: `?search=shop&module.kind=OAUTH&after=…`.

const PAGE_SIZE = 25;

/** The variables of a list, as its query takes them. */
interface ListVariables {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly orderBy?: { readonly field: string; readonly direction: string };
}

export interface ListState {
  readonly variables: ListVariables;
  /** The fields of the filter by which the list can be narrowed, with the names of nested ones such as `module.kind`. */
  readonly fields: readonly FilterField[];
  readonly isFiltered: boolean;
  /** What the URL has for a name: "" when nothing. */
  value(name: string): string;
  /** Sets what the URL has, and goes to the first page. "" takes a name out. */
  set(values: Readonly<Record<string, string>>): void;
  /** Goes to the page after or before a cursor. */
  turn(to: { readonly after: string } | { readonly before: string }): void;
  clear(): void;
}

export interface FilterField extends InputField {
  /** Its name in the URL. */
  readonly param: string;
}

/** The state of the list of a type, such as `HttpsEdge`. */
export function useListState(typename: string): ListState {
  const [params, setParams] = useSearchParams();
  const fields = useMemo(() => filterFields(`${typename}Filter`), [typename]);
  const variables = useMemo(() => readVariables(params, fields), [params, fields]);
  const set = useCallback(
    (values: Readonly<Record<string, string>>) =>
      setParams((current) => {
        const next = new URLSearchParams(current);
        next.delete("after");
        next.delete("before");
        for (const [name, value] of Object.entries(values)) {
          if (value === "") next.delete(name);
          else next.set(name, value);
        }
        return next;
      }),
    [setParams],
  );
  return {
    variables,
    fields,
    isFiltered: Object.keys(variables.filter).length > 0,
    value: (name) => params.get(name) ?? "",
    set,
    turn: (to) =>
      setParams((current) => {
        const next = new URLSearchParams(current);
        next.delete("after");
        next.delete("before");
        for (const [name, cursor] of Object.entries(to)) next.set(name, cursor);
        return next;
      }),
    clear: () => setParams({}),
  };
}

/** The orders of the list of a type, as its schema names them. */
export function ordersOf(typename: string): string[] {
  return (ENUMS[`${typename}OrderField`] ?? []).map(({ name }) => name);
}

function filterFields(input: string, path = ""): FilterField[] {
  return (INPUTS[input]?.fields ?? []).flatMap((field) =>
    INPUTS[field.type]
      ? filterFields(field.type, `${path}${field.name}.`)
      : [{ ...field, param: `${path}${field.name}` }],
  );
}

function readVariables(params: URLSearchParams, fields: readonly FilterField[]): ListVariables {
  const filter: Record<string, unknown> = {};
  for (const { param, type, list } of fields) {
    const text = params.get(param);
    if (text === null) continue;
    const value = list ? text.split(",") : type === "Boolean" ? text === "true" : text;
    const [name = param, inner] = param.split(".");
    const nested = filter[name];
    filter[name] =
      inner === undefined ? value : { ...(typeof nested === "object" && nested), [inner]: value };
  }
  const after = params.get("after");
  const before = params.get("before");
  const order = params.get("order");
  return {
    ...(before === null ? { first: PAGE_SIZE } : { last: PAGE_SIZE, before }),
    ...(after !== null && { after }),
    filter,
    ...(order !== null && {
      orderBy: { field: order, direction: params.get("direction") ?? "DESC" },
    }),
  };
}
