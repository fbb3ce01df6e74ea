import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApplyOptions, apply as applyOn, newKey, summary } from "./harness/applying.js";
import {
  anyHttpsEdge,
  anyHttpsEdgeRoute,
  type Given,
  type Targets,
} from "./harness/arbitraries.js";
import { authorityPem } from "./harness/certificates.js";
import { everyRouteModule, SAML_METADATA } from "./harness/modules.js";
import { httpsEdge, routesOf } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// Desired states: what is there becomes what is desired, in one transaction, whatever it was before.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const post = async (path: string, body: object = {}): Promise<string> =>
  (await rest(server, "POST", path, body)).body.id;

const apply = (kind: string, key: string, fields: Fields, options?: ApplyOptions) =>
  applyOn(server, kind, key, fields, options);

const applyEdge = (key: string, fields: Fields, options?: ApplyOptions) =>
  apply("httpsEdge", key, fields, options);

/** How many there are of everything, and what stands in the log. */
async function stored(): Promise<Fields> {
  return graphql(
    server,
    "{ overview { resources { type count } } changes(last: 1) { totalCount nodes { id } } }",
  );
}

/** An edge with its routes, as the API shows it, without what tells one edge from another. */
async function shown(id: string): Promise<Fields> {
  const [, byGraphql] = transports;
  if (!byGraphql) throw new Error("There is no second transport.");
  const { nodes } = (
    await graphql(
      server,
      "query($id: ID!) { httpsEdge(id: $id) { routes(first: 100) { nodes { id } } } }",
      {
        id,
      },
    )
  ).httpsEdge.routes;
  const routes = await Promise.all(
    nodes.map((route: Fields) => byGraphql.drive(server, routesOf(id)).get(route.id)),
  );
  const edge = await byGraphql.drive(server, httpsEdge).get(id);
  const byMatch = routes
    .map((route): Fields => ({ ...anonymous(route), saml: route.saml && samlSettings(route.saml) }))
    .sort((a, b) =>
      JSON.stringify([a.matchType, a.match]) < JSON.stringify([b.matchType, b.match]) ? -1 : 1,
    );
  return { ...anonymous(edge), routes: byMatch };
}

function anonymous({ id, createdAt, updatedAt, version, edge, ...fields }: Fields): Fields {
  return fields;
}

function samlSettings(saml: Fields): Fields {
  const { entityId, assertionConsumerServiceUrl, singleLogoutUrl, metadataUrl, ...rest } = saml;
  const { requestSigningCertificatePem, ...settings } = rest;
  return settings;
}

const prefix = (match: string, fields: Fields = {}): Fields => ({
  matchType: "path_prefix",
  match,
  ...fields,
});

describe("an HTTPS edge", () => {
  it("is created, changed and kept under its key, its routes matched by how they match", async () => {
    const key = newKey();
    const first = await applyEdge(key, {
      description: "d",
      hostports: ["a.example:443"],
      routes: [prefix("/a", { compression: {} }), prefix("/b", { metadata: "m" }), prefix("/c")],
    });
    expect(summary(first.changes)).toEqual([
      "CREATED d",
      "CREATED path_prefix /a",
      "CREATED path_prefix /b",
      "CREATED path_prefix /c",
    ]);
    const second = await applyEdge(key, {
      hostports: ["a.example:443"],
      tlsTermination: {},
      routes: [
        prefix("/c"),
        { matchType: "exact_path", match: "/a" },
        prefix("/a", { compression: { enabled: false } }),
      ],
    });
    expect(second.resource).toEqual({ id: first.resource?.id, version: 2 });
    expect(summary(second.changes)).toEqual([
      "UPDATED a.example:443",
      "DELETED path_prefix /b",
      "UPDATED path_prefix /a",
      "CREATED exact_path /a",
    ]);
    const [edge, , route] = second.changes;
    expect(edge).toMatchObject({ type: "HTTPS_EDGE", resourceId: first.resource?.id, version: 2 });
    expect(edge?.differences).toContainEqual({ path: ["description"], before: "d", after: null });
    expect(route?.differences).toEqual([
      { path: ["compression", "enabled"], before: true, after: false },
    ]);
  });

  it("stays untouched by the same state, with its secrets and generated keys", async () => {
    const backend = await post("/backends/http_response");
    const policy = await post("/ip_policies");
    const key = newKey();
    const desired = {
      hostports: ["a.example:443"],
      mutualTls: {
        certificateAuthorityIds: [
          await post("/certificate_authorities", { ca_pem: await authorityPem() }),
        ],
      },
      tlsTermination: { minVersion: "1.2" },
      routes: [prefix("/a", everyRouteModule(backend, policy)), prefix("/b")],
    };
    const { resource } = await applyEdge(key, desired);
    const before = [await stored(), await shown(resource?.id ?? "")];
    expect(await applyEdge(key, desired)).toEqual({ resource, changes: [] });
    expect([await stored(), await shown(resource?.id ?? "")]).toEqual(before);
    const [route, plain] = desired.routes;
    const changed = { ...route?.webhookVerification, secret: "whsec_2" };
    const { changes } = await applyEdge(key, {
      ...desired,
      routes: [{ ...route, webhookVerification: changed }, plain],
    });
    expect(changes).toMatchObject([
      {
        action: "UPDATED",
        differences: [
          { path: ["webhookVerification", "secret"], before: "[secret]", after: "[secret]" },
        ],
      },
    ]);
  });

  it("keeps the signing key of a SAML module whose settings change", async () => {
    const key = newKey();
    const saml = { idpMetadata: SAML_METADATA };
    await applyEdge(key, { routes: [prefix("/", { saml })] });
    const { changes } = await applyEdge(key, {
      routes: [prefix("/", { saml: { ...saml, forceAuthn: true } })],
    });
    expect(changes).toMatchObject([
      { differences: [{ path: ["saml", "forceAuthn"], before: false, after: true }] },
    ]);
  });

  it("takes a backend by the key under which it is applied", async () => {
    const [backendKey, key] = [newKey(), newKey()];
    const { resource } = await apply("backend", backendKey, {
      staticBackend: { address: "a.internal:80" },
    });
    const edge = await applyEdge(key, {
      routes: [prefix("/", { backend: { backend: { key: backendKey } } })],
    });
    expect((await shown(edge.resource?.id ?? "")).routes[0].backend).toEqual({
      enabled: true,
      backend: resource?.id,
    });
    const byId = prefix("/", { backend: { backend: { id: resource?.id } } });
    expect((await applyEdge(key, { routes: [byId] })).changes).toEqual([]);
  });

  it("is refused with every problem at once, and nothing is stored", async () => {
    const key = newKey();
    const { resource } = await applyEdge(key, { routes: [prefix("/a")] });
    const before = [await stored(), await shown(resource?.id ?? "")];
    const invalid = applyEdge("k".repeat(256), {
      hostports: ["a"],
      routes: [
        prefix("/b", { circuitBreaker: { numBuckets: 129 } }),
        prefix("/b"),
        prefix("/c", { backend: { backend: { id: "bkdsc_nobody" } } }),
      ],
    });
    await expect(invalid).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "hostports.0",
        "key",
        "routes.0.circuitBreaker.numBuckets",
        "routes.1.match",
        "routes.2.backend.backend.id",
      ],
    });
    const both = applyEdge(key, {
      routes: [
        prefix("/b", {
          backend: { backend: { key: "nobody" } },
          requestHeaders: { add: { key: "" } },
        }),
        prefix("/b", { ipRestriction: { ipPolicyIds: ["ipp_nobody"] } }),
        prefix("/c", { backend: { backend: { key: resource?.id } } }),
      ],
    });
    await expect(both).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "routes.0.backend.backend.key",
        "routes.1.ipRestriction.ipPolicyIds.0",
        "routes.1.match",
        "routes.2.backend.backend.key",
      ],
    });
    const dangling = applyEdge(key, {
      routes: [
        prefix("/b", { backend: { backend: { key: "nobody" } } }),
        prefix("/c", { ipRestriction: { ipPolicyIds: ["ipp_nobody"] } }),
        prefix("/d", { backend: { backend: { id: "bkdsc_nobody" } } }),
      ],
    });
    await expect(dangling).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "routes.0.backend.backend.key",
        "routes.1.ipRestriction.ipPolicyIds.0",
        "routes.2.backend.backend.id",
      ],
    });
    expect([await stored(), await shown(resource?.id ?? "")]).toEqual(before);
  });

  it("takes few statements, and none for each route that is as desired", async () => {
    const routes = (count: number) => Array.from({ length: count }, (_, i) => prefix(`/${i}`));
    const count = async (key: string, size: number) =>
      (await server.statements(() => applyEdge(key, { routes: routes(size) }))).length;
    const [small, large] = [newKey(), newKey()];
    expect(await count(large, 50)).toBe(await count(small, 2));
    expect(await count(large, 50)).toBe(await count(small, 2));
    expect(await count(large, 10)).toBe(await count(small, 1));
  });
});

describe("any desired edge", () => {
  let targets: Targets;
  beforeAll(async () => {
    const leaf = await post("/backends/http_response");
    targets = {
      backends: [leaf, await post("/backends/failover", { backends: [leaf] })],
      leafBackends: [leaf],
      certificateAuthorities: [
        await post("/certificate_authorities", { ca_pem: await authorityPem() }),
        await post("/certificate_authorities", { ca_pem: await authorityPem() }),
      ],
      ipPolicies: [await post("/ip_policies"), await post("/ip_policies")],
      endpointConfigurations: [],
      httpConfigurations: [],
      httpsConfigurations: [],
      tlsCertificates: [],
    };
  });

  const anyEdge = () => {
    const match = fc.constantFrom("/", "/a", "/b", "a.example/c");
    const matchType = fc.constantFrom("exact_path", "path_prefix");
    const route = fc
      .tuple(fc.record({ match, matchType }), anyHttpsEdgeRoute(targets))
      .map(([way, { input }]): Fields => ({ ...input, ...way }));
    const routes = fc.uniqueArray(route, {
      maxLength: 4,
      selector: ({ match, matchType }) => `${matchType} ${match}`,
    });
    return fc
      .tuple(anyHttpsEdge(targets), routes)
      .map(([{ input }, routes]: [Given, Fields[]]): Fields => ({ ...input, routes }));
  };

  it("is what is there afterwards, whatever was there before; again it changes nothing; a dry run tells", async () => {
    await fc.assert(
      fc.asyncProperty(anyEdge(), anyEdge(), async (before, desired) => {
        const [key, otherKey] = [newKey(), newKey()];
        const { resource } = await applyEdge(key, before);
        const dry = await applyEdge(key, desired, { dryRun: true });
        expect(await applyEdge(key, before)).toEqual({ resource, changes: [] });
        const done = await applyEdge(key, desired);
        expect(withoutNew(dry.changes)).toEqual(withoutNew(done.changes));
        const log = await stored();
        expect((await applyEdge(key, desired)).changes).toEqual([]);
        expect(await stored()).toEqual(log);
        const other = await applyEdge(otherKey, desired);
        expect(await shown(resource?.id ?? "")).toEqual(await shown(other.resource?.id ?? ""));
      }),
      { numRuns: 15 },
    );
    // Each SAML module gets an RSA key, which takes long to make on a busy machine.
  }, 120_000);

  /** Without what a dry run makes up for resources that are not there yet. */
  function withoutNew(changes: readonly Fields[]): Fields[] {
    return changes.map(({ resourceId, differences, ...entry }) => ({
      ...entry,
      resourceId: entry.action === "CREATED" ? null : resourceId,
      differences: differences.filter(
        ({ path: [module, field] }: Fields) =>
          !(module === "saml" && /^entityId|Url$|Pem$/.test(field)),
      ),
    }));
  }
});

describe("a backend", () => {
  it("of any kind is created, changed and kept under its key, its children by key or id", async () => {
    const key = (name: string) => `backend ${name}`;
    const states: [string, Fields, Fields][] = [
      ["http", { httpResponseBackend: { statusCode: 404 } }, { httpResponseBackend: {} }],
      [
        "static",
        { staticBackend: { address: "a.internal:80", tls: { enabled: true } } },
        { staticBackend: { address: "a.internal:80" } },
      ],
      ["tunnel", { tunnelGroupBackend: { labels: { a: "b" } } }, { tunnelGroupBackend: {} }],
      [
        "weighted",
        { weightedBackend: { backends: [{ backend: { key: key("static") }, weight: 1 }] } },
        { weightedBackend: { backends: [{ backend: { key: key("static") }, weight: 2 }] } },
      ],
      [
        "failover",
        { failoverBackend: { backends: [{ key: key("weighted") }, { key: key("http") }] } },
        { failoverBackend: { backends: [{ key: key("http") }, { key: key("weighted") }] } },
      ],
    ];
    for (const [name, first, second] of states) {
      const made = await apply("backend", key(name), first);
      expect(made.changes).toMatchObject([{ action: "CREATED", resourceId: made.resource?.id }]);
      expect((await apply("backend", key(name), first)).changes).toEqual([]);
      const changed = await apply("backend", key(name), second);
      expect(changed.resource).toEqual({ id: made.resource?.id, version: 2 });
      expect(changed.changes).toMatchObject([{ action: "UPDATED", differences: [{}] }]);
      expect((await apply("backend", key(name), second)).changes).toEqual([]);
    }
  });

  it("never changes its kind, and has children of the right kinds, each once", async () => {
    const [leaf, parent] = [newKey(), newKey()];
    const { resource } = await apply("backend", leaf, { httpResponseBackend: {} });
    await apply("backend", parent, { failoverBackend: { backends: [{ key: leaf }] } });
    const other = apply("backend", leaf, { staticBackend: { address: "a.internal:80" } });
    await expect(other).rejects.toMatchObject({ code: "CONFLICT", paths: ["key"] });
    const wrong = apply("backend", newKey(), {
      failoverBackend: {
        backends: [{ key: leaf }, { id: resource?.id }, { key: parent }, { key: "nobody" }],
      },
    });
    await expect(wrong).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "failoverBackend.backends.1",
        "failoverBackend.backends.2.key",
        "failoverBackend.backends.3.key",
      ],
    });
  });
});

describe("an IP policy", () => {
  const policy = (key: string, fields: Fields, options?: ApplyOptions) =>
    apply("ipPolicy", key, fields, options);

  it("has the rules that are desired, and another rule where the action differs", async () => {
    const key = newKey();
    const rules = [
      { cidr: "10.0.0.0/8", action: "allow", description: "d" },
      { cidr: "11.0.0.0/8", action: "allow" },
      { cidr: "12.0.0.0/8", action: "deny" },
    ];
    const made = await policy(key, { description: "p", rules });
    expect(summary(made.changes)).toEqual([
      "CREATED p",
      "CREATED allow 10.0.0.0/8",
      "CREATED allow 11.0.0.0/8",
      "CREATED deny 12.0.0.0/8",
    ]);
    expect(await policy(key, { description: "p", rules })).toEqual({
      resource: made.resource,
      changes: [],
    });
    const changed = await policy(key, {
      description: "p",
      rules: [
        { cidr: "13.0.0.0/8", action: "deny" },
        { cidr: "11.0.0.0/8", action: "deny" },
        { cidr: "10.0.0.0/8", action: "allow" },
      ],
    });
    expect(summary(changed.changes)).toEqual([
      "DELETED allow 11.0.0.0/8",
      "DELETED deny 12.0.0.0/8",
      "UPDATED allow 10.0.0.0/8",
      "CREATED deny 13.0.0.0/8",
      "CREATED deny 11.0.0.0/8",
    ]);
    expect(changed.resource).toEqual(made.resource);
    expect(summary((await policy(key, {})).changes)).toEqual([
      "UPDATED p",
      ...["allow 10.0.0.0/8", "deny 13.0.0.0/8", "deny 11.0.0.0/8"].map(
        (each) => `DELETED ${each}`,
      ),
    ]);
  });

  it("has each network once", async () => {
    const cidr = "10.0.0.0/8";
    const rules = ["allow", "deny"].map((action) => ({ cidr, action }));
    await expect(policy(newKey(), { rules })).rejects.toMatchObject({ paths: ["rules.1.cidr"] });
  });
});

describe("a key", () => {
  it("is unique among resources of its kind only", async () => {
    const key = newKey();
    const edge = await applyEdge(key, {});
    const policy = await apply("ipPolicy", key, {});
    expect(edge.resource?.id).toMatch(/^edghts_/);
    expect(policy.resource?.id).toMatch(/^ipp_/);
  });

  it("may be the id of a resource that is there, which is changed then", async () => {
    const id = await post("/edges/https", { description: "by hand" });
    const adopted = await applyEdge(id, { description: "desired" });
    expect(adopted.resource).toEqual({ id, version: 2 });
    await expect(applyEdge("edghts_nobody", {})).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is refused when it is the id of another kind", async () => {
    await expect(applyEdge("ipp_1", {})).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["key"],
    });
  });

  it("whose resource was deleted makes a new one", async () => {
    const key = newKey();
    const first = await applyEdge(key, { routes: [prefix("/")] });
    await rest(server, "DELETE", `/edges/https/${first.resource?.id}`);
    const second = await applyEdge(key, { routes: [prefix("/")] });
    expect(summary(second.changes)).toEqual(["CREATED ", "CREATED path_prefix /"]);
    expect(second.resource?.id).not.toBe(first.resource?.id);
  });

  it("stands for one resource, also when it is applied by several at the same time", async () => {
    const key = newKey();
    const states = Array.from({ length: 8 }, (_, i) => ({
      description: `${i % 3}`,
      routes: [prefix("/"), prefix(`/${i % 3}`)],
    }));
    const done = await Promise.all(states.map((state) => applyEdge(key, state)));
    const ids = new Set(done.map(({ resource }) => resource?.id));
    expect(ids.size).toBe(1);
    const created = done.filter(
      ({ resource, changes: [first] }) =>
        first?.action === "CREATED" && first.resourceId === resource?.id,
    );
    expect(created).toHaveLength(1);
    const [id = ""] = ids;
    const { description, routes } = await shown(id);
    expect(routes.map(({ match }: Fields) => match)).toEqual(["/", `/${description}`]);
  });

  it("can be applied while its resource is deleted and created anew", async () => {
    const key = newKey();
    const { resource } = await applyEdge(key, { routes: [prefix("/")] });
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 4 }, (_, i) => applyEdge(key, { description: `${i}` })),
      rest(server, "DELETE", `/edges/https/${resource?.id}`),
      ...Array.from({ length: 4 }, (_, i) => applyEdge(key, { metadata: `${i}` })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "fulfilled"));
  });
});

describe("a dry run", () => {
  it("stores nothing, and shows what is there", async () => {
    const key = newKey();
    const before = await stored();
    const none = await applyEdge(key, { routes: [prefix("/")] }, { dryRun: true });
    expect(none.resource).toBeNull();
    expect(none.changes).toMatchObject([
      { action: "CREATED", resourceId: null },
      { action: "CREATED", resourceId: null, label: "path_prefix /" },
    ]);
    expect(await stored()).toEqual(before);
    const { resource } = await applyEdge(key, { routes: [prefix("/")] });
    const dry = await applyEdge(key, { description: "d" }, { dryRun: true });
    expect(dry.resource).toEqual(resource);
    expect(summary(dry.changes)).toEqual(["UPDATED d", "DELETED path_prefix /"]);
    expect((await shown(resource?.id ?? "")).routes).toHaveLength(1);
  });
});

describe("an expected version", () => {
  it("must be the present one", async () => {
    const key = newKey();
    await expect(applyEdge(key, {}, { expectedVersion: 1 })).rejects.toMatchObject({
      code: "CONFLICT",
      paths: ["expectedVersion"],
    });
    await applyEdge(key, {});
    const { resource } = await applyEdge(key, { description: "a" }, { expectedVersion: 1 });
    expect(resource?.version).toBe(2);
    await expect(applyEdge(key, {}, { expectedVersion: 1 })).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("has version 2"),
    });
  });
});

it("a key that may only read applies nothing, not even in a dry run", async () => {
  for (const [kind, input] of [
    ["httpsEdge", {}],
    ["ipPolicy", {}],
    ["backend", { tunnelGroupBackend: {} }],
  ] as const) {
    for (const dryRun of [true, false]) {
      const refused = apply(kind, newKey(), input, { dryRun, as: server.readKey });
      await expect(refused).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
  }
});
