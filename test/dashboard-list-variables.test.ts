import fc from "fast-check";
import { GraphQLError, getNamedType, isInputObjectType } from "graphql";
import { describe, expect, it } from "vitest";
import {
  filterFields,
  onPage,
  readVariables,
  withValues,
} from "../dashboard/src/lists/list-variables.js";
import { schema } from "../src/schema/index.js";

// The URL of a list in the dashboard is what its query is asked with.

const FIELDS = filterFields("HttpsEdgeFilter");
const names = fc.constantFrom(...FIELDS.map(({ param }) => param), "order", "direction", "other");
const values = fc.oneof(fc.string(), fc.constantFrom("true", "false", "a,b", "&=?#", "ü"));
const urls = fc.dictionary(names, values).map((entries) => new URLSearchParams(entries));
const cursors = fc.record({ name: fc.constantFrom("after", "before"), cursor: fc.string() });
const toOf = (name: string, cursor: string) =>
  name === "after" ? { after: cursor } : { before: cursor };

describe("the URL of a list", () => {
  it("has a name for each field of the filter, also of nested ones", () => {
    const filters = Object.keys(schema.getTypeMap()).filter((name) => name.endsWith("Filter"));
    const lists = filters.filter((name) => !name.endsWith("ModuleFilter"));
    expect(lists.length).toBeGreaterThan(20);
    for (const name of lists) {
      const type = schema.getType(name);
      if (!isInputObjectType(type)) throw new GraphQLError(`${name} is no input.`);
      const expected = Object.values(type.getFields()).flatMap((field) => {
        const inner = getNamedType(field.type);
        return isInputObjectType(inner)
          ? Object.keys(inner.getFields()).map((each) => `${field.name}.${each}`)
          : [field.name];
      });
      expect(filterFields(name).map(({ param }) => param)).toEqual(expected.sort());
    }
  });

  it("is asked for as it stands, with what is wrong in it", () => {
    const read = (query: string) => readVariables(new URLSearchParams(query), FIELDS);
    expect(read("")).toEqual({ first: 25, filter: {} });
    expect(read("search=shop&module.kind=OAUTH&module.enabled=false&other=1")).toEqual({
      first: 25,
      filter: { search: "shop", module: { kind: "OAUTH", enabled: false } },
    });
    expect(read("ids=a,b&after=c")).toEqual({
      first: 25,
      after: "c",
      filter: { ids: ["a", "b"] },
    });
    expect(read("before=c&order=NONSENSE")).toEqual({
      last: 25,
      before: "c",
      filter: {},
      orderBy: { field: "NONSENSE", direction: "DESC" },
    });
    expect(read("direction=ASC").orderBy).toEqual({ field: "CREATED_AT", direction: "ASC" });
    expect(read("module.enabled=perhaps").filter).toEqual({ module: { enabled: "perhaps" } });
  });

  it("has each name once, and begins on the first page when something else is asked", () => {
    fc.assert(
      fc.property(urls, fc.dictionary(names, values), cursors, (url, set, { name, cursor }) => {
        const before = onPage(url, toOf(name, cursor));
        const next = withValues(before, set);
        expect(next.has("after") || next.has("before")).toBe(false);
        for (const [each, value] of Object.entries(set)) {
          expect(next.getAll(each)).toEqual(value === "" ? [] : [value]);
        }
        for (const [each, value] of url) {
          if (!(each in set)) expect(next.get(each)).toBe(value);
        }
      }),
    );
  });

  it("turns pages without losing what is asked", () => {
    fc.assert(
      fc.property(urls, cursors, cursors, (url, first, second) => {
        const there = onPage(url, toOf(first.name, first.cursor));
        const next = onPage(there, toOf(second.name, second.cursor));
        expect(next.toString()).toBe(onPage(url, toOf(second.name, second.cursor)).toString());
        const { filter, orderBy } = readVariables(url, FIELDS);
        const read = readVariables(next, FIELDS);
        expect([read.filter, read.orderBy]).toEqual([filter, orderBy]);
        expect(read.first === undefined).toBe(second.name === "before");
        expect(read.after).toBe(second.name === "after" ? second.cursor : undefined);
        expect(read.before).toBe(second.name === "before" ? second.cursor : undefined);
      }),
    );
  });

  it("survives a reload", () => {
    fc.assert(
      fc.property(urls, (url) => {
        const again = new URLSearchParams(url.toString());
        expect(readVariables(again, FIELDS)).toEqual(readVariables(url, FIELDS));
      }),
    );
  });
});
