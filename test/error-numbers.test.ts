import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ERROR_NUMBERS,
  type ErrorNumber,
  SEVERAL_PROBLEMS,
} from "../src/rest/transport/error-numbers.js";
import { authorityPem } from "./harness/certificates.js";
import { SAML_METADATA } from "./harness/modules.js";
import { PUBLIC_KEY } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { sendRaw } from "./harness/sockets.js";
import { type Fields, graphql } from "./harness/transports.js";

// REST with ERROR_CODES=numbered: every number is provoked by a request, which a server with words refuses alike.

type Headers = Readonly<Record<string, string | null>>;
/** A header that is null is left out. */
type Request = readonly [method: string, path: string, body?: unknown, headers?: Headers];

async function send(
  server: TestServer,
  [method, path, body, headers = {}]: Request,
): Promise<{ status: number; body: Fields }> {
  const all = {
    Authorization: `Bearer ${server.writeKey}`,
    "Service-Version": "2",
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null);
  const response = await fetch(server.url + path, {
    method,
    headers: given,
    ...(body !== undefined && {
      body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    }),
  });
  return { status: response.status, body: (await response.json()) as Fields };
}

const MOST_ROUTES = 2;
const NO_ID = "0".repeat(27);
const long = (bytes: number) => "x".repeat(bytes);

/** What the requests refer to. */
async function createWorld(server: TestServer) {
  const create = async (path: string, body: Fields = {}): Promise<string> => {
    const answer = await send(server, ["POST", path, body]);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body.id;
  };
  const httpResponse = await create("/backends/http_response");
  const failover = await create("/backends/failover", { backends: [httpResponse] });
  const policy = await create("/ip_policies");
  const cidr = "192.0.2.0/24";
  await create("/ip_policy_rules", { ip_policy_id: policy, cidr, action: "deny" });
  const restricting = await create("/ip_policies");
  await create("/ip_restrictions", { type: "agent", ip_policy_ids: [restricting] });
  const pem = await authorityPem();
  const authority = await create("/certificate_authorities", { ca_pem: pem });
  const signer = await create("/ssh_certificate_authorities");
  await create("/ssh_user_certificates", {
    ssh_certificate_authority_id: signer,
    public_key: PUBLIC_KEY,
  });
  const tcp = await create("/endpoint_configurations", { type: "tcp" });
  const https = await create("/endpoint_configurations", { type: "https" });
  await create("/reserved_addrs", { endpoint_configuration_id: tcp });
  const edge = `/edges/https/${await create("/edges/https")}`;
  const route = { match_type: "path_prefix", oauth: { provider: { google: {} } } };
  const routes = [];
  for (let count = 0; count < MOST_ROUTES; count++) {
    const id = await create(`${edge}/routes`, { ...route, match: `/${count}` });
    routes.push(`${edge}/routes/${id}`);
  }
  const upstream = { terminate_at: "upstream" };
  const weighed = await create("/backends/tunnel_group");
  const mutual_tls = { certificate_authority_ids: [authority] };
  const spent = await send(server, ["POST", "/api_keys", {}]);
  await server.context.db.rateLimit.create({
    data: {
      name: spent.body.id,
      requests: LIMIT.requests,
      endsAt: new Date(Date.now() + LIMIT.seconds * 1000),
    },
  });
  return {
    readKey: server.readKey,
    spentKey: String(spent.body.token),
    httpResponse,
    failover,
    policy,
    restricting,
    cidr,
    pem,
    noAuthority: await authorityPem(false),
    authority,
    signer,
    tcp,
    https,
    weighed,
    weighted: await create("/backends/weighted", { backends: { [weighed]: 1 } }),
    mutual: await create("/endpoint_configurations", { type: "https", mutual_tls }),
    mutualEdge: `/edges/tls/${await create("/edges/tls", { mutual_tls })}`,
    edge,
    route: routes[0] ?? "",
    tlsEdge: `/edges/tls/${await create("/edges/tls")}`,
    upstream: `/edges/tls/${await create("/edges/tls", { tls_termination: upstream })}`,
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

const withHeaders = (headers: Headers): Request => ["GET", "/ip_policies", undefined, headers];
const withBearer = (token: string) => withHeaders({ Authorization: `Bearer ${token}` });
const listed = (query: string): Request => ["GET", `/ip_policies?${query}`];
const rule = (world: World, fields: Fields): Request => [
  "POST",
  "/ip_policy_rules",
  { ip_policy_id: world.policy, cidr: "10.0.0.0/8", action: "allow", ...fields },
];
const certificate = (world: World, fields: Fields): Request => [
  "POST",
  "/ssh_user_certificates",
  { ssh_certificate_authority_id: world.signer, public_key: PUBLIC_KEY, ...fields },
];
const hostCertificate = (world: World, fields: Fields): Request => [
  "POST",
  "/ssh_host_certificates",
  { ssh_certificate_authority_id: world.signer, public_key: PUBLIC_KEY, ...fields },
];
const put = (owner: string, module: string, body: Fields): Request => [
  "PUT",
  `${owner}/${module}`,
  body,
];
const oauth = ({ route }: World, provider: Fields) => put(route, "oauth", { provider });
const oidc = ({ route }: World, fields: Fields) => {
  const least = { issuer: "https://id.example", client_id: "a", client_secret: "b" };
  return put(route, "oidc", { enabled: false, ...least, ...fields });
};
const saml = (owner: string, fields: Fields) =>
  put(owner, "saml", { enabled: false, idp_metadata: SAML_METADATA, ...fields });

/** For each number a request that is refused with it. */
const CASES: Readonly<Record<number, (world: World) => Request>> = {
  200: () => withHeaders({ Authorization: null }),
  201: () => withHeaders({ Authorization: "Basic dXNlcjpwYXNzd29yZA==" }),
  202: () => withBearer("nonsense"),
  203: () => withBearer(`${NO_ID}_${long(21)}`),
  208: () => withBearer(`ak_${NO_ID}`),
  210: () => ["POST", "/ip_policies", {}, { "Content-Type": "text/plain" }],
  213: () => ["POST", "/ip_policies", "{"],
  214: () => ["POST", "/ip_policies", { descripton: "a" }],
  215: () => ["POST", "/ip_policies", { description: 5 }],
  216: () => ["POST", "/ip_policies", {}, { "Content-Type": null }],
  217: () => withHeaders({ "Service-Version": "1" }),
  218: () => withHeaders({ "Service-Version": null }),
  219: ({ edge }) => put(edge, "tls_termination", { min_version: "1.4" }),
  223: () => listed("before_id=x"),
  224: ({ tlsEdge }) => put(tlsEdge, "tls_termination", { terminate_at: "agent" }),
  226: ({ spentKey }) => withBearer(spentKey),
  227: () => listed("before_id=ipr_1"),
  228: ({ edge }) => put(edge, "mutual_tls", { module: { certificate_authority_ids: ["x"] } }),
  229: ({ route, authority }) => put(route, "ip_restriction", { ip_policy_ids: [authority] }),
  231: () => listed("cursor=1"),
  232: () => listed("limit=1&limit=1"),
  233: () => listed("limit=101"),
  250: () => listed("filter=obj.addr"),
  241: (world) => certificate(world, { valid_after: "tomorrow" }),
  242: ({ route, policy }) => put(route, "backend", { backend_id: policy }),
  244: () => listed("limit=ten"),
  500: () => ["POST", "/reserved_addrs", { region: "moon" }],
  503: () => ["POST", "/reserved_addrs", { region: "sa" }],
  504: () => ["POST", "/reserved_addrs", { description: long(256) }],
  505: () => ["POST", "/reserved_addrs", { metadata: long(4097) }],
  507: ({ https }) => ["POST", "/reserved_addrs", { endpoint_configuration_id: https }],
  635: ({ readKey }) => ["POST", "/ip_policies", undefined, { Authorization: `Bearer ${readKey}` }],
  1402: () => ["GET", `/ip_policies/ipp_${NO_ID}`],
  1404: () => ["GET", `/ip_policy_rules/ipr_${NO_ID}`],
  1405: (world) => rule(world, { cidr: undefined }),
  1406: (world) => rule(world, { cidr: "10.0.0.0/33" }),
  1408: (world) => rule(world, { cidr: world.cidr }),
  1409: (world) => rule(world, { cidr: "10.0.0.1/8" }),
  1413: (world) => rule(world, { cidr: "10.0.0.0" }),
  1414: (world) => rule(world, { ip_policy_id: "x" }),
  1420: ({ restricting }) => ["DELETE", `/ip_policies/${restricting}`],
  1422: (world) => rule(world, { action: "log" }),
  1600: () => ["GET", `/endpoint_configurations/ec_${NO_ID}`],
  1619: ({ tcp }) => ["DELETE", `/endpoint_configurations/${tcp}`],
  1620: () => ["POST", "/endpoint_configurations", {}],
  1622: () => ["POST", "/endpoint_configurations", { type: "udp" }],
  1693: ({ https }) => saml(`/endpoint_configurations/${https}`, { nameid_format: "x" }),
  1694: ({ authority }) => [
    "POST",
    "/endpoint_configurations",
    {
      type: "https",
      mutual_tls: { certificate_authority_ids: [authority] },
      tls_termination: { terminate_at: "upstream" },
    },
  ],
  1911: ({ pem }) => [
    "POST",
    "/certificate_authorities",
    { ca_pem: pem.replaceAll("CERTIFICATE", "PRIVATE KEY") },
  ],
  1912: ({ pem }) => ["POST", "/certificate_authorities", { ca_pem: `${pem}\n${pem}` }],
  1913: ({ noAuthority }) => ["POST", "/certificate_authorities", { ca_pem: noAuthority }],
  1934: (world) => certificate(world, { public_key: "nonsense" }),
  1936: () => ["POST", "/ssh_certificate_authorities", { private_key_type: "dsa" }],
  1939: () => ["POST", "/ssh_certificate_authorities", { private_key_type: "rsa", key_size: 1 }],
  1940: () => ["POST", "/ssh_certificate_authorities", { key_size: 2048 }],
  1941: () => [
    "POST",
    "/ssh_certificate_authorities",
    { private_key_type: "ecdsa", elliptic_curve: "p1" },
  ],
  1942: () => ["POST", "/ssh_certificate_authorities", { elliptic_curve: "p256" }],
  1950: (world) => certificate(world, { public_key: "ssh-dss AAAAB3NzaC1kc3M=" }),
  1952: (world) => certificate(world, { public_key: undefined }),
  1964: ({ signer }) => ["DELETE", `/ssh_certificate_authorities/${signer}`],
  2090: ({ route }) => put(route, "user_agent_filter", { deny: ["("] }),
  2248: ({ route }) => put(route, "traffic_policy", { value: "on_tcp_connect: []" }),
  6501: () => ["POST", "/backends/failover", { backends: [`bkdhr_${NO_ID}`] }],
  6502: ({ httpResponse }) => ["DELETE", `/backends/http_response/${httpResponse}`],
  6503: () => ["POST", "/backends/tunnel_group", { description: long(256) }],
  6504: () => ["POST", "/backends/failover", { metadata: long(4097) }],
  6511: () => [
    "POST",
    "/backends/weighted",
    { backends: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, 1])) },
  ],
  6512: ({ httpResponse }) => [
    "POST",
    "/backends/weighted",
    { backends: { [httpResponse]: 10_001 } },
  ],
  6514: () => ["GET", `/backends/static/bkdsc_${NO_ID}`],
  6516: () => ["POST", "/backends/http_response", { body: long(65_537) }],
  6517: () => ["POST", "/backends/http_response", { status_code: 99 }],
  6522: () => ["POST", "/backends/http_response", { headers: { [long(257)]: "a" } }],
  6523: () => ["POST", "/backends/http_response", { headers: { "X.A": long(2049) } }],
  6524: ({ failover }) => ["POST", "/backends/weighted", { backends: { [failover]: 1 } }],
  6525: ({ failover }) => ["POST", "/backends/failover", { backends: [failover] }],
  6526: ({ policy }) => ["POST", "/backends/failover", { backends: [policy] }],
  7000: () => ["GET", `/edges/tls/edgtls_${NO_ID}`],
  7007: ({ route }) => put(route, "ip_restriction", { ip_policy_ids: [`ipp_${NO_ID}`] }),
  7011: ({ route }) => put(route, "circuit_breaker", { error_threshold_percentage: 50 }),
  7013: ({ tlsEdge, policy }) =>
    put(tlsEdge, "ip_restriction", { ip_policy_ids: Array.from({ length: 101 }, () => policy) }),
  7015: ({ route }) => put(route, "request_headers", { remove: ["a", "b", "c", "d", "e", "f"] }),
  7018: ({ route }) => put(route, "circuit_breaker", { num_buckets: 129 }),
  7023: ({ route }) => put(route, "response_headers", { add: { "a b": "c" } }),
  7024: ({ route }) => put(route, "response_headers", { add: { "a.b": "é" } }),
  7025: ({ route }) => put(route, "ip_restriction", { ip_policy_ids: [] }),
  7026: ({ route }) => put(route, "webhook_verification", { provider: "SNS", secret: "a" }),
  7027: ({ route }) => put(route, "webhook_verification", { provider: "github" }),
  7028: () => ["POST", "/edges/tls", { description: long(256), hostports: ["x"] }],
  7029: ({ route }) => put(route, "webhook_verification", { secret: "a" }),
  7030: ({ route }) => put(route, "webhook_verification", { provider: "nobody", secret: "a" }),
  7032: ({ tlsEdge }) =>
    put(tlsEdge, "tls_termination", { terminate_at: "upstream", min_version: "1.2" }),
  7034: (world) => oauth(world, { google: { scopes: ["a"] } }),
  7036: (world) => oauth(world, { google: {}, github: {} }),
  7037: (world) => oauth(world, {}),
  7040: (world) => oauth(world, { github: { teams: ["nobody"] } }),
  7042: ({ route }) => put(route, "oauth", { provider: { google: {} }, cookie_prefix: "a b" }),
  7062: ({ upstream, authority }) => [
    "PATCH",
    upstream,
    { mutual_tls: { certificate_authority_ids: [authority] } },
  ],
  7067: (world) => oauth(world, { google: { email_addresses: ["Jo@example.com"] } }),
  7068: (world) => oauth(world, { google: { email_domains: ["Example.com"] } }),
  7069: ({ route }) => put(route, "request_headers", { add: { a: "b", A: "b" } }),
  7072: ({ edge }) => put(edge, "mutual_tls", { certificate_authority_ids: [`ca_${NO_ID}`] }),
  7073: ({ route }) => ["PATCH", route, { description: long(256) }],
  7074: ({ edge }) => ["PATCH", edge, { metadata: long(4097) }],
  7075: ({ edge, authority }) =>
    put(edge, "mutual_tls", {
      certificate_authority_ids: Array.from({ length: 11 }, () => authority),
    }),
  7079: (world) => oidc(world, { enabled: true }),
  7080: ({ route }) => saml(route, { idp_metadata: long(65_537) }),
  7083: ({ route }) => saml(route, { idp_metadata: "<" }),
  7087: (world) => oidc(world, { issuer: `https://id.example/${long(255)}` }),
  7088: (world) => oidc(world, { issuer: "" }),
  7089: (world) => oidc(world, { client_id: "" }),
  7090: (world) => oidc(world, { client_secret: undefined }),
  7091: ({ route }) => saml(route, { idp_metadata: undefined }),
  7104: () => ["POST", "/edges/https", { hostports: ["a.example:443", "a.example"] }],
  7109: ({ edge }) => put(edge, "tls_termination", { terminate_at: "edge" }),
  7110: ({ route }) => ["PATCH", route, { edge_id: `edghts_${NO_ID}` }],
  7112: () => ["POST", "/edges/tls", { hostports: ["a.example:65536"] }],
  7123: ({ edge }) => ["POST", `${edge}/routes`, { match_type: "exact_path" }],
  7124: ({ edge }) => ["GET", `${edge}/routes/edghtsrt_${NO_ID}`],
  7128: ({ edge }) => ["POST", `${edge}/routes`, { match_type: "exact_path", match: "/z" }],
  7129: () => ["POST", "/edges/tls", { hostports: Array.from({ length: 251 }, () => "a:1") }],
  7130: ({ route }) => ["PATCH", route, { match_type: "regex" }],
  7131: ({ route }) => ["PATCH", route, { match: "/a b" }],
};

/** Further requests, so that each message of a number is seen. */
const MORE: Readonly<Record<number, readonly ((world: World) => Request)[]>> = {
  213: [() => ["POST", "/ip_policies", []]],
  215: [
    () => ["POST", "/backends/http_response", { status_code: "200" }],
    () => ["POST", "/backends/static", { address: "a:1", tls: { enabled: "yes" } }],
    () => ["POST", "/backends/failover", { backends: {} }],
    () => ["POST", "/backends/static", { address: "a:1", tls: [] }],
    () => ["POST", "/backends/tunnel_group", { labels: [] }],
  ],
  228: [({ edge, policy }) => put(edge, "mutual_tls", { certificate_authority_ids: [policy] })],
  229: [({ route }) => put(route, "ip_restriction", { ip_policy_ids: ["x"] })],
  241: [(world) => certificate(world, { valid_until: "2090-01-01" })],
  242: [({ tlsEdge }) => put(tlsEdge, "backend", { backend_id: "x" })],
  1405: [
    (world) => rule(world, { ip_policy_id: undefined }),
    (world) => rule(world, { action: undefined }),
  ],
  1406: [(world) => rule(world, { cidr: "x" })],
  1414: [(world) => rule(world, { ip_policy_id: world.authority })],
  1694: [
    ({ mutual }) => [
      "PATCH",
      `/endpoint_configurations/${mutual}`,
      { tls_termination: { terminate_at: "upstream" } },
    ],
  ],
  1934: [(world) => hostCertificate(world, { public_key: "x" })],
  1950: [(world) => certificate(world, { public_key: "sk-ssh-ed25519@openssh.com AAAA" })],
  1952: [(world) => certificate(world, { public_key: "" })],
  6501: [({ route }) => put(route, "backend", { backend_id: `bkdhr_${NO_ID}` })],
  6502: [({ weighed }) => ["DELETE", `/backends/tunnel_group/${weighed}`]],
  6524: [({ weighted }) => ["POST", "/backends/weighted", { backends: { [weighted]: 1 } }]],
  6526: [() => ["POST", "/backends/weighted", { backends: { x: 1 } }]],
  7000: [
    () => ["PATCH", `/edges/https/edghts_${NO_ID}`, {}],
    () => ["POST", `/edges/https/edghts_${NO_ID}/routes`, {}],
    () => ["PATCH", `/%65dges/https/%65dghts_${NO_ID}`, {}],
    () => ["PUT", `/edges/tcp/edgtcp_${NO_ID}/ip_restriction`, { ip_policy_ids: ["ipp_1"] }],
    () => ["DELETE", "/edges/tcp/x"],
  ],
  7015: [
    ({ route }) =>
      put(route, "request_headers", { add: { a: "", b: "", c: "", d: "", e: "", f: "" } }),
  ],
  7023: [({ route }) => put(route, "response_headers", { remove: ["a b"] })],
  7024: [({ route }) => put(route, "request_headers", { add: { a: " b" } })],
  7037: [({ route }) => put(route, "oauth", {})],
  7062: [
    ({ mutualEdge }) => put(mutualEdge, "tls_termination", { terminate_at: "upstream" }),
    ({ upstream, authority }) =>
      put(upstream, "mutual_tls", { certificate_authority_ids: [authority] }),
  ],
  7079: [({ route }) => saml(route, { enabled: true })],
  7083: [
    ({ route }) => saml(route, { idp_metadata: "<a/>" }),
    ({ route }) => saml(route, { idp_metadata: "<!DOCTYPE a><a/>" }),
  ],
  7088: [(world) => oidc(world, { issuer: undefined })],
  7089: [(world) => oidc(world, { client_id: undefined })],
  7090: [(world) => oidc(world, { client_secret: "" })],
  7091: [({ route }) => saml(route, { idp_metadata: "" })],
  7104: [() => ["POST", "/edges/tcp", { hostports: ["-:1"] }]],
  7123: [({ edge }) => ["POST", `${edge}/routes`, { match_type: "exact_path", match: "" }]],
};

/** More than these tests send. The key that has sent as many is in the database. */
const LIMIT = { requests: 1_000_000, seconds: 3600, store: "database" } as const;

let numbered: TestServer;
let words: TestServer;
let worlds: readonly [World, World];

async function start(errorCodes: "words" | "numbered") {
  const server = await startServer({
    errorCodes,
    maxRoutesPerEdge: MOST_ROUTES,
    rateLimits: LIMIT,
  });
  const { db } = server.context;
  await db.$executeRaw`CREATE FUNCTION skip_row() RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE plpgsql`;
  // As though every address of this region were taken.
  await db.$executeRaw`CREATE TRIGGER skip_row BEFORE INSERT ON reserved_addrs
    FOR EACH ROW WHEN (NEW.region = 'sa') EXECUTE FUNCTION skip_row()`;
  return server;
}

beforeAll(async () => {
  numbered = await start("numbered");
  words = await start("words");
  worlds = [await createWorld(numbered), await createWorld(words)];
});
afterAll(() => Promise.all([numbered.stop(), words.stop()]));

const codeOf = async (server: TestServer, request: Request): Promise<string> =>
  (await send(server, request)).body.error_code;

const ALL = [...ERROR_NUMBERS, SEVERAL_PROBLEMS];

describe("the table of numbers", () => {
  it("has every number once", () => {
    const numbers = ALL.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers.toSorted((a, b) => a - b).map(String)).toEqual(Object.keys(CASES));
  });

  it("is what docs/error-numbers.md says; vitest -u writes it", async () => {
    await expect(documented(ERROR_NUMBERS)).toMatchFileSnapshot("../docs/error-numbers.md");
  });
});

describe("a refusal with a number", () => {
  it.each(ALL)("is that of $number: $code", async ({ number, code }) => {
    const request = CASES[number];
    if (!request) throw new Error(`No request is refused with ${number}.`);
    const answer = await send(numbered, request(worlds[0]));
    expect([answer.body.error_code, answer.body.msg]).toEqual([
      `ERR_NGROK_${number}`,
      expect.any(String),
    ]);
    const other = await send(words, request(worlds[1]));
    expect(other.body.error_code).toBe(`ERR_${code}`);
    expect(other.status).toBe(answer.status);
    expect(answer.body.status_code).toBe(answer.status);
    expect(comparable(other.body)).toEqual({
      ...comparable(answer.body),
      error_code: other.body.error_code,
    });
  });

  it.each(ERROR_NUMBERS)("has each message of $number", async ({ number, field, says }) => {
    const seen: string[] = [];
    for (const request of [CASES[number], ...(MORE[number] ?? [])]) {
      const { body } = await send(numbered, request?.(worlds[0]) ?? ["GET", "/"]);
      expect([body.error_code, body.msg]).toEqual([`ERR_NGROK_${number}`, expect.any(String)]);
      seen.push(
        body.msg,
        ...Object.values<string>(body.details).flatMap((text) => text.split("; ")),
      );
    }
    if (["Authorization", "Content-Type"].includes(field)) return;
    for (const text of says) {
      expect(seen).toContainEqual(expect.stringMatching(new RegExp(`^${escaped(text)}`)));
    }
  });

  it("has that of the first problem with one, outside of edges", async () => {
    const body = { region: "moon", description: long(256), endpoint_configuration_id: 5 };
    expect(await codeOf(numbered, ["POST", "/reserved_addrs", body])).toBe("ERR_NGROK_504");
    const port = { address: "a", metadata: long(4097) };
    expect(await codeOf(numbered, ["POST", "/backends/static", port])).toBe("ERR_NGROK_6504");
  });

  it("is the same for a module that is sent by itself, in a wrapper, and in its owner", async () => {
    const [{ route }] = worlds;
    const module = { num_buckets: 129 };
    for (const request of [
      put(route, "circuit_breaker", module),
      put(route, "circuit_breaker", { module }),
      ["PATCH", route, { circuit_breaker: module }],
    ] as const) {
      expect(await codeOf(numbered, request)).toBe("ERR_NGROK_7018");
    }
  });

  it.each([
    ["an empty header", "", 200],
    ["a scheme alone", "Bearer", 201],
    ["two words", "Bearer a b", 201],
    ["another scheme", `Token ${NO_ID}_${long(21)}`, 201],
    ["a key that is cut off", `bearer ${NO_ID}`, 202],
    ["a revoked key", null, 203],
  ])("says what is wrong with a credential: %s", async (_, header, number) => {
    let authorization = header;
    if (authorization === null) {
      const { body } = await send(numbered, ["POST", "/api_keys", {}]);
      authorization = `Bearer ${body.token}`;
      expect((await fetch(`${numbered.url}/api_keys/${body.id}`, revocation())).status).toBe(204);
    }
    const answer = await send(numbered, withHeaders({ Authorization: authorization }));
    expect([answer.status, answer.body.error_code]).toEqual([401, `ERR_NGROK_${number}`]);
    expect(answer.body.msg).toBe(
      "This needs a valid API key in the header: Authorization: Bearer <API key>.",
    );
  });
});

function escaped(text: string): string {
  return text.replace(/[().]/g, "\\$&");
}

/** Without what differs between two refusals for the same reason. */
function comparable(body: Fields): Fields {
  const text = JSON.stringify(body).replace(/_[0-9A-Za-z]{27}\b/g, "_");
  return JSON.parse(text.replace(/again in \d+ seconds/, "again"));
}

const revocation = () => ({
  method: "DELETE",
  headers: { Authorization: `Bearer ${numbered.writeKey}`, "Service-Version": "2" },
});

describe("a refusal without a number", () => {
  it.each<[string, (world: World) => Request, string]>([
    ["an unknown path", () => ["GET", "/edges/udp"], "NOT_FOUND"],
    ["an unknown path of backends", () => ["GET", "/backends/none"], "NOT_FOUND"],
    ["another method", () => ["PUT", "/ip_policies"], "METHOD_NOT_ALLOWED"],
    ["a module that is not set", ({ edge }) => ["GET", `${edge}/mutual_tls`], "NOT_FOUND"],
    ["a body too large", () => ["POST", "/ip_policies", long(131_073)], "BODY_TOO_LARGE"],
    [
      "an address that one of several numbers is for",
      () => ["POST", "/backends/static", { address: "a" }],
      "INVALID_REQUEST",
    ],
  ])("stays a word: %s", async (_, request, code) => {
    expect(await codeOf(numbered, request(worlds[0]))).toBe(`ERR_${code}`);
  });

  it.each([
    ["HELLO\r\n\r\n", 400, "INVALID_REQUEST"],
    ["GET /edges/tls HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "INVALID_REQUEST"],
    ["POST /edges/tls HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "INVALID_REQUEST"],
    [`GET /${long(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
  ])("stays a word: bytes that are no request, %#", async (bytes, status, code) => {
    const answer = await sendRaw(numbered.url, bytes);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error_code: `ERR_${code}` });
  });

  it("is any of GraphQL", async () => {
    const input = { description: long(256) };
    await expect(
      graphql(
        numbered,
        "mutation($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { id } } }",
        { input },
      ),
    ).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});

/** The paths or fields of a row, each as code. */
function names(text: string): string {
  return text
    .split("|")
    .filter((name) => name !== "" && name !== "**")
    .map((name) => `\`${name}\``)
    .join(", ");
}

function documented(numbers: readonly ErrorNumber[]): string {
  const rows = numbers
    .toSorted((a, b) => a.number - b.number)
    .map(({ number, code, at, field, says }) =>
      [`\`ERR_NGROK_${number}\``, `\`ERR_${code}\``, names(at), names(field), says.join("; ")].join(
        " | ",
      ),
    );
  return `# Numbers of errors

\`ERROR_CODES=numbered\` has REST answer the original service's number in \`error_code\` where a problem has one, and a word
elsewhere. Everything else of an answer stays as it is, its status included. GraphQL has words always.

A problem has the number whose row has its word, the path of the endpoint or what that begins with, the field, and what
the message begins with. An empty cell fits all. In a field \`*\` is any one name. A field of a module begins with the
name of the module, also where the module is sent to its own path. For \`Authorization\` and \`Content-Type\` the message is
only in this table: answers have the same text for all of these numbers.

A refusal with several problems has the number of the first one that has a number; but under \`${SEVERAL_PROBLEMS.at}\` it is
\`ERR_NGROK_${SEVERAL_PROBLEMS.number}\` when several fields have problems.

| number | word | path | field | message |
|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}
`;
}

describe("the OpenAPI document", () => {
  it("differs between words and numbers in the codes of refusals alone", async () => {
    const [ofNumbers, ofWords] = await Promise.all(
      [numbered, words].map(async ({ url }) => (await fetch(`${url}/openapi.json`)).json()),
    );
    const { ErrorCode, ...others } = ofNumbers.components.schemas;
    const { ErrorCode: wordsAlone, ...sameOthers } = ofWords.components.schemas;
    expect({ ...ofNumbers, components: { ...ofNumbers.components, schemas: others } }).toEqual({
      ...ofWords,
      components: { ...ofWords.components, schemas: sameOthers },
    });
    expect(wordsAlone.enum).toContain("ERR_IN_USE");
    expect(new RegExp(ErrorCode.pattern).test("ERR_NGROK_7018")).toBe(true);
    expect(ErrorCode.enum).toBeUndefined();
  });
});
