import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { FIELDS } from "../src/domain/reads/tables.js";
import { type Query, startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// A plan is made once for what an operation asks, and serves nothing else.

let server: TestServer;
let edges: string[];
beforeAll(async () => {
  server = await startServer({ connections: 1, graphql: { maxBatch: 4 } });
  edges = [];
  for (const description of ["a", "b", "c"]) {
    const { body } = await rest(server, "POST", "/edges/https", {
      description,
      hostports: [`${description}.example.com:443`],
    });
    edges.push(body.id);
    for (const match of ["/1", "/2"]) {
      await rest(server, "POST", `/edges/https/${body.id}/routes`, {
        match_type: "exact_path",
        match: match + description,
        ...(match === "/1" && { compression: {} }),
        webhook_verification: { provider: "github", secret: "hush" },
      });
    }
  }
});
afterAll(() => server.stop());

/** Whoever makes a statement with the hostports of edges asks this for the SQL. */
const makesSql = vi.spyOn(FIELDS.https_edges.hostports, "text");
beforeEach(() => {
  makesSql.mockClear();
});

/** How many statements are made for what `action` asks. */
async function made(action: () => Promise<unknown>): Promise<number> {
  const before = makesSql.mock.calls.length;
  await action();
  return makesSql.mock.calls.length - before;
}

async function post(body: unknown, key = server.writeKey) {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Fields;
}

const PAGE = `query Page($first: Int, $after: String, $id: ID!, $nested: Int, $full: Boolean = false, $filter: HttpsEdgeRouteFilter) {
  httpsEdges(first: $first, after: $after) { nodes { hostports
    routes(first: $nested, filter: $filter) { nodes { match description @include(if: $full) } } } }
  httpsEdge(id: $id) { description } }`;

const ask = (variables: Fields) => graphql(server, PAGE, { id: edges[0], ...variables });

describe("a plan", () => {
  it("is made once for all ids, and its statement is kept by the database when it comes again", async () => {
    expect(await made(() => ask({ first: 2, nested: 1 }))).toBe(1);
    const sent: Query[] = [];
    for (const id of [1, 2, 0, 1]) {
      const more = await made(async () => {
        const variables = { first: 2, nested: 1, id: edges[id] };
        sent.push(...(await server.queries(() => ask(variables))));
      });
      expect(more).toBe(0);
    }
    const reading = sent.filter(({ text }) => text.includes("https_edges"));
    expect(reading).toHaveLength(8);
    const kept = reading.slice(-4).map(({ name }) => name);
    expect(new Set(kept).size).toBe(2);
    expect(kept).not.toContain("");
  });

  it("is another for each size of a page", async () => {
    const counts = [];
    for (const sizes of [
      { first: 1, nested: 2 },
      { first: 3, nested: 2 },
    ]) {
      for (let time = 0; time < 2; time++) counts.push(await made(() => ask(sizes)));
    }
    expect(counts).toEqual([1, 0, 1, 0]);
    const { httpsEdges } = await ask({ first: 1, nested: 2 });
    expect(httpsEdges.nodes).toMatchObject([
      { routes: { nodes: [{ match: "/2c" }, { match: "/1c" }] } },
    ]);
  });

  it("is another where a page begins elsewhere, and where a condition does not hold", async () => {
    const variants = [{}, { after: edges[2] }, { full: true }, { after: null }];
    const counts = [];
    for (const variables of [...variants, ...variants]) {
      counts.push(await made(() => ask({ first: 1, nested: 1, ...variables })));
    }
    // Null is as if nothing was given.
    expect(counts).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    const { httpsEdges } = await ask({ first: 1, after: edges[2], full: true });
    expect(httpsEdges.nodes[0]).toMatchObject({
      hostports: ["b.example.com:443"],
      routes: { nodes: [{ match: "/2b", description: "" }, { match: "/1b" }] },
    });
  });

  it("is another for each value of a filter", async () => {
    const matches = async (filter: Fields | null) =>
      (await ask({ first: 1, filter })).httpsEdges.nodes[0].routes.nodes.map(
        ({ match }: Fields) => match,
      );
    const found = [];
    for (const matchPrefix of ["/1", "/2", "/1", "/none", "/2"]) {
      found.push(await matches({ matchPrefix }));
    }
    expect(found).toEqual([["/1c"], ["/2c"], ["/1c"], [], ["/2c"]]);
    expect(await matches({ module: { kind: "COMPRESSION" } })).toEqual(["/1c"]);
    expect(await matches(null)).toEqual(["/2c", "/1c"]);
    expect(await made(() => matches({ matchPrefix: "/2" }))).toBe(0);
  });

  it("is of one operation of a document, and of one of its fields", async () => {
    const query = `query A { x: httpsEdges(first: 1) { nodes { ...Edge } } y: httpsEdges(last: 1) { nodes { id } } }
      query B { x: httpsEdges(first: 2) { totalCount nodes { ...Edge } } y: httpsEdge(id: "${edges[1]}") { ...Edge } }
      fragment Edge on HttpsEdge { hostports }`;
    const of = (name: string) => ({ hostports: [`${name}.example.com:443`] });
    for (let time = 0; time < 4; time++) {
      expect((await post({ query, operationName: "A" })).data).toEqual({
        x: { nodes: [of("c")] },
        y: { nodes: [{ id: edges[0] }] },
      });
      expect((await post({ query, operationName: "B" })).data).toEqual({
        x: { totalCount: 3, nodes: [of("c"), of("b")] },
        y: of("b"),
      });
    }
  });

  it("serves no key with other rights", async () => {
    const query =
      "{ httpsEdgeRoutes(first: 1) { nodes { webhookVerification { secret } edge { hostports } } } }";
    const secrets = [];
    for (const key of ["writeKey", "readKey", "writeKey", "readKey", "readKey"] as const) {
      const { httpsEdgeRoutes } = await graphql(server, query, {}, server[key]);
      secrets.push(httpsEdgeRoutes.nodes[0].webhookVerification.secret);
    }
    expect(secrets).toEqual(["hush", "", "hush", "", ""]);
  });

  it("has no time in it: what has expired is asked of the clock each time", async () => {
    const until = "2999-01-01T00:00:00Z";
    for (const list of ["sshUserCertificates", "sshHostCertificates", "certificateAuthorities"]) {
      const query = `{ ${list}(filter: { expiringBefore: "${until}" }) { totalCount nodes { id } } }`;
      const times = [];
      for (let time = 0; time < 4; time++) {
        const before = Date.now();
        const [, sent] = await server.queries(() => graphql(server, query));
        const asked = sent?.values.filter((value) => value instanceof Date) ?? [];
        expect(asked.length).toBeGreaterThan(0);
        times.push(...asked.filter((value) => value.getTime() < Date.parse(until)));
        for (const value of asked) expect(value.getTime()).toBeGreaterThanOrEqual(before);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(new Set(times.map(Number)).size).toBeGreaterThan(1);
    }
  });
});

describe("one document in a batch", () => {
  it("is answered for each of its variables, with what is loaded later too", async () => {
    const query = `query($ids: [ID!]!, $first: Int) { nodes(ids: $ids) { id
      ... on HttpsEdge { hostports routes(first: $first) { nodes { match } } } } }`;
    const batch = [
      { query, variables: { ids: [edges[0]], first: 1 } },
      { query, variables: { ids: [edges[0]], first: 2 } },
      { query, variables: { ids: [edges[1], edges[0]], first: 1 } },
    ];
    for (let time = 0; time < 4; time++) {
      const answers = await post(batch);
      const matches = answers.map(({ data }: Fields) =>
        data.nodes.map(({ routes }: Fields) => routes.nodes.map(({ match }: Fields) => match)),
      );
      expect(matches).toEqual([[["/2a"]], [["/2a", "/1a"]], [["/2b"], ["/2a"]]]);
    }
  });
});
