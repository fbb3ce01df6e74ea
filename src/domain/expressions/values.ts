import type { Prisma } from "../../database/index.js";
import type { Condition } from "../lists/sequences.js";
import type { PlainScalar } from "../reads/fields.js";
import type { Reference } from "../storage/graph.js";
import type { NamedFields } from "./fields.js";

// What the parts of an expression are, once they are checked.

export type Value =
  | BooleanValue
  | TextValue
  | IntegerValue
  | TimeValue
  | ListValue
  | { readonly type: "texts" | "map"; readonly column: Prisma.Sql; readonly name: string }
  | { readonly type: "ids"; readonly reference: Reference }
  | { readonly type: "reference"; readonly id: PlainScalar }
  | { readonly type: "object"; readonly name: string; readonly members: NamedFields }
  | { readonly type: "null" };

/**
 * A condition, and its negation: each row meets exactly one of the two. Of one that it does not meet SQL may also say
 * that it is unknown.
 */
export interface BooleanValue {
  readonly type: "boolean";
  /** That the value is this. */
  is(value: boolean): Condition;
  readonly constant?: boolean;
}

/** `sql` is never null: an unset text is "". */
export interface TextValue {
  readonly type: "text";
  readonly sql: Prisma.Sql;
  readonly constant?: string;
  /** The column that has the text, of a field. */
  readonly field?: PlainScalar;
}

export interface IntegerValue {
  readonly type: "integer";
  readonly sql: Prisma.Sql;
  readonly constant?: bigint;
}

/** `sql` has whole seconds, as times are shown, unless it is a constant. */
export interface TimeValue {
  readonly type: "time";
  readonly sql: Prisma.Sql;
  readonly constant?: Moment;
  /** Of a field: what indexes know of it. */
  readonly field?: TimeBounds;
}

/** A time: the second in which it lies, in milliseconds, and whether it is that second's beginning. */
export interface Moment {
  readonly second: number;
  readonly isWhole: boolean;
}

/** The rows whose time is in a second or later, and those whose time is before it. */
export interface TimeBounds {
  from(second: Date): Condition;
  before(second: Date): Condition;
}

/** Constants of one type. */
export interface ListValue {
  readonly type: "list";
  readonly items: readonly (TextValue | IntegerValue | TimeValue)[];
}

/** A type in a sentence, and how one writes a value of it. */
export const TYPES: Readonly<Record<Value["type"], { name: string; example: string }>> = {
  boolean: { name: "a condition", example: "true" },
  text: { name: "a text", example: '"a"' },
  integer: { name: "a whole number", example: "80" },
  time: { name: "a time", example: 'timestamp("2030-01-31T09:30:00Z")' },
  list: { name: "a list", example: '["a", "b"]' },
  texts: { name: "a list of texts", example: '["a", "b"]' },
  map: { name: "a map", example: "{}" },
  ids: { name: "a list of ids", example: '["a", "b"]' },
  reference: { name: "another resource", example: "null" },
  object: { name: "an object", example: "{}" },
  null: { name: "null", example: "null" },
};
