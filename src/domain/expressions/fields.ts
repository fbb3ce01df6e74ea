import type { ResourceKind } from "../core/ids.js";
import type { Plain, PlainScalar } from "../reads/fields.js";

// What an expression can name, in the caller's spelling.

/** A field of `obj`: a plain value, an object of some, or another resource, whose id is known. */
export type NamedField =
  | Exclude<Plain, { type: "object" }>
  | { readonly type: "object"; readonly members: NamedFields }
  | { readonly type: "reference"; readonly id: PlainScalar };

export type NamedFields = ReadonlyMap<string, NamedField>;

/** What the expressions of a list are about. */
export interface Subject {
  readonly kind: ResourceKind;
  readonly fields: NamedFields;
}
