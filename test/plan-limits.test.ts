import { Kind, parse } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schema } from "../src/schema/index.js";
import { fragmentsOf } from "../src/schema/reads/fragments.js";
import { selectRows } from "../src/schema/reads/selections.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What is at the edge of what one statement brings, and what does not fit.

let server: TestServer;
let edge: string;
let routes: string[];
let backends: { readonly leaf: string; readonly weighted: string; readonly failover: string };
beforeAll(async () => {
  server = await startServer({
    bootstrapKey: "bootstrap-key-of-the-operator",
    graphql: { maxCost: 1e9, maxDepth: 200, maxAliases: 1_000, maxRootFields: 100 },
  });
  const leaf = await create("/backends/static", { address: "a.internal:1" });
  const weighted = await create("/backends/weighted", { backends: { [leaf]: 1 } });
  const failover = await create("/backends/failover", { backends: [weighted, leaf] });
  backends = { leaf, weighted, failover };
  edge = await create("/edges/https", { description: "the edge" });
  routes = [];
  for (let i = 0; i < 3; i++) {
    const matched = { match_type: "exact_path", match: `/${i}` };
    const backend = { backend_id: i === 0 ? failover : leaf };
    routes.unshift(await create(`/edges/https/${edge}/routes`, { ...matched, backend }));
  }
});
afterAll(() => server.stop());

async function create(path: string, body: object, key = server.writeKey): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await rest(server, "POST", path, body, headers);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

/** The whole answer, with its errors as codes by their paths. */
async function answer(query: string, variables: Fields = {}) {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors = [] } = (await response.json()) as Fields;
  const codes = errors.map(({ path, extensions }: Fields) => [path.join("."), extensions.code]);
  return { data, errors: Object.fromEntries(codes) };
}

/** Twice interpreted, and twice as compiled code. */
async function fourTimes(query: string, variables: Fields = {}): Promise<Fields[]> {
  const answers = [];
  for (let time = 0; time < 4; time++) answers.push(await graphql(server, query, variables));
  return answers;
}

describe("a selection is answered", () => {
  it("with more lists than one statement takes", async () => {
    const sizes = Array.from({ length: 70 }, (_, index) => index + 1);
    const lists = sizes.map(
      (size) => `l${size}: routes(first: ${size}) { nodes { id edge { id } } }`,
    );
    const nodes = (size: number) => routes.slice(0, size).map((id) => ({ id, edge: { id: edge } }));
    const expected = Object.fromEntries(sizes.map((size) => [`l${size}`, { nodes: nodes(size) }]));
    for (const data of await fourTimes(`{ httpsEdge(id: "${edge}") { ${lists.join(" ")} } }`)) {
      expect(data.httpsEdge).toEqual(expected);
    }
  });

  it("when it goes deeper than one statement does", async () => {
    const levels = 40;
    const deep = `${"routes(first: 1) { nodes { edge { ".repeat(levels)} id ${"} } }".repeat(levels)}`;
    for (const data of await fourTimes(`{ httpsEdge(id: "${edge}") { ${deep} } }`)) {
      let below = data.httpsEdge;
      for (let level = 0; level < levels; level++) below = below.routes.nodes[0].edge;
      expect(below).toEqual({ id: edge });
    }
  });

  it("when each of its fragments has the one before it again and again", async () => {
    const [operation, ...fragments] = doublingFragments(10);
    for (const { httpsEdge } of await fourTimes([operation, ...fragments].join("\n"))) {
      const [route] = httpsEdge.routes.nodes;
      expect(httpsEdge.id).toBe(edge);
      expect(route.edge).toMatchObject({ id: edge, description: "the edge" });
      expect(route.backend).toEqual({ enabled: true, backend: { id: backends.leaf } });
    }
  });

  it("when interfaces stand in interfaces", async () => {
    const levels = 12;
    const kinds = ["FailoverBackend", "StaticBackend", "WeightedBackend"];
    const names = kinds.map((kind) => `... on ${kind} { ${kind}: id }`).join(" ");
    const deep = `${`${names} httpsEdgeRoutes(first: 1) { nodes { backend { backend { `.repeat(levels)} __typename ${"} } } }".repeat(levels)}`;
    for (const { node } of await fourTimes(
      `{ node(id: "${backends.leaf}") { ... on Backend { ${deep} } } }`,
    )) {
      let below = node;
      for (let level = 0; level < levels; level++) {
        expect(below.StaticBackend).toBe(backends.leaf);
        below = below.httpsEdgeRoutes.nodes[0].backend.backend;
      }
      expect(below).toEqual({ __typename: "StaticBackend" });
    }
  });

  it("of nodes of mixed kinds, some of which are not there", async () => {
    const [route] = routes;
    const missing = `${edge.slice(0, -4)}0000`;
    const ids = [route, edge, missing, backends.failover, "nothing", edge, backends.leaf];
    const query = `query($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) { ...Any } node(id: $id) { ...Any } }
      fragment Any on Node { __typename ... on HttpsEdge { routes(last: 1) { nodes { match } } }
        ... on HttpsEdgeRoute { edge { description } }
        ... on FailoverBackend { backends { ... on WeightedBackend { backends { backend { id } } } } }
        ... on Backend { parents { totalCount } } }`;
    const shownEdge = { __typename: "HttpsEdge", routes: { nodes: [{ match: "/0" }] } };
    const failover = {
      __typename: "FailoverBackend",
      backends: [{ backends: [{ backend: { id: backends.leaf } }] }, {}],
      parents: { totalCount: 0 },
    };
    for (const { nodes, node } of await fourTimes(query, { ids, id: backends.failover })) {
      expect(nodes).toEqual([
        { __typename: "HttpsEdgeRoute", edge: { description: "the edge" } },
        shownEdge,
        null,
        failover,
        null,
        shownEdge,
        { __typename: "StaticBackend", parents: { totalCount: 2 } },
      ]);
      expect(node).toEqual(failover);
    }
  });

  it("where what it leads to is null", async () => {
    await create("/reserved_addrs", {});
    await create("/ip_policies", {}, "bootstrap-key-of-the-operator");
    await create(`/edges/https/${edge}/routes`, { match_type: "exact_path", match: "/bare" });
    const query = `{ reservedAddrs { nodes { endpointConfiguration { id } } }
      changes(first: 2, types: [IP_POLICY]) { nodes { actor { id } resource { ... on IpPolicy { rules { totalCount } } } } }
      httpsEdge(id: "${edge}") { mutualTls { certificateAuthorities { id } }
        routes(first: 1) { nodes { backend { backend { id } } oauth { provider { github { scopes } } } } } } }`;
    for (const { httpsEdge, reservedAddrs, changes } of await fourTimes(query)) {
      expect(reservedAddrs.nodes).toEqual([{ endpointConfiguration: null }]);
      expect(changes.nodes).toEqual([{ actor: null, resource: { rules: { totalCount: 0 } } }]);
      expect(httpsEdge).toEqual({
        mutualTls: null,
        routes: { nodes: [{ backend: null, oauth: null }] },
      });
    }
  });
});

/** A query, and fragments each of which leads to the one before it eight times. */
function doublingFragments(levels: number): string[] {
  const fragments = Array.from({ length: levels }, (_, level) => {
    const below = level === 0 ? "id" : `...F${level - 1}`;
    const nodes = `nodes { edge { ${below} } edge { ${below} description } backend { enabled backend { id } } }`;
    return `fragment F${level} on HttpsEdge { id routes(first: 1) { ${nodes} } routes(first: 1) { ${nodes} } }`;
  });
  return [`{ httpsEdge(id: "${edge}") { ...F${levels - 1} } }`, ...fragments];
}

describe("a selection is planned", () => {
  it("in as many steps as its document is long, however often its fragments are spread", () => {
    // Far more than any limit of requests lets through: looked into one by one this would never end.
    const levels = 40;
    const document = parse(doublingFragments(levels).join("\n"));
    const [root] = document.definitions.flatMap((each) =>
      each.kind === Kind.OPERATION_DEFINITION ? each.selectionSet.selections : [],
    );
    if (root?.kind !== Kind.FIELD) throw new Error("The operation has a field.");
    const operation = { schema, fragments: fragmentsOf(document), variables: {} };
    const { read, isWhole, pages } = selectRows(operation, "https_edges", ["httpsEdge"], [root]);
    expect(isWhole).toBe(true);
    expect(read.pages).toHaveLength(1);
    // As many as one statement takes: of each level a list, an edge and a backend.
    expect(pages.length).toBeLessThan(levels);
    expect(pages.length).toBeGreaterThan(10);
  });
});

describe("arguments that do not fit", () => {
  it("are refused where they stand, and the other fields of the root are answered", async () => {
    const query = `query($first: Int) { good: httpsEdge(id: "${edge}") { routes(last: 1) { nodes { match } } }
      bad: httpsEdge(id: "${edge}") { good: routes(last: 1) { totalCount } routes(first: $first) { totalCount } }
      worse: httpsEdge(id: "${edge}") { routes(filter: { match: "" }, orderBy: { field: DESCRIPTION }, after: "${edge}") { totalCount } } }`;
    const good = { routes: { nodes: [{ match: "/0" }] } };
    for (const first of [1, 101, 2, 101, 101, 3]) {
      const { data, errors } = await answer(query, { first });
      expect(data.good).toEqual(good);
      expect(data.worse).toBeNull();
      const isFit = first <= 100;
      expect(data.bad === null).toBe(!isFit);
      expect(errors).toEqual({
        "worse.routes": "INVALID_REQUEST",
        ...(!isFit && { "bad.routes": "INVALID_REQUEST" }),
      });
    }
  });

  it("do not make a plan that others get", async () => {
    const query = `query($filter: HttpsEdgeRouteFilter, $after: String) { httpsEdge(id: "${edge}") {
      routes(first: 1, filter: $filter, after: $after) { nodes { match } } } }`;
    const wrong = { "httpsEdge.routes": "INVALID_REQUEST" };
    for (let time = 0; time < 3; time++) {
      expect((await answer(query, { filter: { matchPrefix: "\u0000" } })).errors).toEqual(wrong);
      expect((await answer(query, { after: edge })).errors).toEqual(wrong);
      const { data, errors } = await answer(query, {
        after: routes[1],
        filter: { matchPrefix: "/" },
      });
      expect({ data, errors }).toEqual({
        data: { httpsEdge: { routes: { nodes: [{ match: "/0" }] } } },
        errors: {},
      });
    }
  });
});
