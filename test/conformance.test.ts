import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem } from "./harness/certificates.js";
import { PUBLIC_KEY } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";

// Section 4 of the specification, row by row: method, path, status, and the whole JSON of the answer, compared
// as text, so that no key is missing, added or moved. Generated values are checked once, by their pattern.

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ baseDomain: "edge.test" });
});
afterAll(() => server.stop());

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
type Json = Record<string, any>;

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** One request, exactly as section 4 describes it. */
async function call(method: string, path: string, body?: Json): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Service-Version": "2",
      ...(body && { "Content-Type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text: await response.text(),
  };
}

/** The answer's JSON, of which only `status` is known yet. */
function read(answer: Answer, status: number): Json {
  expect([answer.status, answer.type]).toEqual([status, "application/json"]);
  return JSON.parse(answer.text);
}

function expectJson(answer: Answer, status: number, expected: Json): void {
  expect(read(answer, status)).toEqual(expected);
  expect(answer.text).toBe(JSON.stringify(expected));
}

function expectNoContent(answer: Answer): void {
  expect(answer).toEqual({ status: 204, type: null, text: "" });
}

/** Fields that the service generates, after a look at each. */
function generated({ id, created_at }: Json, prefix: string, path: string) {
  expect(id).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{27}$`));
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Math.abs(Date.now() - Date.parse(created_at))).toBeLessThan(60_000);
  return { id, uri: `${server.url}${path}/${id}`, created_at };
}

/** Creates what a test only refers to. */
async function made(path: string, body: Json): Promise<Json> {
  return read(await call("POST", path, body), 201);
}

function refTo(path: string, { id }: Json) {
  return { id, uri: `${server.url}${path}/${id}` };
}

async function expectGone(path: string): Promise<void> {
  expect(read(await call("GET", path), 404)).toMatchObject({ error_code: "ERR_NOT_FOUND" });
}

/** A list that had no rows before: empty, then all of `items`, then page by page. */
async function expectList(path: string, listKey: string, items: readonly Json[]): Promise<void> {
  const uri = server.url + path;
  expectJson(await call("GET", path), 200, { [listKey]: items, uri, next_page_uri: null });
  for (const [index, item] of items.entries()) {
    const after = items[index - 1]?.id;
    const isLast = index === items.length - 1;
    expectJson(await call("GET", `${path}?limit=1${after ? `&before_id=${after}` : ""}`), 200, {
      [listKey]: [item],
      uri,
      next_page_uri: isLast ? null : `${uri}?limit=1&before_id=${item.id}`,
    });
  }
}

describe("4.1 failover backends", () => {
  const path = "/backends/failover";
  const body = { description: "two upstreams", metadata: '{"tier": 1}' };
  let children: string[];
  let full: Json;
  let bare: Json;
  beforeAll(async () => {
    const response = await made("/backends/http_response", { body: "down" });
    const upstream = await made("/backends/static", { address: "upstream.example:80" });
    children = [upstream.id, response.id];
  });

  it("lists: GET /backends/failover, 200, with none", () => expectList(path, "backends", []));

  it("creates: POST /backends/failover, 201", async () => {
    const answer = await call("POST", path, { ...body, backends: children });
    full = { ...generated(read(answer, 201), "bkdfo", path), ...body, backends: children };
    expectJson(answer, 201, full);
  });

  it("creates with nothing given: texts and children are empty", async () => {
    const answer = await call("POST", path, {});
    const empty = { description: "", metadata: "", backends: [] };
    bare = { ...generated(read(answer, 201), "bkdfo", path), ...empty };
    expectJson(answer, 201, bare);
  });

  it("gets: GET /backends/failover/{id}, 200", async () => {
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
  });

  it("lists: GET /backends/failover, 200, newest first", () =>
    expectList(path, "backends", [bare, full]));

  it("updates: PATCH /backends/failover/{id}, 200", async () => {
    const one = `${path}/${full.id}`;
    full = { ...full, description: "reversed", metadata: "", backends: [...children].reverse() };
    const { description, metadata, backends } = full;
    expectJson(await call("PATCH", one, { description, metadata, backends }), 200, full);
    expectJson(await call("PATCH", one, { metadata: "m" }), 200, { ...full, metadata: "m" });
    full = { ...full, metadata: "m", backends: [] };
    expectJson(await call("PATCH", one, { backends: [] }), 200, full);
    expectJson(await call("GET", one), 200, full);
  });

  it("deletes: DELETE /backends/failover/{id}, 204", async () => {
    expectNoContent(await call("DELETE", `${path}/${full.id}`));
    await expectGone(`${path}/${full.id}`);
    await expectList(path, "backends", [bare]);
  });
});

describe("4.2 SSH user certificates", () => {
  const path = "/ssh_user_certificates";
  const public_key = PUBLIC_KEY;
  let ssh_certificate_authority_id: string;
  let full: Json;
  let bare: Json;
  beforeAll(async () => {
    ssh_certificate_authority_id = (await made("/ssh_certificate_authorities", {})).id;
  });

  /** The generated certificate, after a look at it. */
  function certificateIn({ id, certificate }: Json): string {
    expect(certificate).toMatch(
      new RegExp(`^ssh-ed25519-cert-v01@openssh\\.com [A-Za-z0-9+/]+={0,2} ${id}$`),
    );
    return certificate;
  }

  it("lists: GET /ssh_user_certificates, 200, with none", () =>
    expectList(path, "ssh_user_certificates", []));

  it("creates: POST /ssh_user_certificates, 201", async () => {
    const request = {
      ssh_certificate_authority_id,
      public_key,
      principals: ["root", "alice"],
      critical_options: { "source-address": "192.0.2.0/24", "force-command": "uptime" },
      extensions: { "permit-X11-forwarding": "", "permit-pty": "", "login@example.com": "x_y" },
      valid_after: "2026-01-02T03:04:05Z",
      valid_until: "2030-01-02T03:04:05Z",
      description: "for Jo",
      metadata: "{}",
    };
    const answer = await call("POST", path, request);
    const shown = read(answer, 201);
    full = {
      ...generated(shown, "sucrt", path),
      description: request.description,
      metadata: request.metadata,
      public_key,
      key_type: "ed25519",
      ssh_certificate_authority_id,
      principals: request.principals,
      critical_options: request.critical_options,
      extensions: request.extensions,
      valid_after: request.valid_after,
      valid_until: request.valid_until,
      certificate: certificateIn(shown),
    };
    expectJson(answer, 201, full);
  });

  it("creates with the least given: the default extensions, and 24 hours from now", async () => {
    const answer = await call("POST", path, { ssh_certificate_authority_id, public_key });
    const shown = read(answer, 201);
    const row = generated(shown, "sucrt", path);
    bare = {
      ...row,
      description: "",
      metadata: "",
      public_key,
      key_type: "ed25519",
      ssh_certificate_authority_id,
      principals: [],
      critical_options: {},
      extensions: { "permit-pty": "", "permit-user-rc": "" },
      valid_after: shown.valid_after,
      valid_until: shown.valid_until,
      certificate: certificateIn(shown),
    };
    expectJson(answer, 201, bare);
    expect(Math.abs(Date.parse(bare.valid_after) - Date.parse(row.created_at))).toBeLessThan(2000);
    expect(Date.parse(bare.valid_until) - Date.parse(bare.valid_after)).toBe(24 * 3600 * 1000);
  });

  it("takes {} as unspecified extensions", async () => {
    const request = { ssh_certificate_authority_id, public_key, extensions: {} };
    const { id, extensions } = read(await call("POST", path, request), 201);
    expect(extensions).toEqual({ "permit-pty": "", "permit-user-rc": "" });
    expectNoContent(await call("DELETE", `${path}/${id}`));
  });

  it("gets: GET /ssh_user_certificates/{id}, 200", async () => {
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
    expectJson(await call("GET", `${path}/${bare.id}`), 200, bare);
  });

  it("lists: GET /ssh_user_certificates, 200, newest first", () =>
    expectList(path, "ssh_user_certificates", [bare, full]));

  it("updates: PATCH /ssh_user_certificates/{id}, 200, and signs nothing anew", async () => {
    full = { ...full, description: "for Jo's laptop", metadata: "" };
    const { description, metadata } = full;
    expectJson(await call("PATCH", `${path}/${full.id}`, { description, metadata }), 200, full);
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
  });

  it("updates the description and metadata only", async () => {
    const { id, uri, created_at, description, metadata, ...fixed } = full;
    const { details } = read(await call("PATCH", `${path}/${id}`, fixed), 400);
    const { operation_id, ...refused } = details;
    expect(Object.keys(refused).sort()).toEqual(Object.keys(fixed).sort());
  });

  it("deletes: DELETE /ssh_user_certificates/{id}, 204", async () => {
    expectNoContent(await call("DELETE", `${path}/${full.id}`));
    await expectGone(`${path}/${full.id}`);
    await expectList(path, "ssh_user_certificates", [bare]);
  });
});

describe("4.3 reserved addresses", () => {
  const path = "/reserved_addrs";
  let full: Json;
  let bare: Json;

  function addrIn({ addr }: Json, host: string): string {
    const [name, port] = String(addr).split(":");
    expect(name).toMatch(new RegExp(`^\\d\\.${host.replaceAll(".", "\\.")}$`));
    expect(port).toMatch(/^[1-6]\d{4}$/);
    return addr;
  }

  it("lists: GET /reserved_addrs, 200, with none", () => expectList(path, "reserved_addrs", []));

  it("creates: POST /reserved_addrs, 201", async () => {
    const body = { description: "game server", metadata: "{}", region: "eu" };
    const answer = await call("POST", path, body);
    const shown = read(answer, 201);
    full = {
      ...generated(shown, "ra", path),
      description: body.description,
      metadata: body.metadata,
      addr: addrIn(shown, "tcp.eu.edge.test"),
      region: "eu",
      endpoint_configuration: null,
    };
    expectJson(answer, 201, full);
  });

  it("creates with nothing given: in the region us", async () => {
    const answer = await call("POST", path, {});
    const shown = read(answer, 201);
    bare = {
      ...generated(shown, "ra", path),
      description: "",
      metadata: "",
      addr: addrIn(shown, "tcp.edge.test"),
      region: "us",
      endpoint_configuration: null,
    };
    expectJson(answer, 201, bare);
  });

  it.each(["au", "eu", "ap", "us", "jp", "in", "sa"])(
    "creates in the region %s",
    async (region) => {
      const { id, region: shown } = read(await call("POST", path, { region }), 201);
      expect(shown).toBe(region);
      expectNoContent(await call("DELETE", `${path}/${id}`));
    },
  );

  it("creates in no other region", async () => {
    const { details } = read(await call("POST", path, { region: "US" }), 400);
    expect(details).toHaveProperty("region");
  });

  it("gets: GET /reserved_addrs/{id}, 200", async () => {
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
  });

  it("lists: GET /reserved_addrs, 200, newest first", () =>
    expectList(path, "reserved_addrs", [bare, full]));

  it("updates: PATCH /reserved_addrs/{id}, 200", async () => {
    full = { ...full, description: "", metadata: "m" };
    const { description, metadata } = full;
    expectJson(await call("PATCH", `${path}/${full.id}`, { description, metadata }), 200, full);
  });

  it("updates: attaches an endpoint configuration by its id, and shows it as a Ref", async () => {
    const configuration = await made("/endpoint_configurations", { type: "tcp" });
    const one = `${path}/${full.id}`;
    full = { ...full, endpoint_configuration: refTo("/endpoint_configurations", configuration) };
    const body = { endpoint_configuration_id: configuration.id };
    expectJson(await call("PATCH", one, body), 200, full);
    full = { ...full, description: "attached" };
    expectJson(await call("PATCH", one, { description: "attached" }), 200, full);
    await expectList(path, "reserved_addrs", [bare, full]);
  });

  it("updates neither the region nor the address, nor by the answer's shape", async () => {
    const body = { region: "us", addr: "1.tcp.edge.test:1", endpoint_configuration: null };
    const { details } = read(await call("PATCH", `${path}/${full.id}`, body), 400);
    const { operation_id, ...refused } = details;
    expect(Object.keys(refused).sort()).toEqual(Object.keys(body).sort());
  });

  it("deletes: DELETE /reserved_addrs/{id}, 204", async () => {
    expectNoContent(await call("DELETE", `${path}/${full.id}`));
    await expectGone(`${path}/${full.id}`);
    await expectList(path, "reserved_addrs", [bare]);
  });
});

describe("4.4 HTTPS edges", () => {
  const path = "/edges/https";
  let cas: Json[];
  let full: Json;
  let bare: Json;
  const ids = (authorities: readonly Json[]) => authorities.map(({ id }) => id);
  const refs = (authorities: readonly Json[]) =>
    authorities.map((ca) => refTo("/certificate_authorities", ca));
  const patch = (body: Json) => call("PATCH", `${path}/${full.id}`, body);
  beforeAll(async () => {
    const ca_pem = await authorityPem();
    const create = () => made("/certificate_authorities", { ca_pem });
    cas = [await create(), await create(), await create()];
  });

  it("lists: GET /edges/https, 200, with none", () => expectList(path, "https_edges", []));

  it("creates: POST /edges/https, 201, with modules in the shape of requests", async () => {
    const [first = {}, second = {}] = cas;
    const body = {
      description: "the shop",
      metadata: '{"team": "shop"}',
      hostports: ["shop.example.com:443", "*.shop.example.com:443"],
      mutual_tls: { enabled: false, certificate_authority_ids: ids([second, first]) },
      tls_termination: { enabled: false, min_version: "1.3" },
    };
    const answer = await call("POST", path, body);
    full = {
      ...generated(read(answer, 201), "edghts", path),
      description: body.description,
      metadata: body.metadata,
      hostports: body.hostports,
      mutual_tls: { enabled: false, certificate_authorities: refs([second, first]) },
      tls_termination: { enabled: false, terminate_at: "edge", min_version: "1.3" },
      routes: [],
    };
    expectJson(answer, 201, full);
  });

  it("creates with nothing given: modules are null, routes are empty", async () => {
    const answer = await call("POST", path, {});
    bare = {
      ...generated(read(answer, 201), "edghts", path),
      description: "",
      metadata: "",
      hostports: [],
      mutual_tls: null,
      tls_termination: null,
      routes: [],
    };
    expectJson(answer, 201, bare);
  });

  it("takes no module in the shape of answers", async () => {
    const body = {
      mutual_tls: { certificate_authorities: refs(cas) },
      tls_termination: { terminate_at: "edge" },
      routes: [],
    };
    const { details } = read(await call("POST", path, body), 400);
    const { operation_id, ...refused } = details;
    expect(Object.keys(refused).sort()).toEqual([
      "mutual_tls.certificate_authorities",
      "mutual_tls.certificate_authority_ids",
      "routes",
      "tls_termination.terminate_at",
    ]);
  });

  it("gets: GET /edges/https/{id}, 200", async () => {
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
  });

  it("lists: GET /edges/https, 200, newest first", () =>
    expectList(path, "https_edges", [bare, full]));

  it("updates: PATCH /edges/https/{id}, 200; rule 1: a module not included stays", async () => {
    full = { ...full, description: "shop", metadata: "", hostports: ["shop.example.com:443"] };
    const { description, metadata, hostports } = full;
    expectJson(await patch({ description, metadata, hostports }), 200, full);
    expectJson(await patch({}), 200, full);
    const tls_termination = { enabled: true, terminate_at: "edge", min_version: "1.2" };
    full = { ...full, tls_termination };
    expectJson(await patch({ tls_termination: { enabled: true, min_version: "1.2" } }), 200, full);
  });

  it("rule 2: a module included replaces all of its value", async () => {
    const [, , third = {}] = cas;
    full = { ...full, mutual_tls: { enabled: true, certificate_authorities: refs([third]) } };
    const mutual_tls = { certificate_authority_ids: ids([third]) };
    expectJson(await patch({ mutual_tls }), 200, full);
    const tls_termination = { enabled: true, terminate_at: "edge", min_version: null };
    full = { ...full, tls_termination };
    expectJson(await patch({ tls_termination: {} }), 200, full);
    expectJson(await patch({ tls_termination: { min_version: null } }), 200, full);
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
  });

  it("rule 3: an update removes no module; its own path does", async () => {
    expectJson(await patch({ mutual_tls: null, tls_termination: null }), 200, full);
    const { details } = read(await patch({ mutual_tls: {} }), 400);
    expect(details).toHaveProperty(["mutual_tls.certificate_authority_ids"]);
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
    expectNoContent(await call("DELETE", `${path}/${full.id}/mutual_tls`));
    full = { ...full, mutual_tls: null };
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
    expectNoContent(await call("DELETE", `${path}/${full.id}/tls_termination`));
    full = { ...full, tls_termination: null };
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
  });

  it("nests its routes, oldest first: with all thirteen modules, and with none", async () => {
    const { sent, shown } = await loadedRoute();
    const routes = `${path}/${full.id}/routes`;
    const answer = await call("POST", routes, sent);
    const created = read(answer, 201);
    const { id, uri, created_at } = generated(created, "edghtsrt", routes);
    const loaded = { edge_id: full.id, id, created_at, uri, ...shown(id, created) };
    expectJson(answer, 201, loaded);
    const empty = await call("POST", routes, { match_type: "exact_path", match: "/empty" });
    const row = generated(read(empty, 201), "edghtsrt", routes);
    const withNone = {
      edge_id: full.id,
      id: row.id,
      created_at: row.created_at,
      uri: row.uri,
      match_type: "exact_path",
      match: "/empty",
      description: "",
      metadata: "",
      ...Object.fromEntries(MODULES.map((name) => [name, null])),
    };
    expectJson(empty, 201, withNone);
    full = { ...full, routes: [loaded, withNone] };
    expectJson(await call("GET", `${path}/${full.id}`), 200, full);
    expectJson(await patch({}), 200, full);
    await expectList(path, "https_edges", [bare, full]);
    for (const name of MODULES) {
      expectJson(await call("GET", `${routes}/${id}/${name}`), 200, (loaded as Json)[name]);
    }
  });

  it("deletes: DELETE /edges/https/{id}, 204, with its routes", async () => {
    const [route] = full.routes;
    expectNoContent(await call("DELETE", `${path}/${full.id}`));
    await expectGone(`${path}/${full.id}`);
    await expectGone(`${path}/${full.id}/routes/${route.id}`);
    await expectList(path, "https_edges", [bare]);
  });
});

/** In the order of the specification's table of HTTPSEdgeRoute. */
const MODULES = [
  ...["backend", "ip_restriction", "circuit_breaker", "compression", "request_headers"],
  ...["response_headers", "webhook_verification", "oauth", "saml", "oidc"],
  ...["websocket_tcp_converter", "user_agent_filter", "traffic_policy"],
] as const;

/** The request for a route with every module and every field, and the part of its answer that is not its row. */
async function loadedRoute() {
  const weighted = await made("/backends/weighted", {});
  const policies = [await made("/ip_policies", {}), await made("/ip_policies", {})];
  const fields = {
    match_type: "path_prefix",
    match: "shop.example.com/api",
    description: "the API",
    metadata: "{}",
  };
  const session = {
    options_passthrough: true,
    cookie_prefix: "shop.",
    inactivity_timeout: 3600,
    maximum_duration: 4_294_967_295,
  };
  const circuit_breaker = {
    enabled: true,
    tripped_duration: 120,
    rolling_window: 60,
    num_buckets: 128,
    volume_threshold: 7,
    error_threshold_percentage: 0.25,
  };
  const request_headers = {
    enabled: true,
    add: { "X-Frontend": "edge", "x-b": "", X_c: "1" },
    remove: ["Cookie", "x-secret"],
  };
  const response_headers = { enabled: false, add: {}, remove: ["Server"] };
  const webhook_verification = { enabled: true, provider: "GitHub", secret: "hook secret" };
  const github = {
    client_id: "client",
    client_secret: "client secret",
    scopes: ["user", "read:org"],
    email_addresses: ["jo@example.com"],
    email_domains: ["example.com", "example.org"],
    teams: ["acme/web"],
    organizations: ["acme"],
  };
  const saml = {
    idp_metadata:
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example">' +
      '<IDPSSODescriptor><SingleSignOnService Binding="urn:x" Location="https://idp.example/sso"/>' +
      "</IDPSSODescriptor></EntityDescriptor>",
    force_authn: true,
    allow_idp_initiated: false,
    authorized_groups: ["staff", "ops"],
  };
  const nameid_format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
  const oidc = {
    enabled: false,
    ...session,
    issuer: "https://id.example.com",
    client_id: "client",
    client_secret: "other secret",
    scopes: ["openid", "email"],
  };
  const user_agent_filter = { enabled: true, allow: ["(?i)chrome"], deny: ["bot/\\d+", "curl"] };
  const value = "on_http_request:\n  - actions:\n      - type: deny # é\n";
  const traffic_policy = { enabled: false, value };
  const sent = {
    ...fields,
    backend: { enabled: false, backend_id: weighted.id },
    ip_restriction: { enabled: true, ip_policy_ids: policies.map(({ id }) => id).reverse() },
    circuit_breaker,
    compression: { enabled: false },
    request_headers,
    response_headers,
    webhook_verification,
    oauth: { enabled: true, provider: { github }, ...session, auth_check_interval: 300 },
    saml: { enabled: false, ...session, ...saml, nameid_format },
    oidc,
    websocket_tcp_converter: {},
    user_agent_filter,
    traffic_policy,
  };
  const shown = (id: string, created: Json) => {
    const entity_id = `https://idp.edge.test/saml/${id}`;
    const { request_signing_certificate_pem } = created.saml;
    expect(request_signing_certificate_pem).toMatch(
      /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+\n-----END CERTIFICATE-----\n?$/,
    );
    return {
      ...fields,
      backend: { enabled: false, backend: refTo("/backends/weighted", weighted) },
      ip_restriction: {
        enabled: true,
        ip_policies: policies.map((policy) => refTo("/ip_policies", policy)).reverse(),
      },
      circuit_breaker,
      compression: { enabled: false },
      request_headers,
      response_headers,
      webhook_verification,
      oauth: {
        enabled: true,
        provider: {
          github,
          facebook: null,
          microsoft: null,
          google: null,
          linkedin: null,
          gitlab: null,
          twitch: null,
          amazon: null,
        },
        ...session,
        auth_check_interval: 300,
      },
      saml: {
        enabled: false,
        ...session,
        ...saml,
        entity_id,
        assertion_consumer_service_url: `${entity_id}/acs`,
        single_logout_url: `${entity_id}/slo`,
        request_signing_certificate_pem,
        metadata_url: entity_id,
        nameid_format,
      },
      oidc,
      websocket_tcp_converter: { enabled: true },
      user_agent_filter,
      traffic_policy,
    };
  };
  return { sent, shown };
}

describe("2.4 the modules of a route, with the least given", () => {
  const session = {
    options_passthrough: false,
    cookie_prefix: "ngrok.",
    inactivity_timeout: 0,
    maximum_duration: 0,
  };
  const client = {
    client_id: "client",
    client_secret: "secret",
    scopes: [],
    email_addresses: [],
    email_domains: [],
  };
  const none = {
    github: null,
    facebook: null,
    microsoft: null,
    google: null,
    linkedin: null,
    gitlab: null,
    twitch: null,
    amazon: null,
  };
  let path: string;
  beforeAll(async () => {
    const edge = await made("/edges/https", {});
    const route = await made(`/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: "/",
    });
    path = `/edges/https/${edge.id}/routes/${route.id}`;
  });

  it.each<[string, Json, Json]>([
    [
      "circuit_breaker",
      {},
      {
        enabled: true,
        tripped_duration: 10,
        rolling_window: 10,
        num_buckets: 10,
        volume_threshold: 20,
        error_threshold_percentage: 0.5,
      },
    ],
    ["compression", {}, { enabled: true }],
    ["request_headers", {}, { enabled: true, add: {}, remove: [] }],
    ["response_headers", {}, { enabled: true, add: {}, remove: [] }],
    ["webhook_verification", { provider: "sns" }, { enabled: true, provider: "sns", secret: "" }],
    ["websocket_tcp_converter", {}, { enabled: true }],
    ["user_agent_filter", {}, { enabled: true, allow: [], deny: [] }],
    ["traffic_policy", { value: "{}" }, { enabled: true, value: "{}" }],
    [
      "oidc",
      { issuer: "https://id.example", client_id: "c", client_secret: "s" },
      {
        enabled: true,
        ...session,
        issuer: "https://id.example",
        client_id: "c",
        client_secret: "s",
        scopes: [],
      },
    ],
    ...["google", "facebook", "microsoft", "linkedin", "gitlab", "twitch", "amazon"].map(
      (name): [string, Json, Json] => [
        "oauth",
        { provider: { [name]: { client_id: "client", client_secret: "secret" } } },
        {
          enabled: true,
          provider: { ...none, [name]: client },
          ...session,
          auth_check_interval: 0,
        },
      ],
    ),
    [
      "oauth",
      { provider: { github: {} } },
      {
        enabled: true,
        provider: {
          ...none,
          github: { ...client, client_id: "", client_secret: "", teams: [], organizations: [] },
        },
        ...session,
        auth_check_interval: 0,
      },
    ],
  ])("%s: PUT %j, 200, GET, 200, DELETE, 204", async (name, body, expected) => {
    expectJson(await call("PUT", `${path}/${name}`, body), 200, expected);
    expectJson(await call("PUT", `${path}/${name}`, { module: body }), 200, expected);
    expectJson(await call("GET", `${path}/${name}`), 200, expected);
    expectNoContent(await call("DELETE", `${path}/${name}`));
    expectNoContent(await call("DELETE", `${path}/${name}`));
    await expectGone(`${path}/${name}`);
  });
});

describe("2 values that stand for none", () => {
  const ssh = async () => {
    const { id } = await made("/ssh_certificate_authorities", {});
    return { ssh_certificate_authority_id: id, public_key: PUBLIC_KEY };
  };
  const nothing = async () => ({});

  it.each<[string, () => Promise<Json>, Json[], Json]>([
    [
      "/backends/failover",
      nothing,
      [{ description: null, metadata: null, backends: null }],
      { description: "", metadata: "", backends: [] },
    ],
    [
      "/ssh_user_certificates",
      ssh,
      [
        { principals: null, critical_options: null, extensions: null, valid_after: null },
        { description: null, metadata: null, valid_until: null },
        { critical_options: {}, extensions: {}, valid_after: "", valid_until: "" },
      ],
      {
        description: "",
        metadata: "",
        principals: [],
        critical_options: {},
        extensions: { "permit-pty": "", "permit-user-rc": "" },
      },
    ],
    [
      "/reserved_addrs",
      nothing,
      [
        { description: null, metadata: null, region: null, endpoint_configuration_id: null },
        { region: "", endpoint_configuration_id: "" },
      ],
      { description: "", metadata: "", region: "us", endpoint_configuration: null },
    ],
    [
      "/edges/https",
      nothing,
      [
        {
          description: null,
          metadata: null,
          hostports: null,
          mutual_tls: null,
          tls_termination: null,
        },
      ],
      {
        description: "",
        metadata: "",
        hostports: [],
        mutual_tls: null,
        tls_termination: null,
        routes: [],
      },
    ],
    [
      "/edges/https",
      nothing,
      [{ tls_termination: { enabled: null, min_version: "" } }],
      { tls_termination: { enabled: true, terminate_at: "edge", min_version: null } },
    ],
  ])("%s: null and empty values are unspecified on create", async (path, needed, bodies, shown) => {
    const required = await needed();
    for (const body of bodies) {
      expect(await made(path, { ...required, ...body })).toMatchObject(shown);
    }
  });

  it("null and absent leave every field as it is in an update, and the id may be repeated", async () => {
    const [ca, child] = [
      await made("/certificate_authorities", { ca_pem: await authorityPem() }),
      await made("/backends/static", { address: "upstream.example:80" }),
    ];
    const configuration = await made("/endpoint_configurations", { type: "tcp" });
    const texts = { description: "a", metadata: "m" };
    const rows: [string, Json, Json][] = [
      ["/backends/failover", { ...texts, backends: [child.id] }, { backends: null }],
      ["/ssh_user_certificates", { ...texts, ...(await ssh()) }, {}],
      [
        "/reserved_addrs",
        { ...texts, endpoint_configuration_id: configuration.id },
        { endpoint_configuration_id: null },
      ],
      [
        "/edges/https",
        {
          ...texts,
          hostports: ["a.example:443"],
          mutual_tls: { certificate_authority_ids: [ca.id] },
          tls_termination: {},
        },
        { hostports: null, mutual_tls: null, tls_termination: null },
      ],
    ];
    for (const [path, body, nulls] of rows) {
      const created = await made(path, body);
      const one = `${path}/${created.id}`;
      const { id } = created;
      expectJson(await call("PATCH", one, {}), 200, created);
      expectJson(
        await call("PATCH", one, { id, description: null, metadata: null, ...nulls }),
        200,
        created,
      );
      expectJson(await call("GET", one), 200, created);
    }
  });
});

describe("2 maps of users", () => {
  it("keep every name and the order that they are given in, also when only that changes", async () => {
    const edge = await made("/edges/https", {});
    const body = { match_type: "exact_path", match: "/" };
    const route = await made(`/edges/https/${edge.id}/routes`, body);
    const backend = await made("/backends/tunnel_group", {});
    const headers = `/edges/https/${edge.id}/routes/${route.id}/request_headers`;
    const maps = [
      { "X-b": "1", a_B: "2", aB: "3" },
      { aB: "3", "X-b": "1", a_B: "2" },
    ];
    for (const map of maps) {
      const module = { enabled: true, add: map, remove: [] };
      expectJson(await call("PUT", headers, { add: map }), 200, module);
      expectJson(await call("GET", headers), 200, module);
      const one = `/backends/tunnel_group/${backend.id}`;
      expectJson(await call("PATCH", one, { labels: map }), 200, { ...backend, labels: map });
    }
    const children = [
      await made("/backends/static", { address: "upstream.example:80" }),
      await made("/backends/static", { address: "upstream.example:81" }),
    ].map(({ id }) => id);
    const weighted = await made("/backends/weighted", {});
    for (const ids of [children, [...children].reverse()]) {
      const backends = Object.fromEntries(ids.map((id) => [id, 1]));
      const one = `/backends/weighted/${weighted.id}`;
      expectJson(await call("PATCH", one, { backends }), 200, { ...weighted, backends });
    }
  });
});

describe("4.5 the TLS termination module of a TLS edge", () => {
  let edge: Json;
  let path: string;
  beforeAll(async () => {
    edge = await made("/edges/tls", {});
    path = `/edges/tls/${edge.id}/tls_termination`;
  });

  it("replaces: PUT /edges/tls/{id}/tls_termination, 200, the bare module", async () => {
    const module = { enabled: false, terminate_at: "edge", min_version: "1.3" };
    expectJson(await call("PUT", path, module), 200, module);
    expectJson(await call("GET", path), 200, module);
  });

  it("replaces all of it: what is not given takes its default", async () => {
    const defaults = { enabled: true, terminate_at: "edge", min_version: null };
    expectJson(await call("PUT", path, {}), 200, defaults);
    expectJson(await call("GET", path), 200, defaults);
    const upstream = { enabled: true, terminate_at: "upstream", min_version: null };
    expectJson(await call("PUT", path, { terminate_at: "upstream" }), 200, upstream);
    expectJson(await call("PUT", path, upstream), 200, upstream);
  });

  it.each(["1.0", "1.1", "1.2", "1.3", null])("takes %j for min_version", async (min_version) => {
    const module = { enabled: true, terminate_at: "edge", min_version };
    expectJson(await call("PUT", path, module), 200, module);
  });

  it("takes no min_version when it terminates upstream", async () => {
    const module = { enabled: true, terminate_at: "upstream", min_version: "1.2" };
    const { details } = read(await call("PUT", path, module), 400);
    expect(details).toHaveProperty("min_version");
    expect(read(await call("GET", path), 200).terminate_at).toBe("edge");
  });

  it("gets: GET /edges/tls/{id}/tls_termination, 200, the same as nested in the edge", async () => {
    const module = { enabled: true, terminate_at: "upstream", min_version: null };
    expectJson(await call("PUT", path, { module }), 200, module);
    expectJson(await call("GET", path), 200, module);
    const shown = read(await call("GET", `/edges/tls/${edge.id}`), 200);
    expect(shown).toEqual({ ...edge, tls_termination: module });
  });

  it("deletes: DELETE /edges/tls/{id}/tls_termination, 204, also when it is not set", async () => {
    expectNoContent(await call("DELETE", path));
    await expectGone(path);
    expectNoContent(await call("DELETE", path));
    expect(read(await call("GET", `/edges/tls/${edge.id}`), 200)).toEqual(edge);
  });

  it("is not found on an edge that does not exist", async () => {
    const other = "/edges/tls/edgtls_0000000000000000000000000AA/tls_termination";
    await expectGone(other);
    for (const method of ["PUT", "DELETE"]) {
      expect(read(await call(method, other, {}), 404).error_code).toBe("ERR_NOT_FOUND");
    }
  });
});

describe("8 limits", () => {
  const at = (bytes: number) => "é".repeat(bytes >> 1) + "x".repeat(bytes & 1);

  async function edgeRoute(): Promise<Json> {
    const { id } = await made("/edges/https", {});
    return { path: `/edges/https/${id}/routes`, body: { match_type: "exact_path", match: "/" } };
  }
  async function certificate(): Promise<Json> {
    const { id } = await made("/ssh_certificate_authorities", {});
    const body = { ssh_certificate_authority_id: id, public_key: PUBLIC_KEY };
    return { path: "/ssh_user_certificates", body };
  }

  it.each<[string, () => Promise<Json>]>([
    ["an SSH user certificate", certificate],
    ["a reserved address", async () => ({ path: "/reserved_addrs", body: {} })],
    ["an HTTPS edge", async () => ({ path: "/edges/https", body: {} })],
    ["an HTTPS edge route", edgeRoute],
    ["a failover backend", async () => ({ path: "/backends/failover", body: {} })],
  ])("%s: 255 bytes of description, 4096 of metadata", async (_, owner) => {
    const { path, body } = await owner();
    const texts = { description: at(255), metadata: at(4096) };
    const tooLong = { description: at(256), metadata: at(4097) };
    const refused = read(await call("POST", path, { ...body, ...tooLong }), 400);
    expect(Object.keys(refused.details).sort()).toEqual([
      "description",
      "metadata",
      "operation_id",
    ]);
    const { id } = read(await call("POST", path, { ...body, ...texts }), 201);
    expect(read(await call("PATCH", `${path}/${id}`, tooLong), 400).details).toHaveProperty(
      "metadata",
    );
    expect(read(await call("GET", `${path}/${id}`), 200)).toMatchObject(texts);
  });

  it("a circuit breaker: 128 buckets, a threshold from 0 to 1.0", async () => {
    const { path, body } = await edgeRoute();
    const { id } = await made(path, body);
    const put = (module: Json) => call("PUT", `${path}/${id}/circuit_breaker`, module);
    const most = { num_buckets: 128, error_threshold_percentage: 1 };
    expect(read(await put(most), 200)).toMatchObject(most);
    const { details } = read(
      await put({ num_buckets: 129, error_threshold_percentage: 1.01 }),
      400,
    );
    expect(Object.keys(details).sort()).toEqual([
      "error_threshold_percentage",
      "num_buckets",
      "operation_id",
    ]);
    expect(read(await put({ error_threshold_percentage: -0.01 }), 400).details).toHaveProperty(
      "error_threshold_percentage",
    );
  });
});
