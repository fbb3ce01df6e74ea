import { z } from "zod";
import { snakeCase } from "../domain/core/names.js";
import type { Spelling } from "../rest/contract/wire.js";

// Rules and answers as JSON Schema.

export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

export type Components = Readonly<Record<string, JsonSchema>>;

/** The schemas that are referred to, by their names, and the names of what they are made of. */
export interface NamedSchemas {
  readonly components: Components;
  readonly names: ReadonlyMap<z.ZodType, string>;
}

export const SCHEMAS = "#/components/schemas/";

/** The named rules of bodies as they stand on the wire. A rule that is part of another is referred to. */
export function bodySchemas(
  rules: ReadonlyMap<string, z.ZodType>,
  spellings: ReadonlyMap<string, Spelling>,
): Components {
  const named = z.registry<{ id: string }>();
  for (const [id, rule] of rules) named.add(rule, { id });
  const { schemas } = z.toJSONSchema(named, {
    io: "input",
    unrepresentable: "any",
    uri: (id) => SCHEMAS + id,
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodObject) jsonSchema.required = requiredBy(zodSchema);
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      Object.assign(jsonSchema, withUnset(jsonSchema));
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      onWire(withoutNames(schema), spellings.get(id)),
    ]),
  );
}

/** The named schemas of answers. */
export function answerSchemas(answers: ReadonlyMap<string, z.ZodType>): Components {
  const named = z.registry<{ id: string }>();
  for (const [id, answer] of answers) named.add(answer, { id });
  const { schemas } = z.toJSONSchema(named, { uri: (id) => SCHEMAS + id });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, withoutNames(schema)]),
  );
}

function withoutNames({ $schema, $id, ...schema }: object & { $schema?: unknown; $id?: unknown }) {
  return schema as JsonSchema;
}

/** The fields without which a rule refuses an object; those with a default count as optional. */
function requiredBy(rule: z.ZodObject): string[] {
  const issues = rule.safeParse({}).error?.issues ?? [];
  return issues.flatMap(({ path: [name], message }) =>
    typeof name === "string" && name in rule.shape && message === "is required" ? [name] : [],
  );
}

/** A schema that also takes the values that clients send for what nobody set. */
function withUnset(schema: Record<string, unknown>): Record<string, unknown> {
  const { unset, fallback } = schema;
  delete schema.unset;
  delete schema.fallback;
  if (!Array.isArray(unset)) return {};
  const { ...given } = schema;
  for (const keyword of Object.keys(schema)) delete schema[keyword];
  const values = { enum: unset };
  return {
    anyOf: Array.isArray(given.anyOf) ? [...given.anyOf, values] : [given, values],
    ...(fallback !== undefined && fallback !== "" && { default: fallback }),
  };
}

/** The same schema with the names of fields as they stand on the wire. */
function onWire(schema: JsonSchema, spelling: Spelling = {}): JsonSchema {
  const name = (own: string) => snakeCase(spelling[own] ?? own);
  const { properties, required, items, anyOf, additionalProperties, ...others } = schema;
  return {
    ...others,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([own, property]) => [name(own), onWire(property)]),
      ),
    }),
    ...(required && required.length > 0 && { required: required.map(name) }),
    ...(items && { items: onWire(items) }),
    ...(anyOf && { anyOf: anyOf.map((each) => onWire(each)) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object"
          ? onWire(additionalProperties)
          : additionalProperties,
    }),
  };
}
