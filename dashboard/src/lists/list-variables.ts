import { INPUTS, type InputField } from "../generated/inputs.js";

// Filter, order and page of a list are in the URL, named as in the schema: `?search=shop&module.kind=OAUTH&after=…`.

const PAGE_SIZE = 25;

/** The variables of a list, as its query takes them. */
export interface ListVariables {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly orderBy?: { readonly field: string; readonly direction: string };
}

export interface FilterField extends InputField {
  /** Its name in the URL. */
  readonly param: string;
}

/** The fields of the filter of a list, such as `HttpsEdgeFilter`, with those of nested inputs in their place. */
export function filterFields(input: string, path = ""): FilterField[] {
  return (INPUTS[input]?.fields ?? []).flatMap((field) =>
    INPUTS[field.type]
      ? filterFields(field.type, `${path}${field.name}.`)
      : [{ ...field, param: `${path}${field.name}` }],
  );
}

/** What the URL asks for. Nothing is left out because it is wrong: the server says what is. */
export function readVariables(
  params: URLSearchParams,
  fields: readonly FilterField[],
): ListVariables {
  const filter: Record<string, unknown> = {};
  for (const { param, type, list } of fields) {
    const text = params.get(param);
    if (text === null) continue;
    const value = list ? text.split(",") : type === "Boolean" ? booleanOf(text) : text;
    const [name = param, inner] = param.split(".");
    const nested = filter[name];
    filter[name] =
      inner === undefined ? value : { ...(typeof nested === "object" && nested), [inner]: value };
  }
  const after = params.get("after");
  const before = params.get("before");
  const order = params.get("order");
  const direction = params.get("direction");
  return {
    ...(before === null ? { first: PAGE_SIZE } : { last: PAGE_SIZE, before }),
    ...(after !== null && { after }),
    filter,
    ...((order !== null || direction !== null) && {
      orderBy: { field: order ?? "CREATED_AT", direction: direction ?? "DESC" },
    }),
  };
}

function booleanOf(text: string): boolean | string {
  return text === "true" ? true : text === "false" ? false : text;
}

/** The URL with other values, of which "" takes a name out, on the first page. */
export function withValues(
  params: URLSearchParams,
  values: Readonly<Record<string, string>>,
): URLSearchParams {
  const next = withoutPage(params);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** The URL on the page after or before a cursor. */
export function onPage(
  params: URLSearchParams,
  to: { readonly after: string } | { readonly before: string },
): URLSearchParams {
  const next = withoutPage(params);
  for (const [name, cursor] of Object.entries(to)) next.set(name, cursor);
  return next;
}

function withoutPage(params: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete("after");
  next.delete("before");
  return next;
}
