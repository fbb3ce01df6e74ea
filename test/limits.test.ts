import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schema } from "../src/schema/index.js";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

async function send(server: TestServer, body: unknown): Promise<Fields> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Fields;
}

/** The default. */
const LIMIT = 300_000;

const code = ({ errors }: Fields) => errors?.[0].extensions.code;

describe("the cost of an operation", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const cost = async (query: string, variables: Fields = {}) =>
    (await send(server, { query, variables })).extensions.cost.requested;

  it.each([
    ["of no resource", "{ __typename }", 0],
    ["of one resource", '{ ipPolicy(id: "ipp_x") { id description } }', 1],
    ["of a page: itself and its items", "{ ipPolicies(first: 7) { nodes { id __typename } } }", 8],
    ["of edges as of nodes", "{ ipPolicies(first: 7) { edges { cursor node { id } } } }", 8],
    ["of a page of the default size", "{ ipPolicies { nodes { id } } }", 21],
    ["of a page from the end", "{ ipPolicies(last: 3) { nodes { id } } }", 4],
    [
      "of a count, and not of the page's place",
      "{ ipPolicies { totalCount pageInfo { endCursor } } }",
      2,
    ],
    [
      "of pages in pages",
      "{ ipPolicies(first: 3) { nodes { rules(first: 4) { nodes { id } } } } }",
      19,
    ],
    ["of a page below zero, as of one", "{ ipPolicies(first: -100) { nodes { id } } }", 2],
    [
      "of a list without pages, as of a tenth of what it can hold",
      '{ node(id: "bkdfo_x") { ... on FailoverBackend { backends { id } } } }',
      6,
    ],
    [
      "of lists without pages in each other",
      '{ node(id: "bkdfo_x") { ... on FailoverBackend { backends { id ... on WeightedBackend { backends { weight backend { id } } } } } } }',
      31,
    ],
    [
      "of IP policies and certificate authorities",
      '{ httpsEdge(id: "edghts_x") { mutualTls { certificateAuthorities { id } } } httpsEdgeRoute(id: "edghtsrt_x") { ipRestriction { ipPolicies { id } } } }',
      13,
    ],
    ["of ids", '{ nodes(ids: ["a", "b", "c"]) { id } }', 30],
    ["of a filter", '{ ipPolicies(first: 7, filter: { search: "abc" }) { totalCount } }', 7],
    ["of no filter", "{ ipPolicies(first: 7, filter: null) { totalCount } }", 2],
    [
      "of who uses a resource",
      '{ ipPolicy(id: "ipp_x") { usedBy(first: 3) { nodes { enabled } } } }',
      21,
    ],
    ["of changes", "{ changes(first: 2) { nodes { id } edges { node { id } } } }", 301],
    [
      "of secrets, which are opened",
      '{ httpsEdgeRoute(id: "edghtsrt_x") { webhookVerification { provider secret } } }',
      2,
    ],
    ["of the schema", "{ __schema { types { name fields { name } } } }", 900],
    [
      "of modules, which are part of their resource",
      '{ httpsEdgeRoute(id: "edghtsrt_x") { oauth { enabled } compression { enabled } } }',
      1,
    ],
    [
      "of what is left out",
      "{ ipPolicies(first: 9) { nodes @skip(if: true) { id } edges @include(if: false) { cursor } } }",
      1,
    ],
    [
      "of fragments",
      "{ ipPolicies(first: 2) { ...P } } fragment P on IpPolicyConnection { nodes { ...I } } fragment I on IpPolicy { rules(first: 3) { nodes { id } } }",
      11,
    ],
    ["of a search for a route", '{ resolveRoute(url: "https://a.test/") { outcome } }', 11],
    ["of a mutation", 'mutation { deleteIpPolicy(id: "ipp_x") { changes { resourceId } } }', 11],
    [
      "of a mutation with what it returns",
      'mutation { updateIpPolicy(id: "ipp_x", input: {}) { ipPolicy { rules(first: 5) { nodes { id } } } } }',
      18,
    ],
  ])("%s", async (_, query, points) => {
    expect(await cost(query)).toBe(points);
  });

  it("reads the values and defaults of variables", async () => {
    const query = "query($n: Int = 4) { ipPolicies(first: $n) { nodes { id } } }";
    expect(await cost(query)).toBe(5);
    expect(await cost(query, { n: 50 })).toBe(51);
    expect(await cost(query, { n: null })).toBe(21);
    expect(await cost(query, { n: -50 })).toBe(2);
  });

  it("is that of the operation that is meant", async () => {
    const query = "query A { ipPolicies { totalCount } } query B { __typename }";
    const { extensions } = await send(server, { query, operationName: "B" });
    expect(extensions.cost).toEqual({ requested: 0, limit: LIMIT });
  });

  it("is looked at in each request, also when its document is known", async () => {
    const query =
      "query($n: Int) { ipPolicies(first: $n) { nodes { rules(first: $n) { nodes { ipPolicy { rules(first: $n) { nodes { id } } } } } } } }";
    expect((await send(server, { query, variables: { n: 2 } })).errors).toBeUndefined();
    const refused = await send(server, { query, variables: { n: 100 } });
    const requested = 1 + 100 * (2 + 100 * (3 + 100));
    const message = `is ${requested}, and may be at most ${LIMIT}`;
    const costing = (points: number, share: number) =>
      `costs ${points} of ${requested} points, ${share} %: the operation fits with \`$n: 65\` instead of 100`;
    const outer = costing(requested, 100);
    const middle = costing(1_030_100, 100);
    const inner = costing(1_010_000, 98);
    expect(refused).toEqual({
      errors: [
        {
          message: `\`cost\` ${message}. \`ipPolicies\` ${outer}. \`ipPolicies.rules\` ${middle}. \`ipPolicies.rules.ipPolicy.rules\` ${inner}.`,
          extensions: {
            code: "LIMIT_EXCEEDED",
            issues: [
              { path: ["cost"], message, limit: LIMIT },
              { path: ["ipPolicies"], message: outer, limit: 65 },
              { path: ["ipPolicies", "rules"], message: middle, limit: 65 },
              { path: ["ipPolicies", "rules", "ipPolicy", "rules"], message: inner, limit: 65 },
            ],
          },
        },
      ],
      extensions: { cost: { requested, limit: LIMIT } },
    });
    expect((await send(server, { query, variables: { n: 65 } })).errors).toBeUndefined();
    expect(code(await send(server, { query, variables: { n: 66 } }))).toBe("LIMIT_EXCEEDED");
  });

  it("counts together in a batch, and says that each of it fits in a request of its own", async () => {
    const query =
      "{ ipPolicies(first: 100) { nodes { rules(first: 100) { nodes { ipPolicy { rules(first: 15) { nodes { id } } } } } } } }";
    const answers = (await send(server, [{ query }, { query }, { query }])) as Fields[];
    expect(answers.map((answer) => code(answer) ?? "served")).toEqual([
      "served",
      "LIMIT_EXCEEDED",
      "LIMIT_EXCEEDED",
    ]);
    const [, { errors, extensions }] = answers as [Fields, Fields];
    const { requested, limit } = extensions.cost;
    const [exceeded, ...advice] = errors[0].extensions.issues;
    expect([exceeded.path, exceeded.limit]).toEqual([["cost"], limit]);
    expect(advice).toEqual([
      {
        path: ["cost"],
        message: `of this operation is ${requested}: it fits in a request of its own`,
      },
    ]);
    const [alone] = (await send(server, [{ query }])) as Fields[];
    expect(alone?.errors).toBeUndefined();
  });

  it("says of an operation in a batch that is too much alone which page fits in a request of its own", async () => {
    const query =
      "{ ipPolicies(first: 100) { nodes { rules(first: 100) { nodes { ipPolicy { rules(first: 60) { nodes { id } } } } } } } }";
    const small = "{ ipPolicies(first: 100) { nodes { id } } }";
    const answers = (await send(server, [{ query: small }, { query }])) as Fields[];
    const advice: Fields[] = answers[1]?.errors[0].extensions.issues;
    const outer = advice.find(({ path }) => path.join(".") === "ipPolicies");
    const sized = (size: number) => query.replace("first: 100", `first: ${size}`);
    expect((await send(server, { query: sized(outer?.limit) })).errors).toBeUndefined();
    expect(code(await send(server, { query: sized(outer?.limit + 1) }))).toBe("LIMIT_EXCEEDED");
  });
});

describe("a list without pages", () => {
  type Field = GraphQLField<unknown, unknown>;
  const fieldsOf = (type: GraphQLNamedType): Field[] =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const possible = (type: GraphQLNamedType): readonly GraphQLNamedType[] =>
    isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  /** Whether a selection of the type can cost something: it is a resource, a page of them, or leads to one. */
  const canCost = (type: GraphQLNamedType, met = new Set<GraphQLNamedType>()): boolean => {
    if (met.has(type) || isLeafType(type)) return false;
    met.add(type);
    return possible(type).some(
      (each) =>
        typeof each.extensions.cost === "number" ||
        (isObjectType(each) && each.getInterfaces().some(({ name }) => name === "Node")) ||
        fieldsOf(each).some(
          ({ name, type, extensions }) =>
            name === "totalCount" ||
            typeof extensions.cost === "number" ||
            canCost(getNamedType(type), met),
        ),
    );
  };

  it("says how many items it can hold, unless these are free", () => {
    const lists = Object.values(schema.getTypeMap())
      .filter(({ name }) => !name.startsWith("__") && !name.endsWith("Connection"))
      .flatMap((type) => fieldsOf(type).map((field) => ({ type, field })))
      .filter(({ field }) => isListType(getNullableType(field.type)))
      .filter(({ field }) => canCost(getNamedType(field.type)));
    const silent = lists.filter(({ field }) => typeof field.extensions.holds !== "number");
    // The ids of `nodes` are counted.
    expect(silent.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual(["Query.nodes"]);
    expect(lists.map(({ type, field }) => `${type.name}.${field.name}`).sort()).toEqual([
      "FailoverBackend.backends",
      "HostportConflict.edges",
      "IpRestriction.ipPolicies",
      "IpRestrictionModule.ipPolicies",
      "MutualTlsModule.certificateAuthorities",
      "Query.nodes",
      "RouteResolution.modules",
      "RouteResolution.otherEdges",
      "Usage.via",
      "WeightedBackend.backends",
    ]);
  });
});

describe("limits of the operator's own", () => {
  it.each([
    ["maxDepth", { maxDepth: 2 }, "{ ipPolicies { nodes { id } } }", "depth"],
    ["maxAliases", { maxAliases: 0 }, "{ a: __typename }", "aliases"],
    ["maxTokens", { maxTokens: 10 }, "{ ipPolicies(first: 1) { nodes { id } } }", "tokens"],
    [
      "maxRootFields",
      { maxRootFields: 1 },
      "{ __typename ipPolicies { totalCount } }",
      "rootFields",
    ],
    ["maxCost", { maxCost: 1 }, "{ ipPolicies { totalCount } }", "cost"],
    [
      "maxAnswerBytes",
      { maxAnswerBytes: 30 },
      "{ ipPolicies { totalCount pageInfo { endCursor } } }",
      "answer",
    ],
  ])("%s", async (_, graphql, query, name) => {
    const server = await startServer({ graphql });
    try {
      const refused = await send(server, { query });
      expect([code(refused), refused.errors[0].extensions.issues[0].path]).toEqual([
        "LIMIT_EXCEEDED",
        [name],
      ]);
      expect((await send(server, { query: "{ __typename }" })).data).toBeDefined();
    } finally {
      await server.stop();
    }
  });

  it("maxBatch 0 and maxBodyBytes", async () => {
    const server = await startServer({ graphql: { maxBatch: 0, maxBodyBytes: 1024 } });
    try {
      const [refused] = (await send(server, [{ query: "{ __typename }" }])) as Fields[];
      expect(code(refused ?? {})).toBe("LIMIT_EXCEEDED");
      const large = await send(server, { query: `{ __typename } #${"x".repeat(1024)}` });
      expect(large.errors[0].extensions).toMatchObject({
        code: "BODY_TOO_LARGE",
        issues: [{ path: [], limit: 1024 }],
      });
    } finally {
      await server.stop();
    }
  });
});

describe("without introspection", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ graphql: { introspection: false } });
  });
  afterAll(() => server.stop());

  it.each([
    "{ __schema { queryType { name } } }",
    '{ __type(name: "Query") { name } }',
    '{ ...F } fragment F on Query { __type(name: "Query") { name } }',
  ])("the schema is not told: %s", async (query) => {
    expect(code(await send(server, { query }))).toBe("GRAPHQL_VALIDATION_FAILED");
  });

  it.each([
    ["{ ipPolicys { totalCount } }", {}],
    ["{ ipPolicies(frist: 1) { totalCount } }", {}],
    ["mutation { createApiKey(input: { scope: WRIT }) { apiKey { id } } }", {}],
    ["mutation { createIpPolicy(input: { descriptio: 1 }) { ipPolicy { id } } }", {}],
    ["query($a: IpPolicis) { __typename }", {}],
    [
      "mutation($i: CreateApiKeyInput!) { createApiKey(input: $i) { apiKey { id } } }",
      { i: { scope: "WRIT" } },
    ],
    [
      "mutation($i: CreateIpPolicyInput!) { createIpPolicy(input: $i) { ipPolicy { id } } }",
      { i: { descriptio: 1 } },
    ],
    ['mutation { applyBackend(key: "x", input: {}) { backend { id } } }', {}],
    [
      'mutation($i: ApplyBackendInput!) { applyBackend(key: "x", input: $i) { backend { id } } }',
      { i: {} },
    ],
  ])("nothing is suggested: %s %j", async (query, variables) => {
    const text = JSON.stringify(await send(server, { query, variables }));
    expect(text).toContain("errors");
    expect(text).not.toMatch(
      /Did you mean|supported are|Fields of|Arguments of|Values of|one of|failover/,
    );
    expect(text).not.toMatch(/\bWRITE\b|\bdescription\b|\bfirst\b|\bIpPolicy\b/);
  });

  it("__typename is told, and all else works", async () => {
    expect((await send(server, { query: "{ __typename }" })).data).toEqual({ __typename: "Query" });
  });
});
