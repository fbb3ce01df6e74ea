import { readFileSync } from "node:fs";
import {
  assertValidSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { describe, expect, it } from "vitest";
import { schema } from "../src/schema/index.js";

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));

const LIST_ARGUMENTS = ["after", "before", "filter", "first", "last", "orderBy"];
/** Lists of what is no resource. */
const OTHER_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  changes: ["actorIds", "after", "before", "first", "ids", "last", "types"],
  hostportConflicts: ["after", "before", "first", "last"],
};

describe("the GraphQL schema", () => {
  it("is valid", () => {
    expect(() => assertValidSchema(schema)).not.toThrow();
  });

  it("is committed as schema.graphql (npm run schema)", () => {
    const committed = readFileSync(new URL("../schema.graphql", import.meta.url), "utf8");
    expect(committed).toBe(`${printSchema(lexicographicSortSchema(schema))}\n`);
  });

  it("describes every type, field, argument, input field and enum value", () => {
    const undescribed = types.flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...members(type)
        .filter(({ description }) => !description)
        .map(({ name }) => `${type.name}.${name}`),
    ]);
    expect(undescribed).toEqual([]);
  });

  it("says of everything that may be left out what holds then", () => {
    const silent = inputs.filter(
      ({ of, value }) => isOptional(value) && !SAYS_DEFAULT.test(`${of} ${value.description}`),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it("says of every text, number and list which limit or form it has", () => {
    const silent = inputs.filter(
      ({ value }) => isBounded(value) && !SAYS_LIMIT.test(value.description ?? ""),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it("gives a reason for everything that is deprecated", () => {
    const deprecated = types.flatMap((type) => members(type)).filter(isDeprecated);
    expect(deprecated.filter(({ deprecationReason: reason }) => !reason?.trim())).toEqual([]);
  });

  it("has root fields that are null when they are refused, so that the others are answered", () => {
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.values(type?.getFields() ?? {}),
    );
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
  });

  it("has a connection with a filter and an order for every list of resources at its root", () => {
    const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
      ({ name, args }) =>
        name.endsWith("s") && name !== "nodes" && args.every((argument) => argument.name !== "id"),
    );
    expect(lists.length).toBeGreaterThan(14);
    for (const { name, type, args } of lists) {
      expect([name, String(type)]).toEqual([name, expect.stringMatching(/Connection$/)]);
      expect(args.map((argument) => argument.name).sort()).toEqual(
        OTHER_ARGUMENTS[name] ?? LIST_ARGUMENTS,
      );
    }
  });
});

type NamedType = (typeof types)[number];

/** A number, an example, or the name of what refers to it. */
const SAYS_LIMIT = /\d|`|\b(id|ids|cursor|version|header)\b/;
const SAYS_DEFAULT = /absent|unspecified|default|\bnull\b|\bomit\b|Not together|exactly one/i;

type Value = GraphQLInputField | GraphQLArgument;

/** Everything that a caller may give, with what is said of the input type that it is in. */
const inputs = types.flatMap((type): { name: string; of: string; value: Value }[] => {
  if (isInputObjectType(type)) {
    const of = type.isOneOf ? "exactly one is given" : (type.description ?? "");
    const fields = Object.values(type.getFields());
    return fields.map((value) => ({ name: `${type.name}.${value.name}`, of, value }));
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) =>
    args.map((value) => ({ name: `${type.name}.${name}(${value.name}:)`, of: "", value })),
  );
});

function isOptional({ type, defaultValue }: Value): boolean {
  return !isNonNullType(type) || defaultValue !== undefined;
}

const BOUNDED: ReadonlySet<string> = new Set(["String", "Int", "UInt32", "Float"]);

function isBounded({ type }: Value): boolean {
  return BOUNDED.has(getNamedType(type).name) || isListType(getNullableType(type));
}

function isDeprecated({ deprecationReason }: { deprecationReason?: string | null | undefined }) {
  return deprecationReason != null;
}

function members(type: NamedType): readonly {
  name: string;
  description?: string | null | undefined;
  deprecationReason?: string | null | undefined;
}[] {
  if (isEnumType(type)) return type.getValues();
  if (isInputObjectType(type)) return Object.values(type.getFields());
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    field,
    ...field.args.map(({ name, description }) => ({ name: `${field.name}(${name})`, description })),
  ]);
}
