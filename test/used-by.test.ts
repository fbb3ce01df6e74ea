import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem, serverPair } from "./harness/certificates.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// Who uses a resource, directly or through other backends.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function create(path: string, body: object = {}): Promise<string> {
  const answer = await rest(server, "POST", path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

const leaf = () => create("/backends/http_response");
const weighted = (...children: string[]) =>
  create("/backends/weighted", { backends: Object.fromEntries(children.map((id) => [id, 1])) });
const failover = (...children: string[]) => create("/backends/failover", { backends: children });
const tlsEdge = (backend: string, enabled = true) =>
  create("/edges/tls", { backend: { backend_id: backend, enabled } });
let paths = 0;
const route = (edge: string, backend: string, enabled = true) =>
  create(`/edges/https/${edge}/routes`, {
    match_type: "exact_path",
    match: `/${paths++}`,
    backend: { backend_id: backend, enabled },
  });

const USAGE = "user { __typename id } edge { id hostports } via { __typename id } module enabled";

/** All uses of a resource. */
async function usesOf(id: string, type = "Backend"): Promise<Fields[]> {
  const query = `query($id: ID!) { node(id: $id) { ... on ${type} {
    usedBy(first: 100) { totalCount nodes { ${USAGE} } } } } }`;
  const { node } = await graphql(server, query, { id });
  expect(node.usedBy.totalCount).toBe(node.usedBy.nodes.length);
  return node.usedBy.nodes;
}

describe("who uses a backend", () => {
  it("is nobody at first", async () => {
    expect(await usesOf(await leaf())).toEqual([]);
  });

  it("is told with the chain of backends between, newest user first", async () => {
    const bottom = await leaf();
    const middle = await weighted(bottom, await leaf());
    const top = await failover(middle, await leaf());
    const edge = await create("/edges/https", { hostports: ["a.example.com:443"] });
    const direct = await route(edge, bottom);
    const throughMiddle = await tlsEdge(middle, false);
    const throughTop = await route(edge, top);
    await route(edge, await leaf());

    const shownEdge = { id: edge, hostports: ["a.example.com:443"] };
    const middleNode = { __typename: "WeightedBackend", id: middle };
    const topNode = { __typename: "FailoverBackend", id: top };
    const ofBottom = [
      {
        user: { __typename: "HttpsEdgeRoute", id: throughTop },
        edge: shownEdge,
        via: [topNode, middleNode],
        module: "BACKEND",
        enabled: true,
      },
      {
        user: { __typename: "TlsEdge", id: throughMiddle },
        edge: null,
        via: [middleNode],
        module: "BACKEND",
        enabled: false,
      },
      {
        user: { __typename: "HttpsEdgeRoute", id: direct },
        edge: shownEdge,
        via: [],
        module: "BACKEND",
        enabled: true,
      },
    ];
    expect(await usesOf(bottom)).toEqual(ofBottom);
    expect((await usesOf(middle)).map(({ user, via }) => [user.id, via])).toEqual([
      [throughTop, [topNode]],
      [throughMiddle, []],
    ]);
    expect((await usesOf(top)).map(({ user, via }) => [user.id, via])).toEqual([[throughTop, []]]);
  });

  it("stands twice when it is used over two chains", async () => {
    const bottom = await leaf();
    const middle = await weighted(bottom);
    const top = await failover(middle, bottom);
    const user = await tlsEdge(top);
    const uses = await usesOf(bottom);
    expect(uses.map((use) => use.user.id)).toEqual([user, user]);
    expect(uses.map(({ via }) => via.map(({ id }: Fields) => id)).sort()).toEqual(
      [[top], [top, middle]].sort(),
    );
  });

  it("is the same as found by walking down from every user, however it is paged", async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 1, max: 5 }), async (shape, size) => {
        const { backends, expected } = await build(shape);
        for (const backend of backends) {
          const wanted = expected.get(backend) ?? [];
          const found = (await usesOf(backend)).map(({ user, via }) =>
            [user.id, ...via.map(({ id }: Fields) => id)].join(" "),
          );
          expect([...found].sort()).toEqual([...wanted].sort());
          expect(found.map(creationOf)).toEqual([...found.map(creationOf)].sort().reverse());
          expect(await paged(backend, size, "first", "after")).toEqual(found);
          expect(await paged(backend, size, "last", "before")).toEqual(found);
        }
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  it("goes on after a user that was deleted", async () => {
    const backend = await leaf();
    const users: string[] = [];
    for (let i = 0; i < 3; i++) users.unshift(await tlsEdge(backend));
    const query = `query($id: ID!, $after: String) { node(id: $id) { ... on Backend {
      usedBy(first: 1, after: $after) { edges { cursor node { user { id } } } } } } }`;
    const read = async (after?: string) =>
      (await graphql(server, query, { id: backend, after })).node.usedBy.edges[0];
    const first = await read();
    expect(first.node.user.id).toBe(users[0]);
    await rest(server, "DELETE", `/edges/tls/${users[0]}`);
    expect((await read(first.cursor)).node.user.id).toBe(users[1]);
  });

  it("refuses a cursor of something else, and says which argument has it", async () => {
    const query = `query($id: ID!) { node(id: $id) { ... on Backend {
      usedBy(after: "usage_1") { totalCount } } } }`;
    const refusal = graphql(server, query, { id: await leaf() });
    await expect(refusal).rejects.toMatchObject({ code: "INVALID_REQUEST", paths: ["after"] });
  });
});

describe("who uses other resources", () => {
  it("is told of certificate authorities", async () => {
    const ca = await create("/certificate_authorities", { ca_pem: await authorityPem() });
    const mutualTls = { certificate_authority_ids: [ca] };
    const https = await create("/edges/https", { mutual_tls: mutualTls });
    const tls = await create("/edges/tls", { mutual_tls: { ...mutualTls, enabled: false } });
    expect(await usesOf(ca, "CertificateAuthority")).toEqual([
      {
        user: { __typename: "TlsEdge", id: tls },
        edge: null,
        via: [],
        module: "MUTUAL_TLS",
        enabled: false,
      },
      {
        user: { __typename: "HttpsEdge", id: https },
        edge: null,
        via: [],
        module: "MUTUAL_TLS",
        enabled: true,
      },
    ]);
  });

  it("is told of IP policies", async () => {
    const policy = await create("/ip_policies");
    const edge = await create("/edges/https");
    const restriction = { ip_policy_ids: [policy] };
    const onRoute = await create(`/edges/https/${edge}/routes`, {
      match_type: "exact_path",
      match: "/",
      ip_restriction: { ...restriction, enabled: false },
    });
    const onTls = await create("/edges/tls", { ip_restriction: restriction });
    const onTcp = await create("/edges/tcp", { ip_restriction: restriction });
    const ofAll = await create("/ip_restrictions", { type: "endpoints", ...restriction });
    const uses = await usesOf(policy, "IpPolicy");
    expect(
      uses.map(({ user, edge, module, enabled }) => [user.id, edge?.id, module, enabled]),
    ).toEqual([
      [ofAll, undefined, null, null],
      [onTcp, undefined, "IP_RESTRICTION", true],
      [onTls, undefined, "IP_RESTRICTION", true],
      [onRoute, edge, "IP_RESTRICTION", false],
    ]);
  });

  it("is told of endpoint configurations, which no module uses", async () => {
    const configuration = await create("/endpoint_configurations", { type: "tcp" });
    const addr = await create("/reserved_addrs", { endpoint_configuration_id: configuration });
    expect(await usesOf(configuration, "EndpointConfiguration")).toEqual([
      {
        user: { __typename: "ReservedAddr", id: addr },
        edge: null,
        via: [],
        module: null,
        enabled: null,
      },
    ]);
  });
});

describe("who uses what reserved domains refer to", () => {
  it("is told of their certificates and of both of their endpoint configurations", async () => {
    const { certificatePem: certificate_pem, privateKeyPem: private_key_pem } = await serverPair();
    const certificate = await create("/tls_certificates", { certificate_pem, private_key_pem });
    const http = await create("/endpoint_configurations", { type: "http" });
    const https = await create("/endpoint_configurations", { type: "https" });
    const first = await create("/reserved_domains", {
      domain: "first.example.com",
      certificate_id: certificate,
      http_endpoint_configuration_id: http,
      https_endpoint_configuration_id: https,
    });
    const second = await create("/reserved_domains", {
      domain: "second.example.com",
      https_endpoint_configuration_id: https,
    });
    const use = (id: string) => ({
      user: { __typename: "ReservedDomain", id },
      ...{ edge: null, via: [], module: null, enabled: null },
    });
    expect(await usesOf(certificate, "TlsCertificate")).toEqual([use(first)]);
    expect(await usesOf(http, "EndpointConfiguration")).toEqual([use(first)]);
    expect(await usesOf(https, "EndpointConfiguration")).toEqual([use(second), use(first)]);
  });
});

describe("the statements for who uses many resources", () => {
  it("do not grow with the resources, nor with their uses", async () => {
    const edge = await create("/edges/https");
    for (let i = 0; i < 5; i++) {
      const bottom = await leaf();
      const top = await failover(await weighted(bottom), bottom);
      for (let j = 0; j <= i; j++) await route(edge, top);
      await tlsEdge(bottom);
      const restricted = { ip_policy_ids: [await create("/ip_policies")] };
      await create("/edges/tls", { ip_restriction: restricted });
    }
    const count = async (list: string, first: number) => {
      const query = `query($first: Int) { ${list}(first: $first) { nodes { id
        usedBy(first: 20) { totalCount nodes { ${USAGE} } } } } }`;
      return (await server.statements(() => graphql(server, query, { first }))).length;
    };
    // The key, the list, the uses, their number; the users of two kinds, the edges of routes, the backends between.
    const [few, many] = [
      await count("httpResponseBackends", 2),
      await count("httpResponseBackends", 5),
    ];
    expect([few, many]).toEqual([8, 8]);
    expect(await count("ipPolicies", 5)).toBe(await count("ipPolicies", 1));
  });
});

const text = (id: string) => id.slice(id.indexOf("_"));
const creationOf = (use: string) => text(use.split(" ")[0] ?? "");

async function paged(id: string, size: number, limit: string, from: string): Promise<string[]> {
  const query = `query($id: ID!, $size: Int, $from: String) { node(id: $id) { ... on Backend {
    usedBy(${limit}: $size, ${from}: $from) {
      nodes { user { id } via { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const answer: Fields = await graphql(server, query, { id, size, from: cursor });
    const { nodes, pageInfo } = answer.node.usedBy;
    const page = nodes.map(({ user, via }: Fields) =>
      [user.id, ...via.map((backend: Fields) => backend.id)].join(" "),
    );
    if (limit === "first") found.push(...page);
    else found.unshift(...page);
    if (limit === "first") cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    else cursor = pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
  } while (cursor !== null);
  return found;
}

/** Two leaf backends; weighted ones over those, failovers over all of these; and who uses which of them. */
const someOf = (most: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 3 });
const graph = fc.record({
  weighted: fc.array(someOf(1), { minLength: 1, maxLength: 3 }),
  failovers: fc.array(someOf(4), { maxLength: 3 }),
  users: fc.array(fc.record({ backend: fc.integer({ min: 0, max: 7 }), isRoute: fc.boolean() }), {
    maxLength: 6,
  }),
});
type Graph = typeof graph extends fc.Arbitrary<infer Shape> ? Shape : never;

/** Makes it all, and says for each backend who uses it: the user, then the backends between. */
async function build(shape: Graph) {
  const backends = [await leaf(), await leaf()];
  const childrenOf = new Map<string, string[]>();
  const make = async (pick: number[], kind: (...children: string[]) => Promise<string>) => {
    const children = [...new Set(pick.map((index) => backends[index % backends.length] ?? ""))];
    const id = await kind(...children);
    childrenOf.set(id, children);
    return id;
  };
  const overLeaves: string[] = [];
  for (const pick of shape.weighted) overLeaves.push(await make(pick, weighted));
  backends.push(...overLeaves);
  const failovers: string[] = [];
  for (const pick of shape.failovers) failovers.push(await make(pick, failover));
  backends.push(...failovers);
  const expected = new Map<string, string[]>();
  const walk = (user: string, backend: string, via: readonly string[]): void => {
    expected.set(backend, [...(expected.get(backend) ?? []), [user, ...via].join(" ")]);
    for (const child of childrenOf.get(backend) ?? []) walk(user, child, [...via, backend]);
  };
  const edge = await create("/edges/https");
  for (const { backend, isRoute } of shape.users) {
    const used = backends[backend % backends.length] ?? "";
    walk(isRoute ? await route(edge, used) : await tlsEdge(used), used, []);
  }
  return { backends, expected };
}
