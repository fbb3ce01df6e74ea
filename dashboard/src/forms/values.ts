import equal from "fast-deep-equal";
import { INPUTS, type InputField, type InputType } from "../generated/inputs.js";

// What forms hold is an input of a mutation as it is sent, so the server's paths are those of the form.

export type Values = Record<string, unknown>;

export function inputType(name: string): InputType {
  const type = INPUTS[name];
  if (!type) throw new Error(`The schema has no input ${name}.`);
  return type;
}

/** The input that would leave a resource, or a part of one, as it is. */
export function inputOf(name: string, resource: Values): Values {
  const { fields, oneOf = false } = inputType(name);
  // What can be made along with its owner, such as a backend, is referred to by its id.
  if (oneOf && fields.some((field) => field.name === "id")) return { id: resource.id };
  const entries = fields.map((field) => [field.name, valueFor(field, resource)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

function valueFor({ name, type }: InputField, resource: Values): unknown {
  const value = name in resource ? resource[name] : idsOf(name, resource);
  if (!INPUTS[type]) return value;
  if (Array.isArray(value)) return value.map((item) => inputOf(type, item));
  return isValues(value) ? inputOf(type, value) : undefined;
}

/** `ipPolicyIds` are the ids of `ipPolicies`, and `certificateId` is that of `certificate`. */
function idsOf(name: string, resource: Values): unknown {
  const [, one, many] = /^(.*)Id(s?)$/.exec(name) ?? [];
  if (one === undefined) return undefined;
  const referred = resource[many === "s" ? pluralOf(one) : one];
  if (Array.isArray(referred)) return referred.map(({ id }) => id);
  return isValues(referred) ? referred.id : undefined;
}

function pluralOf(name: string): string {
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** The fields that differ from `before`. What is empty now is cleared. */
export function changedFields(before: Values, after: Values): Values {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isSame(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, withoutEmpty(after[name]) ?? null]));
}

/** What somebody else has made of `base`, with what differs from `base` in `mine`. */
export function merged(base: Values, mine: Values, theirs: Values): Values {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)])];
  return Object.fromEntries(
    names.map((name) => [name, isSame(base[name], mine[name]) ? theirs[name] : mine[name]]),
  );
}

/** What was filled in: texts and numbers that are empty are as if they were not there. */
export function filledIn(values: Values): Values {
  const filled = withoutEmpty(values);
  return isValues(filled) ? filled : {};
}

function withoutEmpty(value: unknown): unknown {
  if (value === "" || value === null) return undefined;
  if (Array.isArray(value)) return value.map(itemWithoutEmpty);
  if (!isValues(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** Somebody added the item: its texts are sent as they are, since a header may well have an empty value. */
function itemWithoutEmpty(item: unknown): unknown {
  if (!isValues(item)) return withoutEmpty(item) ?? "";
  const texts = Object.entries(item).filter(([, each]) => each === "");
  return Object.assign(Object.fromEntries(texts), withoutEmpty(item));
}

/** Whether there is nothing: no value, or a part or list without any. */
export function isEmpty(value: unknown): boolean {
  const filled = withoutEmpty(value);
  return (
    filled === undefined || (typeof filled === "object" && Object.keys(filled ?? {}).length === 0)
  );
}

/** Whether both are the same as input, in which what is empty is not there. */
export function isSame(one: unknown, other: unknown): boolean {
  return equal(withoutEmpty(one), withoutEmpty(other));
}

export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path such as `routes.0.match`. */
export function valueAt(values: Values, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, name) =>
        Array.isArray(value) ? value[Number(name)] : isValues(value) ? value[name] : undefined,
      values,
    );
}
