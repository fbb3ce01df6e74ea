import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../src/domain/core/ids.js";
import { everyRouteModule } from "./harness/modules.js";
import { explain, looksOf } from "./harness/plans.js";
import { httpsEdge, routesOf, staticBackend, tcpEdge, tlsEdge } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, transports } from "./harness/transports.js";

// Which edge and route serve a URL, and which hostports several edges claim.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const [overRest] = transports;
const drive = (resource: typeof httpsEdge) => {
  if (!overRest) throw new Error("There is no transport.");
  return overRest.drive(server, resource);
};
const edgeOn = async (...hostports: string[]): Promise<string> =>
  (await drive(httpsEdge).create({ hostports })).id;
const tlsEdgeOn = async (...hostports: string[]): Promise<string> =>
  (await drive(tlsEdge).create({ hostports })).id;
const tcpEdgeOn = async (...hostports: string[]): Promise<string> =>
  (await drive(tcpEdge).create({ hostports })).id;
const routeOn = async (edge: string, matchType: string, match: string): Promise<string> =>
  (await drive(routesOf(edge)).create({ matchType, match })).id;

async function resolve(url: string): Promise<Fields> {
  const { resolveRoute } = await graphql(
    server,
    `query($url: String!) { resolveRoute(url: $url) { outcome hostport path matchedHostport
      edge { id } route { id } otherEdges { id } modules { kind } } }`,
    { url },
  );
  return resolveRoute;
}

const edgeServing = async (url: string) => (await resolve(url)).edge?.id;
const routeServing = async (url: string) => (await resolve(url)).route?.id;

describe("the edge that serves a URL", () => {
  it("has the very host and port, before a wildcard, before a shorter wildcard", async () => {
    const exact = await edgeOn("a.b.one.test:443");
    const long = await edgeOn("*.b.one.test:443");
    const short = await edgeOn("*.one.test:443", "*.one.test:8443");
    expect(await edgeServing("https://a.b.one.test/")).toBe(exact);
    expect(await edgeServing("https://x.b.one.test/")).toBe(long);
    expect(await edgeServing("https://x.y.b.one.test/")).toBe(long);
    expect(await edgeServing("https://b.one.test/")).toBe(short);
    expect(await edgeServing("https://a.b.one.test:8443/")).toBe(short);
    expect(await resolve("https://one.test/")).toMatchObject({
      outcome: "NO_EDGE",
      hostport: "one.test:443",
      matchedHostport: null,
      edge: null,
      route: null,
      modules: [],
      otherEdges: [],
    });
  });

  it("is found whatever the case, as an internationalized name, and by its addresses", async () => {
    const named = await edgeOn("Two.TEST:443", "xn--bcher-kva.test:443");
    const addressed = await edgeOn("192.0.2.7:443", "[2001:DB8:0:0::7]:8443");
    expect(await resolve("HTTPS://tWO.test.:443/a?b#c")).toMatchObject({
      edge: { id: named },
      hostport: "two.test:443",
      matchedHostport: "two.test:443",
      path: "/a",
    });
    expect(await edgeServing("https://bücher.test")).toBe(named);
    expect(await edgeServing("https://192.0.2.7")).toBe(addressed);
    expect(await edgeServing("https://[2001:db8::7]:8443/x")).toBe(addressed);
    expect(await edgeServing("https://[2001:db8::7]/x")).toBeUndefined();
  });

  it("is the oldest of several, and the others are told", async () => {
    const tcp = await tcpEdgeOn("three.test:443");
    const tls = await tlsEdgeOn("three.test:443");
    const oldest = await edgeOn("three.test:443");
    const newer = await edgeOn("THREE.test:443", "*.test:443");
    expect(await resolve("https://three.test/")).toMatchObject({
      edge: { id: oldest },
      otherEdges: [{ id: newer }, { id: tls }, { id: tcp }],
    });
  });

  it("is none where TLS edges alone have the most specific hostport", async () => {
    const tls = await tlsEdgeOn("four.five.test:443");
    await edgeOn("*.five.test:443");
    expect(await resolve("https://four.five.test/")).toMatchObject({
      outcome: "TLS_EDGE",
      matchedHostport: "four.five.test:443",
      edge: null,
      otherEdges: [{ id: tls }],
    });
  });

  it("is none where TCP edges alone have it; a TLS edge comes before these", async () => {
    const tcp = await tcpEdgeOn("six.five.test:443");
    await edgeOn("*.five.test:443");
    expect(await resolve("https://six.five.test/")).toMatchObject({
      outcome: "TCP_EDGE",
      edge: null,
      otherEdges: [{ id: tcp }],
    });
    const tls = await tlsEdgeOn("six.five.test:443");
    expect(await resolve("https://six.five.test/")).toMatchObject({
      outcome: "TLS_EDGE",
      otherEdges: [{ id: tls }, { id: tcp }],
    });
  });
});

describe("the route that serves a URL", () => {
  it("has the very path, before the longest prefix of it", async () => {
    const edge = await edgeOn("six.test:443");
    const all = await routeOn(edge, "path_prefix", "/");
    const prefix = await routeOn(edge, "path_prefix", "/api/v1");
    const exact = await routeOn(edge, "exact_path", "/api");
    const longer = await routeOn(edge, "path_prefix", "/api");
    expect(await routeServing("https://six.test/api")).toBe(exact);
    expect(await routeServing("https://six.test/apiary")).toBe(longer);
    expect(await routeServing("https://six.test/api/v10/x")).toBe(prefix);
    expect(await routeServing("https://six.test")).toBe(all);
    expect(await routeServing("https://six.test/API")).toBe(all);
    expect(await resolve("https://six.test/api?/api/v1")).toMatchObject({ outcome: "ROUTED" });
  });

  it("has the very hostname, before a wildcard, before any hostname", async () => {
    const edge = await edgeOn("*.seven.test:443");
    const any = await routeOn(edge, "exact_path", "/login");
    const wildcard = await routeOn(edge, "path_prefix", "*.SEVEN.test/login");
    const named = await routeOn(edge, "path_prefix", "App.seven.test");
    const namedPath = await routeOn(edge, "path_prefix", "app.seven.test/log");
    expect(await routeServing("https://app.seven.test/login")).toBe(namedPath);
    expect(await routeServing("https://app.seven.test/other")).toBe(named);
    expect(await routeServing("https://x.seven.test/login")).toBe(wildcard);
    expect(await routeServing("https://x.seven.test/other")).toBeUndefined();
    await drive(routesOf(edge)).remove(wildcard);
    expect(await routeServing("https://x.seven.test/login")).toBe(any);
  });

  it("is told to be none by an edge without one that matches, which has its own modules", async () => {
    const { id } = await drive(httpsEdge).create({
      hostports: ["eight.test:443"],
      tlsTermination: {},
    });
    expect(await resolve("https://eight.test/")).toMatchObject({
      outcome: "NO_ROUTE",
      edge: { id },
      route: null,
      modules: [{ kind: "TLS_TERMINATION" }],
    });
  });

  it("is compared with the path as it is written", async () => {
    const edge = await edgeOn("nine.test:443");
    const encoded = await routeOn(edge, "exact_path", "/a%2Fb");
    const plain = await routeOn(edge, "exact_path", "/a/b");
    const accented = await routeOn(edge, "exact_path", "/é/😀");
    expect(await routeServing("https://nine.test/a%2Fb")).toBe(encoded);
    expect(await routeServing("https://nine.test/a%2fb")).toBeUndefined();
    expect(await routeServing("https://nine.test/a/b")).toBe(plain);
    expect(await routeServing("https://nine.test/x/../a/b")).toBeUndefined();
    expect(await routeServing("https://nine.test/é/😀")).toBe(accented);
  });

  it("is the one of a naive search, over any routes and URLs", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        routes,
        fc.array(requests, { minLength: 4, maxLength: 8 }),
        async (matches, urls) => {
          const zone = `zone${count++}.test`;
          const edge = await edgeOn(`*.${zone}:443`, `${zone}:443`);
          const known: Known[] = [];
          for (const { matchType, host, path } of matches) {
            const match = host.replace("zone", zone) + path;
            known.push({ id: await routeOn(edge, matchType, match), matchType, match });
          }
          for (const { host, path } of urls) {
            const at = host.replace("zone", zone);
            const found = await routeServing(`https://${at}${path}`);
            expect([at, path, found]).toEqual([at, path, naive(known, at.toLowerCase(), path)]);
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe("the search for a route", () => {
  const filled = (count: number, match: (index: number) => string, matchType = "path_prefix") =>
    Array.from({ length: count }, (_, index) => ({ matchType, match: match(index) }));
  const labels = (count: number) => "a.".repeat(count);
  const shapes: [string, { matchType: string; match: string }[]][] = [
    ["no route", []],
    ["one route for all paths", filled(1, () => "/")],
    ["prefixes of all lengths", filled(1_000, (index) => `/${"a".repeat(index)}`)],
    ["exact paths of all lengths", filled(1_000, (index) => `/${"a".repeat(index)}`, "exact_path")],
    ["prefixes of one length", filled(5_000, (index) => `/${"a".repeat(1000)}${10_000 + index}`)],
    [
      "all lengths but the shortest, and none that matches",
      filled(800, (index) => `/${"a".repeat(index)}!`),
    ],
    ["all hosts of many labels", filled(120, (index) => `*.${labels(index)}deep.test/a`)],
    [
      "all lengths of all hosts",
      filled(
        5_000,
        (index) => `*.${labels(index % 100)}deep.test/${"a".repeat(Math.floor(index / 100))}b`,
      ),
    ],
    [
      "hosts and paths of any kind",
      [
        ...filled(800, (index) => `/${"a".repeat(index)}`),
        ...filled(100, (index) => `${labels(index)}DEEP.test`),
        ...filled(100, (index) => `*.${labels(index)}deep.test/${"a".repeat(index)}`, "exact_path"),
      ],
    ],
  ];

  const analyze = () => server.context.db.$executeRaw`ANALYZE https_edge_routes`;

  it.each(shapes)(
    "looks as often as lengths there are to match, whatever the statistics are: %s",
    async (_, matches) => {
      // They know nothing of routes that come after them.
      await analyze();
      const edge = await edgeOn("*.deep.test:443");
      try {
        const known = matches.map((route) => ({ ...route, id: newId("httpsEdgeRoute") }));
        await insert(edge, known);
        await expectFewLooks(known);
        await analyze();
        await expectFewLooks(known);
      } finally {
        await drive(httpsEdge).remove(edge);
      }
    },
    60_000,
  );

  async function expectFewLooks(known: readonly Known[]): Promise<void> {
    const hosts = new Map<string, Set<number>>();
    for (const { match } of known) {
      const host = match.split("/", 1)[0]?.toLowerCase() ?? "";
      hosts.set(host, (hosts.get(host) ?? new Set()).add(match.length));
    }
    const lengths = [...hosts.values()].reduce((sum, sizes) => sum + sizes.size, 0);
    for (const host of ["x.deep.test", `${labels(121)}deep.test`]) {
      const patterns = host.split(".").length + 1;
      for (const path of ["/", "/a", `/${"a".repeat(998)}`, `/${"a".repeat(2000)}`, "/b/a"]) {
        const url = `https://${host}${path}`;
        const served: unknown[] = [];
        const queries = await server.queries(async () => served.push(await routeServing(url)));
        expect(served).toEqual([naive(known, host, path)]);
        const searching = queries.filter(({ text }) => text.includes("match_scope"));
        expect(searching).toHaveLength(1);
        for (const query of searching) {
          const looks = looksOf(await explain(server, query), "https_edge_routes");
          expect(looks).toBeLessThanOrEqual(2 * (lengths + patterns));
        }
      }
    }
  }

  it("is one statement, beside which the server answers others", async () => {
    const edge = await edgeOn("*.deep.test:443");
    const all = filled(1_000, (index) => `/${"a".repeat(index)}`);
    await insert(
      edge,
      all.map((route) => ({ ...route, id: newId("httpsEdgeRoute") })),
    );
    const url = `https://${labels(121)}deep.test/${"a".repeat(2000)}`;
    const aliases = Array.from({ length: 10 }, (_, index) => `r${index}: resolveRoute(url: $url)`);
    const query = `query($url: String!) { ${aliases.map((field) => `${field} { outcome }`).join(" ")} }`;
    const searching = Promise.all(Array.from({ length: 3 }, () => graphql(server, query, { url })));
    const status = (await fetch(`${server.url}/livez`)).status;
    expect(status).toBe(200);
    const [found] = await searching;
    expect(Object.values(found ?? {})).toEqual(Array(10).fill({ outcome: "ROUTED" }));
    await drive(httpsEdge).remove(edge);
  });
});

describe("the modules of a request", () => {
  it("are the enabled ones of edge and route, in the order in which they act", async () => {
    const backend = await drive(staticBackend).create({ address: "upstream.test:80" });
    const edge = await drive(httpsEdge).create({
      hostports: ["ten.test:443"],
      tlsTermination: { minVersion: "1.2" },
    });
    const policy = await graphql(
      server,
      "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }",
    );
    const modules = everyRouteModule(backend.id, policy.createIpPolicy.ipPolicy.id);
    await drive(routesOf(edge.id)).create({ matchType: "path_prefix", match: "/", ...modules });
    const query = `{ resolveRoute(url: "https://ten.test/") { modules { kind module { __typename enabled
      ... on TlsTerminationModule { minVersion } ... on BackendModule { backend { id } }
      ... on WebhookVerificationModule { provider secret } } } } }`;
    const { resolveRoute } = await graphql(server, query);
    const shown = resolveRoute.modules.map(
      ({ kind, module: { __typename, enabled, ...rest } }: Fields) => {
        expect(enabled).toBe(true);
        return [kind, __typename, rest];
      },
    );
    expect(shown).toEqual([
      ["TLS_TERMINATION", "TlsTerminationModule", { minVersion: "TLS1_2" }],
      ["USER_AGENT_FILTER", "UserAgentFilterModule", {}],
      ["CIRCUIT_BREAKER", "CircuitBreakerModule", {}],
      [
        "WEBHOOK_VERIFICATION",
        "WebhookVerificationModule",
        { provider: "Stripe", secret: "whsec_1" },
      ],
      ["OAUTH", "OauthModule", {}],
      ["REQUEST_HEADERS", "RequestHeadersModule", {}],
      ["TRAFFIC_POLICY", "TrafficPolicyModule", {}],
      ["BACKEND", "BackendModule", { backend: { id: backend.id } }],
      ["COMPRESSION", "CompressionModule", {}],
      ["RESPONSE_HEADERS", "ResponseHeadersModule", {}],
    ]);
    const forReading = await graphql(server, query, {}, server.readKey);
    const verifying = forReading.resolveRoute.modules.find(
      ({ kind }: Fields) => kind === "WEBHOOK_VERIFICATION",
    );
    expect(verifying.module.secret).toBe("");
  });
});

describe("a URL that cannot be read", () => {
  it.each([
    ["", /complete URL/],
    ["example.com/path", /complete URL/],
    ["//example.com", /complete URL/],
    ["https:/example.com", /complete URL/],
    ["http://example.com/", /https:\/\/, since/],
    ["wss://example.com/", /WebSocket/],
    ["ftp://example.com/", /must begin with https/],
    ["https://user@example.com/", /user name/],
    ["https://example.com:0/", /port from 1/],
    ["https://example.com:65536/", /port from 1/],
    ["https://example.com:0443/", /port from 1/],
    ["https://example.com:x/", /port from 1/],
    ["https:///path", /must have a host/],
    ["https://::1/", /square brackets/],
    ["https://[::1/", /square brackets/],
    ["https://[::1]x/", /square brackets/],
    ["https://[::g]/", /must have a host/],
    ["https://[fe80::1%25eth0]/", /must have a host/],
    ["https://*.example.com/", /must have a host/],
    ["https://a..b/", /must have a host/],
    ["https://1.2.3/", /must have a host/],
    ["https://256.1.1.1/", /must have a host/],
    ["https://a%2eb/", /must have a host/],
    [`https://${"a".repeat(64)}.b/`, /must have a host/],
    ["https://example.com/a b", /spaces/],
    [" https://example.com/", /spaces/],
    ["https://example.com/a\\b", /backslashes/],
    ["https://example.com/a\u0007", /control/],
    ["https://example.com/a\0", /NUL/],
    ["https://example.com/\ud800", /surrogates/],
    [`https://example.com/${"a".repeat(8192)}`, /at most 8192 bytes/],
  ])("is refused: %j", async (url, message) => {
    await expect(resolve(url)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: { url: expect.stringMatching(message) },
    });
  });

  it("is any but these that are read, at their limits", async () => {
    const host = `${"a.".repeat(126)}a`;
    for (const url of [
      `https://${host}/${"a".repeat(8192 - host.length - 9)}`,
      "https://localhost:",
      "https://my_service:65535?",
      "https://faß.example#",
      "https://[::ffff:1.2.3.4]:1",
    ]) {
      expect(await resolve(url)).toMatchObject({ outcome: "NO_EDGE" });
    }
  });
});

describe("hostports in conflict", () => {
  it("are told with all edges of every kind, in order, page by page", async () => {
    const other = await startServer();
    try {
      const create = async (type: string, hostports: string[]) =>
        (
          await graphql(
            other,
            `mutation($hostports: [String!]) { create${type}(input: { hostports: $hostports }) { changes { resourceId } } }`,
            { hostports },
          )
        )[`create${type}`].changes[0].resourceId;
      const zero = await create("TcpEdge", ["B.test:443"]);
      const one = await create("HttpsEdge", ["B.test:443", "b.test:443", "[::1]:443", "*.test:1"]);
      const two = await create("TlsEdge", ["b.TEST:443", "c.test:443", "a.test:443"]);
      const three = await create("HttpsEdge", ["b.test:443", "a.test:443", "[0:0::1]:443"]);
      await create("HttpsEdge", ["single.test:443", "single.test:443", "b.test:444", "x.test:1"]);
      const query = `query($first: Int, $after: String, $last: Int, $before: String) {
        hostportConflicts(first: $first, after: $after, last: $last, before: $before) {
          totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
          nodes { hostport edgeCount edges { id } } } }`;
      const read = async (variables: Fields) =>
        (await graphql(other, query, variables)).hostportConflicts;
      const all = [
        { hostport: "[::1]:443", edgeCount: 2, edges: [{ id: one }, { id: three }] },
        { hostport: "a.test:443", edgeCount: 2, edges: [{ id: three }, { id: two }] },
        {
          hostport: "b.test:443",
          edgeCount: 4,
          edges: [{ id: one }, { id: three }, { id: two }, { id: zero }],
        },
      ];
      expect(await read({})).toMatchObject({ totalCount: 3, nodes: all });
      const first = await read({ first: 2 });
      expect(first).toMatchObject({ nodes: all.slice(0, 2), pageInfo: { hasNextPage: true } });
      const rest = await read({ first: 2, after: first.pageInfo.endCursor });
      expect(rest).toMatchObject({ nodes: all.slice(2), pageInfo: { hasNextPage: false } });
      const last = await read({ last: 1 });
      expect(last).toMatchObject({ nodes: all.slice(2), pageInfo: { hasPreviousPage: true } });
      const before = await read({ last: 2, before: last.pageInfo.startCursor });
      expect(before).toMatchObject({
        nodes: all.slice(0, 2),
        pageInfo: { hasPreviousPage: false },
      });
      for (const after of [one, "hostport_00", "hostport_c3a4", "hostport_"]) {
        await expect(read({ after })).rejects.toMatchObject({
          code: "INVALID_REQUEST",
          paths: ["after"],
        });
      }
      const sent = await other.statements(() =>
        graphql(other, "{ hostportConflicts { nodes { hostport edgeCount } } }"),
      );
      // The key, the page.
      expect(sent).toHaveLength(2);
    } finally {
      await other.stop();
    }
  });
});

describe("the statements that resolve a URL", () => {
  it("do not grow with the routes or the edges", async () => {
    const statements = async () =>
      (await server.statements(() => resolve("https://deep.eleven.test/a/b/c"))).length;
    const edge = await edgeOn("*.eleven.test:443");
    await routeOn(edge, "path_prefix", "/");
    await edgeOn("*.eleven.test:443");
    const few = await statements();
    for (const match of ["/a", "/a/b", "/a/b/c", "deep.eleven.test", "*.test/a"]) {
      await routeOn(edge, "path_prefix", match);
    }
    await edgeOn("*.eleven.test:443");
    // The key; the edges, the one that serves, the route's id, the route; other edges.
    expect([few, await statements()]).toEqual([6, 6]);
  });
});

/** Puts routes beside each other into the database, as they would be stored. */
async function insert(edgeId: string, routes: readonly Known[]): Promise<void> {
  const now = new Date();
  await server.context.db.httpsEdgeRoute.createMany({
    data: routes.map((route) => ({
      ...route,
      edgeId,
      description: "",
      metadata: "",
      createdAt: now,
      updatedAt: now,
    })),
  });
}

interface Known {
  readonly id: string;
  readonly matchType: string;
  readonly match: string;
}

const HOSTS = ["", "zone", "a.zone", "A.zone", "b.a.zone", "*.zone", "*.a.zone", "*.test"];
const segments = fc
  .array(fc.constantFrom("/", "a", "b", "ab", "%2F", "é", "_", "."), { maxLength: 5 })
  .map((parts) => `/${parts.join("")}`);
const routes = fc.uniqueArray(
  fc
    .record({
      matchType: fc.constantFrom("exact_path", "path_prefix"),
      host: fc.constantFrom(...HOSTS),
      path: fc.oneof({ arbitrary: segments, weight: 4 }, fc.constant("")),
    })
    .filter(({ host, path }) => host !== "" || path !== ""),
  { minLength: 1, maxLength: 12, selector: ({ matchType, host, path }) => matchType + host + path },
);
const requests = fc.record({
  host: fc.constantFrom("zone", "a.zone", "B.a.zone", "c.b.a.zone", "x.zone"),
  path: segments,
});

/** The id of the route that serves, by looking at all of them; `routes` are in the order of creation. */
function naive(routes: readonly Known[], host: string, path: string): string | undefined {
  const ranked = routes.flatMap(({ id, matchType, match }) => {
    const slash = match.indexOf("/");
    const matchHost = (slash < 0 ? match : match.slice(0, slash)).toLowerCase();
    const matchPath = slash < 0 ? "" : match.slice(slash);
    const isWildcard = matchHost.startsWith("*.");
    const fitsHost =
      matchHost === "" || matchHost === host || (isWildcard && host.endsWith(matchHost.slice(1)));
    const isExact = matchType === "exact_path" && matchPath !== "";
    const fitsPath = isExact ? path === matchPath : path.startsWith(matchPath);
    if (!fitsHost || !fitsPath) return [];
    const hostRank = matchHost === "" ? 0 : isWildcard ? matchHost.length : 1000;
    return [{ id, rank: [hostRank, isExact ? 1 : 0, matchPath.length] }];
  });
  const better = (one: readonly number[], other: readonly number[]) => {
    const differing = one.findIndex((value, index) => value !== other[index]);
    return differing >= 0 && (one[differing] ?? 0) > (other[differing] ?? 0);
  };
  let best = ranked[0];
  for (const each of ranked) if (best && better(each.rank, best.rank)) best = each;
  return best?.id;
}
