import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { sendRaw } from "./harness/sockets.js";
import { type Fields, rest } from "./harness/transports.js";

// Which answers a page of another origin may read.

const DASH = "https://dash.example";
const OTHER = "https://other.example";
const QUERY = JSON.stringify({ query: "{ __typename }" });

let server: TestServer;
let open: TestServer;
let closed: TestServer;
let isDiskFull = false;
beforeAll(async () => {
  [server, open, closed] = await Promise.all([
    startServer({ corsOrigins: ["http://localhost:5173", DASH] }),
    startServer({
      corsOrigins: ["*"],
      versionHeaders: ["X-Version"],
      isDiskFull: () => isDiskFull,
    }),
    startServer(),
  ]);
  isDiskFull = true;
});
afterAll(() => Promise.all([server.stop(), open.stop(), closed.stop()]));

/** The headers of CORS alone, with `vary`. */
function corsOf(headers: Headers): Fields {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"),
  );
}
const names = (list: string) => list.split(",").map((name) => name.trim());

function preflight(
  { url }: TestServer,
  path: string,
  method: string,
  origin = DASH,
  requestHeaders = "authorization,content-type",
): Promise<Response> {
  return fetch(url + path, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": requestHeaders,
    },
  });
}

describe("a preflight", () => {
  it.each([
    ["/graphql", "POST"],
    ["/graphql", "PUT"],
    ["/edges/https", "POST"],
    ["/edges/https/edghts_1", "PATCH"],
    ["/edges/https/edghts_1/mutual_tls", "PUT"],
    ["/ip_policies/ipp_1", "DELETE"],
    ["/nothing", "GET"],
  ])("is answered without a key: %s %s", async (path, method) => {
    let answer: Response | undefined;
    const statements = await server.statements(async () => {
      answer = await preflight(server, path, method);
    });
    expect(statements).toEqual([]);
    expect(answer?.status).toBe(204);
    expect(await answer?.text()).toBe("");
    const headers = corsOf(answer?.headers ?? new Headers());
    expect(headers["access-control-allow-origin"]).toBe(DASH);
    expect(names(headers["access-control-allow-methods"])).toEqual(
      expect.arrayContaining(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
    );
    expect(names(headers["access-control-allow-headers"]).sort()).toEqual([
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "If-Match",
      "If-None-Match",
      "Last-Event-ID",
      "Ngrok-Version",
      "Service-Version",
    ]);
    expect(headers["access-control-max-age"]).toBe("7200");
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    expect(names(headers.vary)).toContain("Origin");
  });

  it("lets the version headers through that the operator has chosen", async () => {
    const { headers } = await preflight(open, "/ip_policies", "GET");
    const allowed = names(headers.get("access-control-allow-headers") ?? "");
    expect(allowed).toContain("X-Version");
    expect(allowed).not.toContain("Service-Version");
  });

  it.each([OTHER, "null", "http://dash.example", `${DASH}:8443`, "https://evil-dash.example"])(
    "of %s gets no permission",
    async (origin) => {
      const { headers } = await preflight(server, "/graphql", "POST", origin);
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(names(headers.get("vary") ?? "")).toContain("Origin");
    },
  );

  it("gets a star where every origin is allowed", async () => {
    const { status, headers } = await preflight(open, "/graphql", "POST", "null");
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(names(headers.get("vary") ?? "")).not.toContain("Origin");
  });

  it("is no more than another OPTIONS where no origin is allowed", async () => {
    for (const path of ["/graphql", "/ip_policies"]) {
      const { status, headers } = await preflight(closed, path, "POST");
      expect([status, corsOf(headers)["access-control-allow-origin"]]).toEqual([405, undefined]);
    }
  });
});

describe("an OPTIONS that is no preflight", () => {
  it.each([["/graphql"], ["/ip_policies"], ["/nothing"]])(
    "is what it is without CORS: %s",
    async (path) => {
      for (const headers of [{}, { Origin: DASH }, { "Access-Control-Request-Method": "POST" }]) {
        const [with_, without] = await Promise.all(
          [server, closed].map(({ url }) => fetch(url + path, { method: "OPTIONS", headers })),
        );
        expect(with_?.status).toBe(without?.status);
        expect(with_?.status).toBeGreaterThanOrEqual(400);
        expect(with_?.headers.get("allow")).toBe(without?.headers.get("allow"));
      }
    },
  );
});

type Send = (server: TestServer, origin: string) => Promise<Response>;

const graphql =
  (init: RequestInit, key = true): Send =>
  (server, Origin) =>
    fetch(`${server.url}/graphql`, {
      method: "POST",
      ...init,
      headers: {
        Origin,
        "Content-Type": "application/json",
        ...(key && { Authorization: `Bearer ${server.writeKey}` }),
        ...init.headers,
      },
    });
const restful =
  (path: string, init: RequestInit = {}, key = true): Send =>
  (server, Origin) =>
    fetch(server.url + path, {
      ...init,
      headers: {
        Origin,
        "Service-Version": "2",
        "Content-Type": "application/json",
        ...(key && { Authorization: `Bearer ${server.writeKey}` }),
        ...init.headers,
      },
    });

const ANSWERS: readonly (readonly [string, number, Send])[] = [
  ["GraphQL", 200, graphql({ body: QUERY })],
  ["GraphQL without a key", 401, graphql({ body: QUERY }, false)],
  ["GraphQL that is no JSON", 400, graphql({ body: "{" })],
  ["GraphQL of another type", 415, graphql({ headers: { "Content-Type": "text/plain" } })],
  ["GraphQL in another format", 406, graphql({ body: QUERY, headers: { Accept: "image/png" } })],
  ["GraphQL by another method", 405, graphql({ method: "DELETE" })],
  ["GraphQL that is too large", 413, graphql({ body: "x".repeat(300 * 1024) })],
  ["REST", 200, restful("/ip_policies")],
  ["REST for HEAD", 200, restful("/ip_policies", { method: "HEAD" })],
  ["REST without a key", 401, restful("/ip_policies", {}, false)],
  ["REST of nothing", 404, restful("/ip_policies/ipp_nobody")],
  ["REST of no path", 404, restful("/nothing")],
  ["REST by another method", 405, restful("/ip_policies", { method: "PUT" })],
  [
    "REST that is too large",
    413,
    restful("/ip_policies", { method: "POST", body: "x".repeat(2e5) }),
  ],
  ["a change", 201, restful("/ip_policies", { method: "POST", body: "{}" })],
  ["the page of GraphiQL", 200, graphql({ method: "GET", headers: { Accept: "text/html" } })],
  ["a health check", 200, restful("/livez")],
];

describe("an answer", () => {
  it.each(ANSWERS)("may be read by an allowed origin alone: %s", async (_, status, send) => {
    const allowed = await send(server, DASH);
    const refused = await send(server, OTHER);
    expect([allowed.status, refused.status]).toEqual([status, status]);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(DASH);
    expect(names(allowed.headers.get("access-control-expose-headers") ?? "")).toEqual([
      "Operation-Id",
      "ETag",
      "Retry-After",
      "Idempotency-Replayed",
      "RateLimit",
      "RateLimit-Policy",
    ]);
    expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    for (const { headers } of [allowed, refused]) {
      expect(names(headers.get("vary") ?? "")).toContain("Origin");
      expect(headers.get("operation-id")).toMatch(/^op_/);
    }
  });

  it("may be read by all where all are allowed, a 503 with its Retry-After too", async () => {
    const sent = restful("/ip_policies", {
      method: "POST",
      body: "{}",
      headers: { "X-Version": "2" },
    });
    const { status, headers } = await sent(open, OTHER);
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain("Retry-After");
  });

  it("without an origin says that it would differ", async () => {
    const { headers } = await rest(server, "GET", "/ip_policies");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(names(headers.get("vary") ?? "")).toContain("Origin");
  });

  it("of the page of GraphiQL differs by what is accepted too", async () => {
    const { headers } = await fetch(`${server.url}/graphql`, { headers: { Accept: "text/html" } });
    expect(names(headers.get("vary") ?? "")).toEqual(expect.arrayContaining(["Origin", "Accept"]));
  });

  it("has no such header where no origin is allowed", async () => {
    for (const [, , send] of ANSWERS) {
      const { headers } = await send(closed, DASH);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(headers.get("vary") ?? "").not.toContain("Origin");
    }
  });

  it("to a subscription may be read", async () => {
    const body = JSON.stringify({ query: "subscription { changes { id } }" });
    const stop = new AbortController();
    const accept = { headers: { Accept: "text/event-stream" }, signal: stop.signal };
    const { status, headers } = await graphql({ body, ...accept })(server, DASH);
    stop.abort();
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(headers.get("access-control-allow-origin")).toBe(DASH);
    expect(names(headers.get("vary") ?? "")).toContain("Origin");
  });

  it.each([
    ["a bad Host", "GET /graphql HTTP/1.1\r\nHost: a b\r\n", 400],
    ["a header without a colon", "GET /ip_policies HTTP/1.1\r\nHost: a\r\nnothing\r\n", 400],
    ["a URL of 20 KB", `GET /graphql?query=${"x".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n`, 431],
  ])("to what is no request may be read: %s", async (_, head, status) => {
    const answer = await sendRaw(server.url, `${head}Origin: ${DASH}\r\nX: y\r\n\r\n`);
    expect(answer.status).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBe(DASH);
    expect(answer.headers.vary).toContain("Origin");
  });
});
