import fc from "fast-check";
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checksOf } from "../src/schema/builder/argument-checks.js";
import { schema } from "../src/schema/index.js";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

// The paths of problems in arguments, however these are passed, and that one problem does not hide others.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function post(query: string, variables: Fields = {}, key = server.writeKey): Promise<Fields> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Fields;
}

const issuesOf = ({ errors = [] }: Fields): Fields[] =>
  errors.flatMap(({ extensions }: Fields) => extensions.issues ?? []);
const pathsOf = (answer: Fields) =>
  [...new Set(issuesOf(answer).map(({ path }) => path.join(".")))].sort();
const codesOf = ({ errors = [] }: Fields) =>
  new Set(errors.map(({ extensions }: Fields) => extensions.code));

const CREATE =
  "mutation($whatever: CreateHttpsEdgeInput!) { createHttpsEdge(input: $whatever) { httpsEdge { id } } }";

describe("the issues of an input", () => {
  it("are all reported at once, those of types, of rules and of references", async () => {
    const missing = "ipp_2aVUIZaiVT0FY5scfgVP7z5zzzz";
    const whatever = {
      description: 5,
      metadata: "x".repeat(4_097),
      hostports: ["a.example:443", "a b"],
      routes: [
        {
          matchType: "PATH_PREFIX",
          match: "/",
          oauth: { provider: { github: "x" } },
          ipRestriction: { ipPolicyIds: [missing] },
          requestHeaders: {
            add: [
              { name: 5, value: "x" },
              { name: "a b", value: "x" },
              { name: "x-c", value: [1] },
            ],
          },
        },
      ],
    };
    const answer = await post(CREATE, { whatever });
    expect([codesOf(answer), answer.data]).toEqual([new Set(["INVALID_REQUEST"]), undefined]);
    expect(issuesOf(answer).map(({ path }) => path)).toEqual([
      ["input", "description"],
      ["input", "routes", 0, "oauth", "provider", "github"],
      ["input", "routes", 0, "requestHeaders", "add", 0, "name"],
      ["input", "routes", 0, "requestHeaders", "add", 2, "value"],
      ["input", "metadata"],
      ["input", "hostports", 1],
      ["input", "routes", 0, "requestHeaders", "add", 1],
      ["input", "routes", 0, "ipRestriction", "ipPolicyIds", 0],
    ]);
  });

  it("name a variable by each place where it stands", async () => {
    const query =
      'mutation($d: String) { createHttpsEdge(input: { description: $d, metadata: $d, hostports: ["a b"] }) { httpsEdge { id } } }';
    expect(pathsOf(await post(query, { d: 5 }))).toEqual([
      "input.description",
      "input.hostports.0",
      "input.metadata",
    ]);
  });

  it("are an error for each field, whose location it has", async () => {
    const query =
      "mutation($a: CreateIpPolicyInput!, $b: CreateIpPolicyInput!) {\n a: createIpPolicy(input: $a) { ipPolicy { id } }\n b: createIpPolicy(input: $b) { ipPolicy { id } } }";
    const b = { description: "x".repeat(256), metadata: 5 };
    const { errors } = await post(query, { a: { description: 5 }, b });
    expect(
      errors.map(({ locations, extensions }: Fields) => [
        locations[0].line,
        extensions.issues.map(({ path }: Fields) => path),
      ]),
    ).toEqual([
      [2, [["input", "description"]]],
      [
        3,
        [
          ["input", "metadata"],
          ["input", "description"],
        ],
      ],
    ]);
  });

  it("list 100 in one answer, and say how many more there are", async () => {
    const query = `mutation($i: CreateIpPolicyInput!) { ${Array.from({ length: 20 }, (_, i) => `m${i}: createIpPolicy(input: $i) { ipPolicy { id } }`).join(" ")} }`;
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x${i}`, 1]));
    const answer = await post(query, { i: unknown });
    expect(answer.errors).toHaveLength(4);
    expect(issuesOf(answer)).toHaveLength(101);
    expect(issuesOf(answer).at(-1)).toEqual({
      path: [],
      message: "has further problems that are not listed: 500",
    });
  });

  it("of a key that may only read are those of types alone, since it gets no work done", async () => {
    const made = await post(
      "mutation { createApiKey(input: { scope: READ }) { apiKey { token } } }",
    );
    const { token } = made.data.createApiKey.apiKey;
    const literal = `mutation { createHttpsEdge(input: { description: 5, hostports: ["a b"] }) { httpsEdge { id } } }`;
    const whatever = { description: 5, hostports: ["a b"] };
    expect(pathsOf(await post(CREATE, { whatever }, token))).toEqual(["input.description"]);
    expect(pathsOf(await post(literal, {}, token))).toEqual(["input.description"]);
    const nobody = await post(literal, {}, "none");
    expect([codesOf(nobody), issuesOf(nobody)]).toEqual([new Set(["UNAUTHENTICATED"]), []]);
  });
});

describe("the issues of other arguments", () => {
  it.each<[string, string, Fields, readonly string[]]>([
    [
      "of a list",
      "query($size: Int, $which: IpPolicyFilter, $by: IpPolicyOrder) { ipPolicies(first: $size, last: 5, filter: $which, orderBy: $by) { totalCount } }",
      { size: "x", which: { search: "!\n!", ids: [[], "x"], unused: 5 }, by: { field: "NAME" } },
      [
        "filter.ids.0",
        "filter.ids.1",
        "filter.search",
        "filter.unused",
        "first",
        "last",
        "orderBy.field",
      ],
    ],
    [
      "of a list in a list",
      'query($n: Int) { ipPolicy(id: "ipp_x") { rules(first: $n, after: "?") { totalCount } } }',
      { n: 1.5 },
      ["after", "first"],
    ],
    [
      "of backends of a kind",
      "query($k: BackendKind, $s: String) { backends(first: 500, filter: { kind: $k, search: $s }) { totalCount } }",
      { k: "NONE", s: "!\n!" },
      ["filter.kind", "filter.search", "first"],
    ],
    [
      "of the change log",
      "query($types: [ResourceType!], $ids: [ID!]) { changes(first: 500, types: $types, ids: $ids) { totalCount } }",
      { types: ["NONE"], ids: ["x"] },
      ["first", "ids.0", "types.0"],
    ],
    [
      "of a version and an id",
      'mutation($which: ID!, $v: Int) { updateIpPolicy(id: $which, expectedVersion: $v, input: { metadata: "\\u0000" }) { ipPolicy { id } } }',
      { which: [], v: "1" },
      ["expectedVersion", "id", "input.metadata"],
    ],
    [
      "of a directive",
      "query($b: Boolean!) { ipPolicies(first: 500) { totalCount @include(if: $b) } }",
      { b: "x" },
      ["first", "if"],
    ],
    [
      "of a variable that no argument has, since its field is left out",
      "query($n: Int) { __typename ipPolicies(first: $n) @skip(if: true) { totalCount } }",
      { n: "x" },
      ["n"],
    ],
  ])("%s", async (_, query, variables, paths) => {
    const answer = await post(query, variables);
    expect([codesOf(answer), pathsOf(answer)]).toEqual([new Set(["INVALID_REQUEST"]), paths]);
  });

  it("of a list are all reported at once too when the types fit", async () => {
    const answer = await post('{ changes(first: 500, ids: ["x"]) { totalCount } }');
    expect(pathsOf(answer)).toEqual(["first", "ids.0"]);
  });

  it("of literals are all in one error too, with those of rules and of variables", async () => {
    const answer = await post(
      'query($n: Int) { ipPolicies(first: true, last: $n, filter: { search: 5, ids: [true, "x"], sarch: 1 }, orderBy: { field: NAME }) { totalCount } }',
      { n: "x" },
    );
    expect(codesOf(answer)).toEqual(new Set(["INVALID_REQUEST"]));
    expect([answer.errors.length, answer.data]).toEqual([1, undefined]);
    expect(pathsOf(answer)).toEqual([
      "filter.ids.0",
      "filter.ids.1",
      "filter.sarch",
      "filter.search",
      "first",
      "last",
      "orderBy.field",
    ]);
  });

  it("of literals have the same paths in a document that is invalid in other ways", async () => {
    const answer = await post(
      "{ ipPolicies(first: true, filter: { search: 5, ids: [true], sarch: 1 }, frist: 1) { totalCount } ipPolicy { id } }",
    );
    expect(codesOf(answer)).toEqual(new Set(["GRAPHQL_VALIDATION_FAILED"]));
    expect(pathsOf(answer)).toEqual([
      "filter.ids.0",
      "filter.sarch",
      "filter.search",
      "first",
      "frist",
      "id",
    ]);
  });

  it("of more literals than the errors of a document are all told, unless it is invalid in other ways", async () => {
    const lists = Array.from({ length: 30 }, (_, i) => `a${i}: ipPolicy(id: true) { id }`);
    const half = lists.slice(0, 19).join(" ");
    const ids = Array.from({ length: 30 }, () => "true").join(", ");
    const alone = await post(`{ ${half} nodes(ids: [${ids}]) { id } }`);
    expect([codesOf(alone), issuesOf(alone).length]).toEqual([new Set(["INVALID_REQUEST"]), 49]);
    const other = await post(`{ ${half} nodes(ids: [${ids}]) { id nothing } }`);
    expect(codesOf(other)).toEqual(new Set(["GRAPHQL_VALIDATION_FAILED"]));
  });

  it.each<[string, string, Fields, readonly string[]]>([
    [
      "in a field that is left out",
      "{ __typename a: ipPolicies(first: true) @skip(if: true) { totalCount } ipPolicies(last: true) { totalCount } }",
      {},
      ["first", "last"],
    ],
    [
      "in the condition of a field",
      "{ __typename ipPolicies(first: 500) @skip(if: 5) { totalCount } }",
      {},
      ["first", "if"],
    ],
    [
      "in a fragment",
      '{ ...F } fragment F on Query { changes(first: true, ids: ["x"]) { totalCount } }',
      {},
      ["first", "ids.0"],
    ],
    [
      "as a default that the request does not use",
      "query($n: Int = true) { ipPolicies(first: $n) { totalCount } }",
      { n: 5 },
      ["first"],
    ],
  ])("of literals %s, each time", async (_, query, variables, paths) => {
    for (let time = 0; time < 4; time++) {
      const answer = await post(query, variables);
      expect([codesOf(answer), pathsOf(answer)]).toEqual([new Set(["INVALID_REQUEST"]), paths]);
      expect(issuesOf(answer)).toHaveLength(paths.length);
    }
  });

  it("of literals in another operation of the document", async () => {
    const query = "query A { __typename } query B { ipPolicies(first: true) { totalCount } }";
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query, operationName: "A" }),
    });
    expect(response.status).toBe(200);
    expect(pathsOf((await response.json()) as Fields)).toEqual(["first"]);
  });

  it.each([
    ["query($n: Int = true) { ipPolicies(first: $n) { totalCount } }", ["first"]],
    [
      'mutation { applyBackend(key: "x", input: { staticBackend: {}, weightedBackend: {} }) { backend { id } } }',
      ["input", "input.staticBackend.address"],
    ],
    [
      "mutation { createHttpsEdgeRoute(input: {}) { httpsEdgeRoute { id } } }",
      ["input.edgeId", "input.match", "input.matchType"],
    ],
    [
      "{ httpsEdges(filter: { createdAfter: 5, search: true }) { totalCount } }",
      ["filter.createdAfter", "filter.search"],
    ],
  ])("of literals in other places: %s", async (query, paths) => {
    expect(pathsOf(await post(query))).toEqual(paths);
  });

  it.each<[string, string]>([
    ['query($id: ID = "x") { ipPolicy(id: $id) { id } }', "id"],
    ['query($id: ID = "x") { nodes(ids: [$id]) { id } }', "ids.0"],
    [
      'mutation($id: ID = "x") { createHttpsEdge(input: { mutualTls: { certificateAuthorityIds: [$id] } }) { httpsEdge { id } } }',
      "input.mutualTls.certificateAuthorityIds.0",
    ],
    ["query($id: Boolean = true) { __typename @skip(if: $id) }", "if"],
    ['subscription($id: ID = "x") { changes(ids: [$id]) { id } }', "ids.0"],
  ])("of null where a variable has a default, each time: %s", async (query, path) => {
    for (let time = 0; time < 4; time++) {
      const answer = await post(query, { id: null });
      expect([codesOf(answer), pathsOf(answer)]).toEqual([new Set(["INVALID_REQUEST"]), [path]]);
      expect(issuesOf(answer)[0]?.message).toBe("must not be null");
    }
  });
});

describe("a field with arguments", () => {
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    "getFields" in type && !isInputObjectType(type) && !type.name.startsWith("__")
      ? Object.values(type.getFields())
      : [],
  );

  it("says what checks them, unless only their types are checked", () => {
    const unchecked = fields
      .filter((field) => field.args.length > 0 && checksOf(field).length === 0)
      .flatMap(({ args }) => args.map(({ name }) => name));
    expect(new Set(unchecked)).toEqual(new Set(["id", "expectedVersion", "dryRun"]));
  });

  /** What fits a type here and there, and often does not. */
  const arbitraryOf = (type: GraphQLInputType, level = 0): fc.Arbitrary<unknown> => {
    const inner = getNullableType(type);
    const wrong = fc.oneof(
      fc.constantFrom(null, 5, 1.5, "", "x", true, [], {}, [null], [{}], { id: 5 }, "ipp_x"),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const fitting = (): fc.Arbitrary<unknown> => {
      if (isListType(inner))
        return fc.array(arbitraryOf(inner.ofType, level + 1), { maxLength: 3 });
      if (isEnumType(inner)) return fc.constantFrom(...inner.getValues().map(({ name }) => name));
      if (isScalarType(inner)) {
        return inner.name === "Boolean"
          ? fc.boolean()
          : /Int/.test(inner.name)
            ? fc.integer()
            : fc.string();
      }
      const members = Object.values(inner.getFields()).map(({ name, type }) => [
        name,
        level > 4 ? wrong : arbitraryOf(type, level + 1),
      ]);
      return fc.record(Object.fromEntries(members), { requiredKeys: [] });
    };
    return fc.oneof({ weight: 4, arbitrary: fitting() }, { weight: 1, arbitrary: wrong });
  };

  it("refuses whatever does not fit, with paths from its arguments on", {
    timeout: 120_000,
  }, async () => {
    const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.values(type?.getFields() ?? {})
        .filter(({ args }) => args.length > 0)
        .map((field) => ({ field, kind: type?.name.toLowerCase() })),
    );
    for (const { field, kind } of roots) {
      const { name, args } = field;
      const query = `${kind}(${args.map(({ name, type }) => `$_${name}: ${type}`).join(", ")}) { ${name}(${args.map(({ name }) => `${name}: $_${name}`).join(", ")}) ${name.startsWith("delete") ? "" : "{ __typename }"} }`;
      const given = fc.record(
        Object.fromEntries(args.map(({ name, type }) => [`_${name}`, arbitraryOf(type)])),
      );
      await fc.assert(
        fc.asyncProperty(given, async (variables) => {
          const answer = await post(query, variables);
          expect(codesOf(answer)).not.toContain("INTERNAL");
          const starts = issuesOf(answer)
            .map(({ path }) => path[0])
            .filter((start) => start !== undefined);
          for (const start of starts) {
            expect(args.map((argument) => argument.name)).toContain(start);
          }
        }),
        { numRuns: 8 },
      );
    }
  });
});

describe("an input with random faults", () => {
  type Fault = "type" | "rule";
  /** A value, and where it does not fit its type or its rule. */
  interface Given {
    readonly value: unknown;
    readonly faults: readonly (readonly [Fault, ...(string | number)[]])[];
  }
  const leaf = (fitting: unknown, faulty: Partial<Record<Fault, unknown>>): fc.Arbitrary<Given> => {
    const faults = Object.entries(faulty).map(
      ([fault, value]): Given => ({ value, faults: [[fault as Fault]] }),
    );
    return fc.oneof(fc.constant({ value: fitting, faults: [] }), fc.constantFrom(...faults));
  };
  const below = (name: string | number, { faults }: Given): Given["faults"] =>
    faults.map(([fault, ...path]) => [fault, name, ...path]);
  const object = (members: Record<string, fc.Arbitrary<Given>>): fc.Arbitrary<Given> =>
    fc.record(members, { requiredKeys: [] }).map((given) => {
      const entries = Object.entries(given as Record<string, Given>);
      return {
        value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
        faults: entries.flatMap(([name, member]) => below(name, member)),
      };
    });
  const list = (item: fc.Arbitrary<Given>, maxLength: number): fc.Arbitrary<Given> =>
    fc.array(item, { maxLength }).map((items) => ({
      value: items.map(({ value }) => value),
      faults: items.flatMap((item, index) => below(index, item)),
    }));

  const text = leaf("fine", { type: 5, rule: "a\0b" });
  const route = object({
    metadata: text,
    compression: object({ enabled: leaf(true, { type: "yes" }) }),
    userAgentFilter: object({ allow: list(leaf("curl", { type: { a: 1 }, rule: "(" }), 3) }),
    websocketTcpConverter: leaf({ enabled: true }, { type: "none" }),
  });
  /** Each with a match of its own, since two that are equal are a fault too. */
  const routes = fc.array(route, { maxLength: 3 }).map((items) => ({
    value: items.map(({ value }, index) => ({
      ...(value as object),
      matchType: "PATH_PREFIX",
      match: `/${index}`,
    })),
    faults: items.flatMap((item: Given, index) => below(index, item)),
  }));
  const input = object({
    description: text,
    metadata: text,
    hostports: list(leaf("fine.example:443", { type: true, rule: "a b" }), 1),
    tlsTermination: object({ minVersion: leaf(null, { type: "TLS_9" }) }),
    routes,
  });

  /** Writes a value into a document; each part for which `choose` says so is a variable. */
  const written = (
    value: unknown,
    type: GraphQLInputType,
    choose: () => boolean,
    variables: Map<string, { type: string; value: unknown }>,
  ): string => {
    const inner = getNullableType(type);
    if (choose()) {
      const name = `v${variables.size}`;
      variables.set(name, { type: String(type), value });
      return `$${name}`;
    }
    if (Array.isArray(value) && isListType(inner)) {
      const items = value.map((item) => written(item, inner.ofType, choose, variables));
      return `[${items.join(", ")}]`;
    }
    if (typeof value === "object" && value !== null && isInputObjectType(inner)) {
      const fields = inner.getFields();
      const members = Object.entries(value).flatMap(([name, member]) => {
        const field = fields[name];
        if (!field) throw new Error(`There is no field ${name}.`);
        return `${name}: ${written(member, field.type, choose, variables)}`;
      });
      return `{ ${members.join(", ")} }`;
    }
    return isEnumType(inner) && typeof value === "string" ? value : literal(value);
  };
  const literal = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, "$1:");
  const inputType = schema
    .getMutationType()
    ?.getFields()
    .createHttpsEdge?.args.find(({ name }) => name === "input")?.type;
  if (!inputType) throw new Error("The mutation has an input.");

  const sent = ({ value }: Given, choose: () => boolean): Promise<Fields> => {
    const variables = new Map<string, { type: string; value: unknown }>();
    const text = written(value, inputType, choose, variables);
    const declared = [...variables].map(([name, { type }]) => `$${name}: ${type}`).join(", ");
    return post(
      `mutation${declared && `(${declared})`} { createHttpsEdge(dryRun: true, input: ${text}) { httpsEdge { id } } }`,
      Object.fromEntries([...variables].map(([name, { value }]) => [name, value])),
    );
  };

  it("has the same paths of all faults as a variable, as a literal, and as variables within a literal", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        input,
        fc.infiniteStream(fc.integer({ min: 0, max: 3 }).map((n) => n === 0)),
        async (given, choices) => {
          const expected = given.faults.map(([, ...path]) => ["input", ...path].join(".")).sort();
          for (const choose of [() => true, () => false, () => choices.next().value === true]) {
            const answer = await sent(given, choose);
            expect(pathsOf(answer)).toEqual(expected);
            for (const { path } of issuesOf(answer)) {
              const value = path.reduce(
                (value: Fields | undefined, segment: string | number) => value?.[segment],
                { input: given.value },
              );
              expect(value).toBeDefined();
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
