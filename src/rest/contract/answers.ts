import { z } from "zod";
import { idPattern, type ResourceKind } from "../../domain/core/ids.js";
import { EXAMPLE_TIME, exampleId } from "./examples.js";

// What answers are made of, as schemas: views are typed by them, and the OpenAPI document shows them.

/** What a view returns for an answer. */
export type Shown<Answer extends z.ZodType> = DeepReadonly<z.output<Answer>>;

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;

/** The id of a resource of one of `kinds`. */
export function id(...kinds: readonly [ResourceKind, ...ResourceKind[]]) {
  return z.string().meta({ pattern: idPattern(...kinds), examples: [exampleId(kinds[0])] });
}

/** An absolute URL. */
export const uri = z.string().meta({ format: "uri" });

/** RFC 3339 in UTC with whole seconds. */
export const time = z.string().meta({
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$",
  examples: [EXAMPLE_TIME],
});

/** Another resource, of one of `kinds`, as a resource names it. */
export function refTo(...kinds: readonly [ResourceKind, ...ResourceKind[]]) {
  return z.strictObject({ id: id(...kinds), uri });
}

/** Texts by names that belong to the user. */
export const stringMap = z.record(z.string(), z.string());

/** What every resource shows. */
export function row(kind: ResourceKind) {
  return {
    id: id(kind),
    uri,
    created_at: time,
    description: z.string(),
    metadata: z.string(),
  };
}

export const count = z.int().min(0);
