import { readFileSync } from "node:fs";
import {
  assertValidSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { describe, expect, it } from "vitest";
import { schema } from "../src/schema/index.js";

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));

const LIST_ARGUMENTS = ["after", "before", "filter", "first", "last", "orderBy"];
const CHANGE_ARGUMENTS = ["after", "before", "first", "ids", "last", "types"];

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

  it("has a connection with a filter and an order for every list of resources at its root", () => {
    const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
      ({ name }) => name.endsWith("s") && name !== "nodes",
    );
    expect(lists.length).toBeGreaterThan(14);
    for (const { name, type, args } of lists) {
      expect([name, String(type)]).toEqual([name, expect.stringMatching(/Connection!$/)]);
      expect(args.map((argument) => argument.name).sort()).toEqual(
        name === "changes" ? CHANGE_ARGUMENTS : LIST_ARGUMENTS,
      );
    }
  });
});

type NamedType = (typeof types)[number];

function members(
  type: NamedType,
): readonly { name: string; description?: string | null | undefined }[] {
  if (isEnumType(type)) return type.getValues();
  if (isInputObjectType(type)) return Object.values(type.getFields());
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    field,
    ...field.args.map(({ name, description }) => ({ name: `${field.name}(${name})`, description })),
  ]);
}
