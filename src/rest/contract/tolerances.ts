import { snakeCase } from "../../domain/core/names.js";

// What unmodified clients send that is no input of ours (wire facts, Part 3): each turns a body, in the domain's
// spelling, into one for the rule. GraphQL has none of this.

export type Body = Readonly<Record<string, unknown>>;

/** JSON Schemas of fields, by their names on the wire. */
type Schemas = Readonly<Record<string, object>>;

export interface Tolerance {
  mend(body: Body): Body;
  /** The further fields of the body, given those of the rule. */
  adds?(fields: Schemas): Schemas;
  /** The fields that the rule requires, and that may be given by another name. */
  readonly eases?: readonly string[];
}

/** `body` after all of `tolerances`. */
export function mended(body: Body, tolerances: readonly Tolerance[] = []): Body {
  return tolerances.reduce((mended, { mend }) => mend(mended), body);
}

/** Fields that mean nothing here are left out. */
export function ignored(...fields: readonly string[]): Tolerance {
  const description = "Ignored; some older clients send it.";
  return {
    mend: (body) => without(body, (name) => fields.includes(name)),
    adds: () =>
      Object.fromEntries(
        fields.map((field) => [snakeCase(field), { deprecated: true, description }]),
      ),
  };
}

/** An empty list is sent for one that nobody set: it leaves the field as it is. */
export function emptyListLeaves(...fields: readonly string[]): Tolerance {
  return {
    mend: (body) =>
      without(
        body,
        (name, value) => fields.includes(name) && Array.isArray(value) && value.length === 0,
      ),
  };
}

/** Times that are numbers count seconds since 1970: a fraction is cut, and 0 is unset. */
export function epochSeconds(...fields: readonly string[]): Tolerance {
  return {
    mend: (body) =>
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          fields.includes(name) && typeof value === "number" ? timeAt(Math.trunc(value)) : value,
        ]),
      ),
    adds: (known) =>
      Object.fromEntries(
        fields.map((field) => {
          const { description, ...text } = { description: "", ...known[snakeCase(field)] };
          const seconds = { type: "number", description: "Seconds since 1970; 0 is unset." };
          return [snakeCase(field), { description, anyOf: [text, seconds] }];
        }),
      ),
  };
}

/** In RFC 3339; a number that is no time stays one, which the rule refuses. */
function timeAt(seconds: number): string | number | null {
  if (seconds === 0) return null;
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? seconds : time.toISOString();
}

/** `body` with only the fields that are not left out. */
export function without(body: Body, isLeftOut: (name: string, value: unknown) => boolean): Body {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !isLeftOut(name, value)),
  );
}

/** Absent, or a value that stands for that. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
