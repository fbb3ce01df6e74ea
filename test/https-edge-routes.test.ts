import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyRouteModule, shownRouteModules } from "./harness/modules.js";
import {
  failoverBackend,
  httpResponseBackend,
  httpsEdge,
  ipPolicy,
  routesOf,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const UNSET = {
  backend: null,
  ipRestriction: null,
  circuitBreaker: null,
  compression: null,
  requestHeaders: null,
  responseHeaders: null,
  webhookVerification: null,
  oauth: null,
  saml: null,
  oidc: null,
  websocketTcpConverter: null,
  userAgentFilter: null,
  trafficPolicy: null,
};

describe.each(transports)("HTTPS edge routes over $name", (transport) => {
  let edgeId: string;
  let routes: Driver;
  let create: (fields?: Fields) => Promise<Fields>;
  beforeAll(async () => {
    edgeId = (await transport.drive(server, httpsEdge).create()).id;
    routes = transport.drive(server, routesOf(edgeId));
    let count = 0;
    create = (fields) =>
      routes.create({ edgeId, matchType: "path_prefix", match: `/${count++}`, ...fields });
  });

  it("starts without modules", async () => {
    const route = await create({ matchType: "exact_path", match: "/start" });
    expect(route).toMatchObject({ matchType: "exact_path", match: "/start", ...UNSET });
    expect(route.id).toMatch(/^edghtsrt_[0-9A-Za-z]{27}$/);
  });

  it("takes all thirteen modules at create and at update, and shows them completed", async () => {
    const backend = (await transport.drive(server, httpResponseBackend).create()).id;
    const policy = (await transport.drive(server, ipPolicy).create()).id;
    const modules = everyRouteModule(backend, policy);
    const created = await create(modules);
    const shown = shownRouteModules(created.id, backend, policy);
    expect(created).toMatchObject(shown);
    expect(await routes.get(created.id)).toEqual(created);

    const { id } = await create();
    const updated = await routes.update(id, modules);
    expect(updated).toMatchObject(shownRouteModules(id, backend, policy));
    expect(await routes.update(id, modules)).toEqual(updated);
  });

  it.each(["/api", "/", "shop.example.com", "shop.example.com/api", "*.example.com/a/b"])(
    "matches %s",
    async (match) => {
      expect(await create({ matchType: "exact_path", match })).toMatchObject({ match });
    },
  );

  it.each(["", "api v1", "/a?b", "/a#b", "-bad.example.com", "/a\nb", `/${"x".repeat(1024)}`])(
    "refuses to match %j",
    async (match) => {
      await expect(create({ match })).rejects.toMatchObject({ paths: ["match"] });
    },
  );

  it("has each match once in an edge", async () => {
    const first = await create({ match: "/once" });
    await expect(create({ match: "/once" })).rejects.toMatchObject({
      code: "CONFLICT",
      issues: { match: expect.stringContaining(first.id) },
    });
    const other = await create({ matchType: "exact_path", match: "/once" });
    await expect(routes.update(other.id, { matchType: "path_prefix" })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await routes.update(first.id, { match: "/once" })).toEqual(first);
  });

  it("has at most one way to log in enabled", async () => {
    const oidc = { issuer: "https://id.example.com", clientId: "a", clientSecret: "b" };
    const oauth = { provider: { google: {} } };
    await expect(create({ oauth, oidc })).rejects.toMatchObject({ paths: ["oauth", "oidc"] });
    const { id } = await create({ oauth });
    await expect(routes.update(id, { oidc })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["oidc"],
    });
    const both = await routes.update(id, { oauth: { ...oauth, enabled: false }, oidc });
    expect([both.oauth.enabled, both.oidc.enabled]).toEqual([false, true]);
  });

  it("reports every problem of every module at once", async () => {
    const refused = create({
      match: "nowhere?",
      backend: { backendId: "bkdhr_nobody" },
      ipRestriction: { ipPolicyIds: ["ipp_nobody"] },
      circuitBreaker: { numBuckets: 129, errorThresholdPercentage: 1.5 },
      requestHeaders: { add: { "bad name": "a", ok: "line\nbreak" }, remove: ["x y"] },
      oauth: { provider: { google: { scopes: ["profile"] } } },
      webhookVerification: { provider: "nobody" },
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: expect.arrayContaining([
        "backend.backendId",
        "circuitBreaker.errorThresholdPercentage",
        "circuitBreaker.numBuckets",
        "ipRestriction.ipPolicyIds.0",
        "match",
        "oauth.provider.google.scopes",
        "webhookVerification.provider",
      ]),
    });
  });

  it("keeps the backends and IP policies that it uses from being deleted", async () => {
    const backends = transport.drive(server, failoverBackend);
    const policies = transport.drive(server, ipPolicy);
    const backend = await backends.create();
    const policy = await policies.create();
    const { id } = await create({
      backend: { backendId: backend.id },
      ipRestriction: { ipPolicyIds: [policy.id] },
    });
    const inUse = { code: "IN_USE", issues: { "usedBy.0": `HTTPS edge route ${id}` } };
    await expect(backends.remove(backend.id)).rejects.toMatchObject(inUse);
    await expect(policies.remove(policy.id)).rejects.toMatchObject(inUse);
    await routes.remove(id);
    await backends.remove(backend.id);
    await policies.remove(policy.id);
  });

  it("shows secrets only to a key that may write", async () => {
    const { id } = await create({
      oidc: { issuer: "https://id.example.com", clientId: "a", clientSecret: "s3cret" },
      webhookVerification: { provider: "STRIPE", secret: "whsec" },
    });
    expect(await routes.get(id)).toMatchObject({
      oidc: { clientSecret: "s3cret" },
      webhookVerification: { provider: "STRIPE", secret: "whsec" },
    });
    const reader = transport.drive(server, routesOf(edgeId), server.readKey);
    expect(await reader.get(id)).toMatchObject({
      oidc: { clientSecret: "" },
      webhookVerification: { secret: "" },
    });
  });

  it("lets two clients set different modules at the same time", async () => {
    const { id } = await create();
    await Promise.all([
      routes.update(id, { compression: {} }),
      routes.update(id, { userAgentFilter: { deny: ["bot"] } }),
      routes.update(id, { requestHeaders: { remove: ["cookie"] } }),
    ]);
    expect(await routes.get(id)).toMatchObject({
      compression: { enabled: true },
      userAgentFilter: { deny: ["bot"] },
      requestHeaders: { remove: ["cookie"] },
    });
  });
});

describe("routes over REST", () => {
  it("are not found below an edge that does not exist", async () => {
    const path = "/edges/https/edghts_nobody/routes";
    const body = { match_type: "path_prefix", match: "/" };
    expect((await rest(server, "POST", path, body)).status).toBe(404);
    expect((await rest(server, "GET", path)).status).toBe(404);
    expect((await rest(server, "GET", `${path}/edghtsrt_1`)).status).toBe(404);
  });

  it("are not found below another edge", async () => {
    const [own, other] = [await createEdge(), await createEdge()];
    const body = { match_type: "path_prefix", match: "/" };
    const { id } = (await rest(server, "POST", `/edges/https/${own}/routes`, body)).body;
    const elsewhere = `/edges/https/${other}/routes/${id}`;
    for (const method of ["GET", "PATCH", "DELETE"]) {
      expect((await rest(server, method, elsewhere)).status).toBe(404);
    }
    expect((await rest(server, "PUT", `${elsewhere}/compression`)).status).toBe(404);
    expect((await rest(server, "GET", `/edges/https/${own}/routes/${id}`)).status).toBe(200);
  });

  it("are listed below their edge, newest first, in the usual envelope", async () => {
    const edge = (await rest(server, "POST", "/edges/https", {})).body;
    const path = `/edges/https/${edge.id}/routes`;
    const ids: string[] = [];
    for (const match of ["/a", "/b", "/c"]) {
      const { body } = await rest(server, "POST", path, { match_type: "exact_path", match });
      ids.push(body.id);
    }
    const { body } = await rest(server, "GET", `${path}?limit=2`);
    expect(body.routes.map(({ id }: Fields) => id)).toEqual([ids[2], ids[1]]);
    expect(body).toMatchObject({
      uri: server.url + path,
      next_page_uri: `${server.url}${path}?limit=2&before_id=${ids[1]}`,
    });
    const nested = await rest(server, "GET", `/edges/https/${edge.id}`);
    expect(nested.body.routes.map(({ id }: Fields) => id)).toEqual(ids);
  });
});

describe("an update of a route in which a client sends every text, and an empty one for what nobody set", () => {
  const texts = { description: "kept", metadata: '{"kept":true}' };
  const created = async () => {
    const path = `/edges/https/${await createEdge()}/routes`;
    const body = { match_type: "path_prefix", match: "/", ...texts };
    const { id } = (await rest(server, "POST", path, body)).body;
    return `${path}/${id}`;
  };
  const unset = { match_type: "", match: "", description: "", metadata: "", backend: null };

  it("leaves the description and metadata", async () => {
    const path = await created();
    const answer = await rest(server, "PATCH", path, { ...unset, compression: { enabled: true } });
    expect(answer).toMatchObject({
      status: 200,
      body: { ...texts, match: "/", match_type: "path_prefix", compression: { enabled: true } },
    });
    expect((await rest(server, "PATCH", path, { ...unset, metadata: "new" })).body).toMatchObject({
      description: "kept",
      metadata: "new",
    });
  });

  it.each([
    { description: "" },
    { description: "", match: "" },
    { description: "", match_type: "" },
    { description: "", match_type: "", match: "/" },
  ])("clears a text with %j, which is written by hand", async (body) => {
    expect((await rest(server, "PATCH", await created(), body)).body).toMatchObject({
      description: "",
      metadata: texts.metadata,
    });
  });
});

async function createEdge(): Promise<string> {
  return (await rest(server, "POST", "/edges/https", {})).body.id;
}
