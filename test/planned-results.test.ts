import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endOfLog, openEvents } from "./harness/event-streams.js";
import { everyRouteModule } from "./harness/modules.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput } from "./harness/transports.js";

// What a mutation or a subscription leads to is read after it, and is what a query finds.

let server: TestServer;
let edge: string;
let route: string;
let leaf: string;
let failover: string;
beforeAll(async () => {
  server = await startServer({ graphql: { maxCost: 100_000 } });
  leaf = await create("StaticBackend", { address: "a.internal:1" });
  failover = await create("FailoverBackend", { backends: [leaf] });
  const policy = await create("IpPolicy", { description: "the policy" });
  await create("IpPolicyRule", { ipPolicyId: policy, cidr: "10.0.0.0/8", action: "deny" });
  edge = await create("HttpsEdge", { hostports: ["a.example.com:443"] });
  const matched = { edgeId: edge, matchType: "path_prefix", match: "/" };
  route = await create("HttpsEdgeRoute", { ...matched, ...everyRouteModule(failover, policy) });
});
afterAll(() => server.stop());

async function create(type: string, fields: Fields): Promise<string> {
  const query = `mutation($input: Create${type}Input!) { create${type}(input: $input) { changes { resourceId } } }`;
  const input = graphqlInput(`Create${type}Input`, fields);
  return (await graphql(server, query, { input }))[`create${type}`].changes.at(-1).resourceId;
}

const BACKEND = `fragment Backend on Backend { __typename id version description parents { totalCount }
    usedBy { totalCount nodes { user { id ... on HttpsEdgeRoute { match } } edge { hostports } via { id } } }
    httpsEdgeRoutes(last: 2) { nodes { id edge { version } } }
    ... on FailoverBackend { backends { id ... on StaticBackend { address tls { enabled } } } } }`;
const ROUTE = `fragment Route on HttpsEdgeRoute { id version match matchType edge { id version routes { totalCount } }
    backend { enabled backend { ...Backend } } ipRestriction { ipPolicies { description rules(filter: { action: DENY }) { nodes { cidr } } } }
    oauth { provider { github { clientSecret teams } } } compression { enabled } saml { entityId } } ${BACKEND}`;
const EDGE = `fragment Edge on HttpsEdge { id version hostports routes(first: 3) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { ...Route } } } } ${ROUTE}`;
const FRAGMENTS: Readonly<Record<string, string>> = { Edge: EDGE, Route: ROUTE, Backend: BACKEND };

const find = async (type: string, id: string): Promise<Fields> =>
  (await graphql(server, `{ node(id: "${id}") { ...${type} } } ${FRAGMENTS[type]}`)).node;

describe("the result of a mutation", () => {
  it.each<[string, string, () => string, string]>([
    ["Edge", "updateHttpsEdge", () => edge, `hostports: ["b.example.com:443"]`],
    ["Route", "updateHttpsEdgeRoute", () => route, "compression: null"],
    ["Backend", "updateFailoverBackend", () => failover, `description: "changed"`],
  ])("leads to what a query finds: %s", async (type, mutation, id, input) => {
    const query = `mutation { ${mutation}(id: "${id()}", input: { ${input} }) { result: ${mutation.charAt(6).toLowerCase()}${mutation.slice(7)} { ...${type} } } } ${FRAGMENTS[type]}`;
    const data = await graphql(server, query);
    const { result } = data[mutation];
    expect(result.version).toBeGreaterThan(1);
    expect(result).toEqual(await find(type, id()));
  });

  it("of each of several mutations is what was there after that one", async () => {
    const update = (description: string) =>
      `${description}: updateStaticBackend(id: "${leaf}", input: { description: "${description}" }) { staticBackend {
        description parents { nodes { ... on FailoverBackend { backends { description } } } } } }`;
    const data = await graphql(server, `mutation { ${update("one")} ${update("two")} }`);
    for (const description of ["one", "two"]) {
      const parents = { nodes: [{ backends: [{ description }] }] };
      expect(data[description].staticBackend).toEqual({ description, parents });
    }
  });

  it("that creates is read as a whole", async () => {
    const data = await graphql(
      server,
      `mutation { createHttpsEdge(input: { routes: [
          { matchType: EXACT_PATH, match: "/new", backend: { backend: { staticBackend: { address: "n.internal:1" } } } }] }) { httpsEdge { ...Edge } }
        applyHttpsEdge(key: "applied", input: { routes: [{ matchType: EXACT_PATH, match: "/" }] }) { httpsEdge { ...Edge } } } ${EDGE}`,
    );
    const { httpsEdge: created } = data.createHttpsEdge;
    const { httpsEdge: applied } = data.applyHttpsEdge;
    expect(created.routes.edges[0].node).toMatchObject({
      match: "/new",
      backend: { enabled: true },
    });
    expect(created).toEqual(await find("Edge", created.id));
    expect(applied).toEqual(await find("Edge", applied.id));
  });

  it("of a dry run is what is stored", async () => {
    const stored = await find("Route", route);
    const { updateHttpsEdgeRoute: answer } = await graphql(
      server,
      `mutation { updateHttpsEdgeRoute(id: "${route}", dryRun: true,
        input: { match: "/dry-run", backend: { enabled: false, backend: { id: "${leaf}" } } }) { httpsEdgeRoute { ...Route } } } ${ROUTE}`,
    );
    expect(answer.httpsEdgeRoute).toEqual(stored);
    expect(await find("Route", route)).toEqual(stored);
  });
});

describe("a change in the log", () => {
  it("leads to what a query finds, in a subscription and in a list", async () => {
    const end = await endOfLog(server);
    const query = `subscription($ids: [ID!]) { changes(ids: $ids) { id resource { ...Edge ...Route ...Backend } } } ${EDGE}`;
    const body = { query, variables: { ids: [route] } };
    const readers = await Promise.all([
      openEvents(server, server.writeKey, body, end),
      openEvents(server, server.readKey, body, end),
    ]);
    const update = `mutation { updateHttpsEdgeRoute(id: "${route}", input: { metadata: "seen" }) { httpsEdgeRoute { id } } }`;
    await graphql(server, update);
    const [seen, redacted] = await Promise.all(readers.map((reader) => reader.next()));
    for (const reader of readers) reader.close();
    const found = await find("Route", route);
    expect(found.oauth.provider.github.clientSecret).toBe("secret");
    expect(seen?.result.data.changes.resource).toEqual(found);
    const github = { ...found.oauth.provider.github, clientSecret: "" };
    expect(redacted?.result.data.changes.resource).toEqual({
      ...found,
      oauth: { provider: { github } },
    });
    const list = `{ changes(first: 1, ids: ["${route}"]) { nodes { resource { ...Edge ...Route ...Backend } } } } ${EDGE}`;
    const { changes } = await graphql(server, list);
    expect(changes.nodes).toEqual([{ resource: found }]);
  });
});
