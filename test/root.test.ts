import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../src/database/index.js";
import { resources } from "./harness/resources.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// What is at the root of the server: for clients that look around, and for people with a browser.

const BOOTSTRAP_KEY = "bootstrap-key-0123456789";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ bootstrapKey: BOOTSTRAP_KEY });
});
afterAll(() => server.stop());

const withKey = (key: string) => ({ Authorization: `Bearer ${key}` });
const get = (path: string, headers: Record<string, string> = {}, of = server) =>
  rest(of, "GET", path, undefined, headers);

describe("GET /", () => {
  it("names every list, with its absolute URL", async () => {
    const { status, body } = await get("/");
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["uri", "subresource_uris"]);
    expect(body.uri).toBe(`${server.url}/`);
    const lists = resources.map(({ path }) => [
      path.slice(1).replaceAll("/", "_"),
      `${server.url}${path}`,
    ]);
    expect(body.subresource_uris).toEqual(Object.fromEntries(lists));
    expect(body.subresource_uris).toMatchObject({
      api_keys: `${server.url}/api_keys`,
      backends_http_response: `${server.url}/backends/http_response`,
      edges_https: `${server.url}/edges/https`,
      reserved_addrs: `${server.url}/reserved_addrs`,
      ssh_user_certificates: `${server.url}/ssh_user_certificates`,
    });
  });

  it("leads to lists that can be read", async () => {
    const { subresource_uris } = (await get("/")).body;
    for (const { path, listKey } of resources) {
      const uri = subresource_uris[path.slice(1).replaceAll("/", "_")];
      const { status, body } = await get(uri);
      expect([status, body.uri, Array.isArray(body[listKey])]).toEqual([200, uri, true]);
    }
  });

  it("says the URL that clients use where the configuration has it", async () => {
    const behind = await startServer({ publicUrl: "https://edge.example.com" });
    try {
      const { body } = await get("/", {}, behind);
      expect(body.uri).toBe("https://edge.example.com/");
      expect(body.subresource_uris.edges_tls).toBe("https://edge.example.com/edges/tls");
    } finally {
      await behind.stop();
    }
  });
});

describe("GET /self", () => {
  it("shows the key of the request, as the list of keys does, and the account", async () => {
    for (const key of [server.writeKey, server.readKey]) {
      const { status, body } = await get("/self", withKey(key));
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["api_key", "account", "user"]);
      expect(body.api_key.id.slice("ak_".length)).toBe(key.split("_", 1)[0]);
      expect(body.api_key).toEqual((await get(`/api_keys/${body.api_key.id}`)).body);
      expect(body.api_key).toMatchObject({ token: null });
      expect(body.user).toBeNull();
    }
  });

  it("shows no key for the one of the configuration, which is not stored", async () => {
    const { body } = await get("/self", withKey(BOOTSTRAP_KEY));
    expect(body.api_key).toBeNull();
    expect(body.account.id).toBe((await get("/self")).body.account.id);
  });

  it("shows every field of the account, in the order of the contract", async () => {
    const { account } = (await get("/self")).body;
    expect(JSON.stringify(account)).toBe(
      JSON.stringify({
        id: account.id,
        name: "Edgeplane",
        created_at: account.created_at,
        suspended: false,
        enforce_sso: false,
        min_api_version: "2",
        min_agent_version: "",
        user_mfa_required: false,
        traffic_full_capture: false,
      }),
    );
    expect(account.id).toMatch(/^ac_[0-9A-Za-z]{27}$/);
    expect(account.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(account.created_at)).toBeLessThanOrEqual(Date.now());
  });

  it("takes one statement besides those for the key", async () => {
    const sent = await server.statements(() => get("/self", withKey(BOOTSTRAP_KEY)));
    expect(sent).toHaveLength(1);
  });
});

describe("The account", () => {
  const accountOf = async (of: TestServer): Promise<Fields> =>
    (await get("/self", {}, of)).body.account;

  it("is the same for all processes on one database, and after another start", async () => {
    const database = await freshDatabase();
    const start = () => startServer({ connection: { connectionString: database.url } });
    try {
      const both = await Promise.all([start(), start()]);
      const [one, other] = await Promise.all(both.map(accountOf));
      expect(other).toEqual(one);
      await Promise.all(both.map((each) => each.stop()));
      const again = await start();
      expect(await accountOf(again)).toEqual(one);
      await again.stop();
    } finally {
      await database.stop();
    }
  });

  it("is another one for each database, and made once where several processes migrate it", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      const database = await freshDatabase();
      await database.administer("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      const open = () =>
        openDatabase({ connectionString: database.url, max: 2 }, { onConnectionError: () => {} });
      const opened = await Promise.all([open(), open(), open()]);
      const found = await Promise.all(opened.map(({ client }) => client.installation.findMany()));
      const [rows = []] = found;
      expect(rows).toHaveLength(1);
      for (const other of found) expect(other).toEqual(rows);
      ids.push(rows[0]?.id ?? "");
      await Promise.all(opened.map((each) => each.close()));
      await database.stop();
    }
    expect(new Set(ids).size).toBe(2);
  }, 60_000);
});

describe.each(["/", "/self"])("%s", (path) => {
  it("needs a key and the version header, and takes no parameters", async () => {
    expect((await get(path, { Authorization: "" })).status).toBe(401);
    const wrong = await get(path, withKey("unknown"));
    expect(wrong).toMatchObject({ status: 401, body: { error_code: "ERR_UNAUTHENTICATED" } });
    expect((await get(path, { "Service-Version": "1" })).status).toBe(400);
    const asked = await get(`${path}?limit=1`);
    expect(asked).toMatchObject({ status: 400, body: { details: { limit: expect.anything() } } });
  });

  it("answers HEAD with the headers of GET, and other methods with 405", async () => {
    const headers = { ...withKey(server.writeKey), "Service-Version": "2" };
    const [head, whole] = await Promise.all(
      ["HEAD", "GET"].map((method) => fetch(server.url + path, { method, headers })),
    );
    expect(head?.status).toBe(200);
    expect(await head?.text()).toBe("");
    expect(head?.headers.get("content-type")).toBe(whole?.headers.get("content-type"));
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      const refused = await rest(server, method, path);
      expect(refused.status).toBe(405);
      expect(refused.headers.get("allow")).toBe("GET");
    }
  });

  it("leaves what is beside it not found", async () => {
    const beside = path === "/" ? ["/no", "//"] : ["/self/", "/self/keys", "/selfs"];
    for (const other of beside) expect((await get(other)).status).toBe(404);
  });
});

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("GET / in a browser", () => {
  it("leads to the dashboard, and no cache keeps that", async () => {
    const response = await fetch(`${server.url}/`, {
      headers: { Accept: BROWSER },
      redirect: "manual",
    });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("dashboard");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("vary")).toContain("Accept");
    const followed = await fetch(`${server.url}/`, { headers: { Accept: BROWSER } });
    expect(followed.url).toBe(`${server.url}/dashboard`);
    expect(await followed.text()).toContain("<title>Edgeplane</title>");
  });
});

describe("GET / in a browser, where the dashboard is switched off", () => {
  let bare: TestServer;
  beforeAll(async () => {
    bare = await startServer({ dashboard: false });
  });
  afterAll(() => bare.stop());
  const open = (headers: Record<string, string> = {}, of = bare, init: RequestInit = {}) =>
    fetch(`${of.url}/`, { ...init, headers: { Accept: BROWSER, ...headers } });

  it("is a page that leads to GraphiQL, which no cache keeps and no other site frames", async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(response.headers.get("vary")).toContain("Accept");
    const html = await response.text();
    expect(html).toContain('<a href="graphql">');
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).not.toContain("<script");
    const followed = await fetch(new URL("graphql", response.url), {
      headers: { Accept: BROWSER },
    });
    expect(await followed.text()).toContain("GraphiQL");
    expect(html).toContain('<a href="openapi.json">');
    expect((await fetch(new URL("openapi.json", response.url))).status).toBe(200);
    expect(html).toContain('<a href="docs">');
    const reference = await fetch(new URL("docs", response.url));
    expect(await reference.text()).toContain("API reference");
  });

  it("allows its own styles and nothing else", async () => {
    const response = await open();
    const html = await response.text();
    const [, styles = ""] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
    const hash = createHash("sha256").update(styles).digest("base64");
    expect(html).not.toMatch(/ style=/);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src data:",
      `style-src 'sha256-${hash}'`,
    ]);
  });

  it("answers HEAD without a body", async () => {
    const response = await open({}, bare, { method: "HEAD" });
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it.each([["application/json"], ["*/*"], ["application/json, text/html"], [""]])(
    "is JSON for who accepts %j, and asks for a key",
    async (Accept) => {
      const response = await open({ Accept });
      expect(response.status).toBe(401);
      expect(response.headers.get("content-type")).toBe("application/json");
    },
  );

  it("is JSON for who has a key, whatever they accept", async () => {
    const headers = { ...withKey(bare.writeKey), "Service-Version": "2" };
    const response = await open(headers);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect((await response.json()).uri).toBe(`${bare.url}/`);
    expect((await open(withKey("wrong"))).status).toBe(401);
  });

  it("is at no other path and answers no other method", async () => {
    for (const path of ["/self", "/index.html", "//"]) {
      const response = await fetch(bare.url + path, { headers: { Accept: BROWSER } });
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.status).toBe(path === "/self" ? 401 : 404);
    }
    expect((await open({}, bare, { method: "POST" })).status).toBe(405);
  });

  it("leads to no GraphiQL that is switched off", async () => {
    const other = await startServer({ dashboard: false, graphiql: false });
    try {
      const html = await (await open({}, other)).text();
      expect(html).toContain("<h1>Edgeplane</h1>");
      expect(html).not.toContain('href="graphql"');
    } finally {
      await other.stop();
    }
  });
});
