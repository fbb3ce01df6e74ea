import { type GraphQLField, getNamedType, isInterfaceType, isObjectType } from "graphql";
import { describe, expect, it } from "vitest";
import { RESOURCES, type ResourceKind, typeNameOf } from "../src/domain/core/ids.js";
import {
  HTTPS_EDGE_MODULES,
  HTTPS_EDGE_ROUTE_MODULES,
  TLS_EDGE_MODULES,
} from "../src/domain/modules/index.js";
import { fieldsOf } from "../src/domain/reads/tables.js";
import { schema } from "../src/schema/index.js";
import { readsOf } from "../src/schema/reads/field-reads.js";

// What is read for a field follows from its name or is said where it is defined. One that says nothing, and is no
// member, would find nothing.

/** Fields that read by themselves, and need no more of the resource than its id. */
const READ_BY_THEMSELVES = ["usedBy"];

type Field = GraphQLField<unknown, unknown>;

const kinds = Object.keys(RESOURCES) as ResourceKind[];
const fields = kinds.flatMap((kind) => {
  const type = schema.getType(typeNameOf(kind));
  if (!isObjectType(type)) throw new Error(`There is no type of ${kind}.`);
  return Object.values(type.getFields()).map((field) => ({ kind, type, field }));
});

/** What is wrong with what a field of a resource says that it reads; null when nothing is. */
function problemOf(kind: ResourceKind, field: Field): string | null {
  const { table } = RESOURCES[kind];
  const members = fieldsOf(table);
  const what = readsOf(field);
  if (!what) {
    if (members[field.name] || READ_BY_THEMSELVES.includes(field.name)) return null;
    return `is no member of ${table}: say with \`extensions: reads(…)\` which members its resolver needs, or name it here when it reads by itself`;
  }
  if ("members" in what) {
    const unknown = what.members.filter((name) => !members[name]);
    return unknown.length > 0 ? `reads ${unknown}, which ${table} does not have` : null;
  }
  if ("list" in what) {
    const { to, from } = what.list.reference;
    if (to !== table) return `lists what refers to ${to}, and its resource is in ${table}`;
    return what.list.sequence.table === from ? null : `lists what is not in ${from}`;
  }
  if ("target" in what && what.target !== null) {
    return members[what.target]?.reference ? null : `leads to where ${what.target} does not`;
  }
  return "says what is only for fields of objects inside a resource";
}

describe("a field of a resource says what it reads", () => {
  it.each(fields.map(({ kind, type, field }) => ({ kind, field, name: `${type}.${field.name}` })))(
    "$name",
    ({ kind, field, name }) => {
      const problem = problemOf(kind, field);
      expect(problem, `${name} ${problem}`).toBeNull();
    },
  );

  it("or the test says what is missing", () => {
    const { field } = fields[0] ?? {};
    if (!field) throw new Error("There are fields.");
    expect(problemOf("ipPolicy", { ...field, name: "color", extensions: {} })).toMatch(
      /^is no member of ip_policies: say with/,
    );
    const reading = { ...field, extensions: { reads: { members: ["color"] } } };
    expect(problemOf("ipPolicy", reading)).toBe("reads color, which ip_policies does not have");
  });
});

describe("a field that shows what is sealed says so", () => {
  const modules = { ...HTTPS_EDGE_MODULES, ...HTTPS_EDGE_ROUTE_MODULES, ...TLS_EDGE_MODULES };
  const sealed = new Set(
    Object.values(modules).flatMap((module) =>
      ("sealed" in module ? (module.sealed ?? []) : []).map((path) => path.at(-1) ?? ""),
    ),
  );
  const all = Object.values(schema.getTypeMap()).flatMap((type) =>
    (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith("__")
      ? Object.values(type.getFields()).map((field) => ({ name: `${type}.${field.name}`, field }))
      : [],
  );
  const shows = all.filter(({ field }) => sealed.has(field.name));

  it("on every type and interface that has it", () => {
    expect(shows.map(({ name }) => name).sort()).toContain("OauthClient.clientSecret");
    const silent = shows.filter(({ field }) => {
      const what = readsOf(field);
      return !(what && "secret" in what);
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it("and by name it is told from all others", () => {
    const secrets = all.filter(({ field }) => {
      const what = readsOf(field);
      return what !== undefined && "secret" in what;
    });
    // `contextForSelected` goes by these names.
    expect(new Set(secrets.map(({ field }) => field.name))).toEqual(
      new Set(["secret", "clientSecret"]),
    );
    expect(all.filter(({ field }) => /[sS]ecret/.test(field.name))).toEqual(secrets);
    expect(secrets.map(({ field }) => getNamedType(field.type).name)).toEqual(
      secrets.map(() => "String"),
    );
  });
});
