import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { overview } from "./harness/counts.js";
import { everyRouteModule } from "./harness/modules.js";
import { httpsEdge, ipPolicy, routesOf, staticBackend } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput, rest, transports } from "./harness/transports.js";

// How many routes an edge may have, and what it takes to delete one that has many.

const LIMIT = 4;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ maxRoutesPerEdge: LIMIT });
});
afterAll(() => server.stop());

const matched = (match: string | number) => ({ matchType: "path_prefix", match: `/${match}` });
const routes = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => matched(from + i));

const createEdge = async (routes: Fields[]): Promise<string> => {
  const document =
    "mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) { httpsEdge { id } } }";
  const input = graphqlInput("CreateHttpsEdgeInput", { routes });
  return (await graphql(server, document, { input })).createHttpsEdge.httpsEdge.id;
};

const applyEdge = async (key: string, routes: Fields[]): Promise<Fields> => {
  const document = `mutation($key: String!, $input: ApplyHttpsEdgeInput!) {
    applyHttpsEdge(key: $key, input: $input) { httpsEdge { id routes { totalCount } } } }`;
  const input = graphqlInput("ApplyHttpsEdgeInput", { routes });
  return (await graphql(server, document, { key, input })).applyHttpsEdge.httpsEdge;
};

const countOf = (edgeId: string) => server.context.db.httpsEdgeRoute.count({ where: { edgeId } });

const tooMany = (field: string, count: number) => ({
  code: "INVALID_REQUEST",
  issues: { [field]: `would give the edge ${count} routes, and at most ${LIMIT} are allowed` },
});

/** More routes than an edge may get, as it may have them from before. */
async function addBeyondLimit(edgeId: string, count: number): Promise<void> {
  await server.context.db.$executeRaw`
    INSERT INTO https_edge_routes (id, created_at, updated_at, version, description, metadata, match_type, match, edge_id)
    SELECT 'edghtsrt_' || right(${edgeId}, 15) || lpad(n::text, 12, '0'), now(), now(), 1, '', '', 'path_prefix', '/more/' || n, ${edgeId}
    FROM generate_series(1, ${count}::integer) AS n`;
}

describe.each(transports)("an edge over $name", (transport) => {
  it("gets as many routes as allowed, and not one more", async () => {
    const edge = await createEdge(routes(LIMIT - 1));
    const driver = transport.drive(server, routesOf(edge));
    const last = await driver.create({ edgeId: edge, ...matched("last") });
    const more = { edgeId: edge, ...matched("more") };
    await expect(driver.create(more)).rejects.toMatchObject(tooMany("edgeId", LIMIT + 1));
    await driver.remove(last.id);
    await driver.create(more);
    expect(await countOf(edge)).toBe(LIMIT);
  });

  it("gets no more than allowed, however many are created at the same time", async () => {
    const { id } = await transport.drive(server, httpsEdge).create();
    const driver = transport.drive(server, routesOf(id));
    const created = await Promise.allSettled(
      routes(LIMIT + 6).map((route) => driver.create({ edgeId: id, ...route })),
    );
    expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(LIMIT);
    expect(await countOf(id)).toBe(LIMIT);
  });

  it("that has more from before keeps them, and can be changed and deleted", async () => {
    const edge = await createEdge(routes(LIMIT));
    await addBeyondLimit(edge, 3);
    const driver = transport.drive(server, routesOf(edge));
    const edges = transport.drive(server, httpsEdge);
    const [{ id = "" } = {}] = (await driver.page(1)).items;
    expect(await driver.update(id, { metadata: "changed" })).toMatchObject({ metadata: "changed" });
    await edges.update(edge, { description: "changed" });
    await driver.remove(id);
    expect(await countOf(edge)).toBe(LIMIT + 2);
    await edges.remove(edge);
    expect(await countOf(edge)).toBe(0);
  });
});

describe("several routes", () => {
  it("are refused together when they are more than allowed", async () => {
    await expect(createEdge(routes(LIMIT + 1))).rejects.toMatchObject(tooMany("routes", LIMIT + 1));
    await expect(applyEdge("new", routes(LIMIT + 1))).rejects.toMatchObject(
      tooMany("routes", LIMIT + 1),
    );
    expect((await applyEdge("new", routes(LIMIT))).routes.totalCount).toBe(LIMIT);
  });

  it("take the places of those that an apply deletes", async () => {
    await applyEdge("changing", routes(LIMIT));
    const { id, routes: desired } = await applyEdge("changing", routes(LIMIT, 2));
    expect(desired.totalCount).toBe(LIMIT);
    await expect(applyEdge("changing", routes(LIMIT + 1))).rejects.toMatchObject(
      tooMany("routes", LIMIT + 1),
    );
    await addBeyondLimit(id, 2);
    const kept = [...routes(LIMIT, 2), matched("more/1"), matched("more/2")];
    expect((await applyEdge("changing", kept)).routes.totalCount).toBe(LIMIT + 2);
  });
});

describe("a route that is deleted with its edge", () => {
  it("shows in the log what it was, and of its modules only whether they were enabled", async () => {
    const backend = (await transports[0]?.drive(server, staticBackend).create({ address: "a:1" }))
      ?.id;
    const policy = (await transports[0]?.drive(server, ipPolicy).create())?.id;
    const { saml: _, ...modules } = everyRouteModule(backend, policy);
    const edge = await createEdge([
      { ...matched("all"), description: "d", metadata: "m", ...modules },
      matched("none"),
    ]);
    const open = vi.spyOn(server.context.keyring, "open");
    await rest(server, "DELETE", `/edges/https/${edge}`);
    expect(open).not.toHaveBeenCalled();
    open.mockRestore();
    const { changes } = await graphql(
      server,
      `{ changes(last: 3) { nodes { action resourceId differences { path before after } } } }`,
    );
    const [all, none, last] = changes.nodes.map(({ action, differences }: Fields) => ({
      action,
      ...Object.fromEntries(
        differences.map(({ path, before, after }: Fields) => [path.join("."), [before, after]]),
      ),
    }));
    const enabled = Object.entries(modules)
      .filter(([name]) => name !== "backend" && name !== "ipRestriction")
      .map(([name, module]) => [`${name}.enabled`, [(module as Fields).enabled ?? true, null]]);
    expect(enabled.length).toBe(10);
    expect(all).toEqual({
      action: "DELETED",
      description: ["d", null],
      metadata: ["m", null],
      edgeId: [edge, null],
      matchType: ["PATH_PREFIX", null],
      match: ["/all", null],
      "backend.enabled": [modules.backend.enabled ?? true, null],
      "backend.backendId": [backend, null],
      "ipRestriction.enabled": [modules.ipRestriction.enabled ?? true, null],
      "ipRestriction.ipPolicyIds": [[policy], null],
      ...Object.fromEntries(enabled),
    });
    expect(none).toEqual({
      action: "DELETED",
      edgeId: [edge, null],
      matchType: ["PATH_PREFIX", null],
      match: ["/none", null],
    });
    expect(last).toEqual({ action: "DELETED" });
  });

  it("is counted no more, also when its documents are of another shape", async () => {
    const edge = await createEdge([
      { ...matched("a"), compression: { enabled: false } },
      { ...matched("b"), circuitBreaker: {}, compression: {} },
    ]);
    const before = await overview(server);
    await server.context.db.$executeRaw`
      UPDATE https_edge_routes SET circuit_breaker = '{"enabled": true, "unknown": "shape"}'
      WHERE edge_id = ${edge} AND circuit_breaker IS NOT NULL`;
    expect((await rest(server, "DELETE", `/edges/https/${edge}`)).status).toBe(204);
    const after = await overview(server);
    const lost = (name: string) => (before[name] ?? 0) - (after[name] ?? 0);
    expect(lost("HTTPS_EDGE")).toBe(1);
    expect(lost("HTTPS_EDGE_ROUTE")).toBe(2);
    expect(lost("HTTPS_EDGE_ROUTE COMPRESSION enabled")).toBe(1);
    expect(lost("HTTPS_EDGE_ROUTE COMPRESSION disabled")).toBe(1);
    expect(lost("HTTPS_EDGE_ROUTE CIRCUIT_BREAKER enabled")).toBe(1);
  });

  it("goes with thousands of others in one request", async () => {
    const edge = await createEdge([{ ...matched("a"), compression: {} }]);
    await addBeyondLimit(edge, 2_500);
    expect((await rest(server, "DELETE", `/edges/https/${edge}`)).status).toBe(204);
    expect(await countOf(edge)).toBe(0);
    const gone = await server.context.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM changes, json_array_elements(differences) AS difference
      WHERE action = 'deleted' AND difference ->> 'before' = ${edge}`;
    expect(gone).toEqual([{ count: 2_501 }]);
  });
});
