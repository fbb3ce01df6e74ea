import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem } from "./harness/certificates.js";
import { everyRouteModule } from "./harness/modules.js";
import { startServer, type TestServer } from "./harness/server.js";
import { graphql, rest } from "./harness/transports.js";

// The number of SQL statements of a request depends on its shape, never on how many rows it meets.

let server: TestServer;
beforeAll(async () => {
  // The shapes here ask for whole pages at every level.
  server = await startServer({ connections: 1, graphql: { maxCost: 1_000_000 } });
  for (let i = 0; i < 6; i++) await makeEdge(i + 1);
});
afterAll(() => server.stop());

async function create(path: string, body: object): Promise<string> {
  const answer = await rest(server, "POST", path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

/** An edge with `routes` routes, each with a failover of its own, and everything that those refer to. */
async function makeEdge(routes: number): Promise<void> {
  const ca = await create("/certificate_authorities", { ca_pem: await authorityPem() });
  const edge = await create("/edges/https", { mutual_tls: { certificate_authority_ids: [ca] } });
  for (let i = 0; i < routes; i++) {
    const leaf = await create("/backends/http_response", {});
    const weighted = await create("/backends/weighted", { backends: { [leaf]: i } });
    const failover = await create("/backends/failover", { backends: [weighted, leaf] });
    const policy = await create("/ip_policies", {});
    await create("/ip_policy_rules", {
      ip_policy_id: policy,
      cidr: "10.0.0.0/8",
      action: "allow",
    });
    const modules = everyRouteModule(failover, policy);
    await create(`/edges/https/${edge}/routes`, {
      match_type: "path_prefix",
      match: `/${i}`,
      backend: { backend_id: modules.backend.backendId },
      ip_restriction: { ip_policy_ids: [policy] },
      compression: {},
    });
  }
  await create("/edges/tls", {
    backend: { backend_id: await create("/backends/static", { address: "a.internal:1" }) },
    mutual_tls: { certificate_authority_ids: [ca] },
  });
}

const forward = `query($first: Int!) { httpsEdges(first: $first) { totalCount nodes {
  id mutualTls { certificateAuthorities { id subjectCommonName } }
  routes(first: 100) { totalCount nodes { match edge { id }
    ipRestriction { ipPolicies { id rules { totalCount nodes { cidr ipPolicy { id } } } } }
    backend { backend { id ... on FailoverBackend { backends { id
      ... on WeightedBackend { backends { weight backend { id } } } } } } } } } } } }`;

const backward = `query($first: Int!) { httpResponseBackends(first: $first) { nodes { id
  parents { totalCount nodes { id parents { nodes { id
    httpsEdgeRoutes { totalCount nodes { id edge { id hostports } } } } } } }
  tlsEdges { nodes { id } } } }
  certificateAuthorities(first: $first) { nodes { id
    httpsEdges { totalCount nodes { id } } tlsEdges { totalCount nodes { id } } } }
  ipPolicies(first: $first) { nodes { httpsEdgeRoutes { nodes { id } } tlsEdges { nodes { id } }
    tcpEdges { nodes { id backend { backend { id } } } } } } }`;

const filtered = `query($first: Int!) {
  httpsEdges(first: $first, filter: { module: { kind: COMPRESSION } }, orderBy: { field: DESCRIPTION }) {
    totalCount nodes { id
      routes(first: 100, filter: { matchPrefix: "/" }, orderBy: { direction: ASC }) { totalCount nodes { match } } } }
  staticBackends(first: $first, filter: { unused: false }) { totalCount nodes { id
    tlsEdges(filter: { createdBefore: "9999-01-01T00:00:00Z" }) { totalCount nodes { id } } } }
  ipPolicies(first: $first, filter: { unused: false }) { totalCount nodes { id
    rules(filter: { action: ALLOW }) { totalCount nodes { id } } } } }`;

const twice = `query($first: Int!) { httpsEdges(first: $first) { nodes { id
  routes(first: 1) { nodes { id } } last: routes(last: 1) { nodes { match } pageInfo { hasPreviousPage } }
  again: routes(first: 1) { totalCount }
  compressed: routes(filter: { module: { kind: COMPRESSION } }) { edges { cursor } } } } }`;

const fragments = `query($first: Int!, $no: Boolean = false) {
  backends(first: $first) { ...Page nodes { ... on Node { version } ... on FailoverBackend { backends { ...Any } } } }
  parents: weightedBackends(first: $first) { nodes { ...Any backends { backend { ...Any } } } } }
  fragment Page on BackendConnection { nodes { ...Any ... @include(if: $no) { usedBy { totalCount } } } }
  fragment Any on Backend { __typename id ... on StaticBackend { address tls { enabled } } parents(first: 1) { nodes { id } } }`;

const modules = `query($first: Int!) {
  tlsEdges(first: $first) { nodes { backend { enabled backend { id } } ipRestriction { enabled ipPolicies { id } }
    mutualTls { certificateAuthorities { id } } tlsTermination { enabled } trafficPolicy { value } } }
  httpsEdgeRoutes(first: $first) { nodes { edge { mutualTls { enabled certificateAuthorities { notAfter } } }
    ipRestriction { ipPolicies { rules { nodes { cidr } } } } compression { enabled }
    oauth { provider { github { clientSecret } } } saml { entityId } } } }`;

describe("statements of a request", () => {
  it.each([
    ["lists with filters and orders, and lists like them below", filtered, 3],
    ["edges nested down to the children of their backends", forward, 1],
    ["backends, authorities and policies back to those who use them", backward, 3],
    ["the same list twice, with other arguments and with the same", twice, 1],
    ["what is selected of interfaces, in fragments and by conditions", fragments, 2],
    ["modules, and what they refer to", modules, 2],
  ])("are the key and one for each field at the root: %s", async (_, query, roots) => {
    const count = async (first: number) =>
      (await server.statements(() => graphql(server, query, { first }))).length;
    const some = [await count(1), await count(2), await count(6), await count(6)];
    // From the third time on it is executed as compiled code.
    expect(some).toEqual(some.map(() => 1 + roots));
  });

  it("do not grow with the rows: REST lists", async () => {
    const count = async (limit: number) =>
      (await server.statements(() => rest(server, "GET", `/edges/https?limit=${limit}`))).length;
    // The key; the edges with their routes.
    expect([await count(1), await count(6)]).toEqual([2, 2]);
  });

  it("are one more for what the result of a mutation refers to", async () => {
    const edge = await create("/edges/https", {});
    const update = (selection: string) =>
      server.statements(() =>
        graphql(
          server,
          `mutation { updateHttpsEdge(id: "${edge}", input: { metadata: "${selection.length}" }) { httpsEdge ${selection} } }`,
        ),
      );
    const alone = await update("{ id hostports }");
    const nested = await update(
      "{ id routes(first: 100) { totalCount nodes { match backend { backend { id parents { nodes { id } } } } } } }",
    );
    expect(nested).toHaveLength(alone.length + 1);
  });

  it("are two for usage: the page and the users on it, whatever is selected of them", async () => {
    const query = `query($first: Int!) { httpResponseBackends(first: $first) { nodes { id
      usedBy(first: 3) { nodes { user { id ... on HttpsEdgeRoute { match edge { id } } } } } } } }`;
    const count = async (first: number) =>
      (await server.statements(() => graphql(server, query, { first }))).length;
    // The key, the backends.
    expect([await count(1), await count(2), await count(6)]).toEqual([4, 4, 4]);
  });

  it("count nothing that is not asked for", async () => {
    const query = "{ httpsEdges { nodes { id } pageInfo { endCursor } } }";
    const [, edges, ...others] = await server.statements(() => graphql(server, query));
    expect(others).toEqual([]);
    expect(edges).not.toContain("count(");
  });
});
