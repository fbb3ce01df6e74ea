import { Writable } from "node:stream";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { boundedLimiter } from "../src/admission/memory-counters.js";
import { limiterOf } from "../src/admission/rate-limiter.js";
import { openEvents } from "./harness/event-streams.js";
import { askers, askOverGraphql, askOverRest, refusalIn, send } from "./harness/rates.js";
import { startServer, type TestServer } from "./harness/server.js";

const LIMIT = { requests: 3, seconds: 10, store: "memory" } as const;
const BOOTSTRAP_KEY = "bootstrap-key-of-the-operator";
const KEY_REFUSAL = "An API key may send 3 requests in 10 seconds, and this one has sent more.";
const STRANGER_REFUSAL =
  "A network may send 3 requests without a valid API key in 10 seconds, and yours has sent more.";

let server: TestServer;
let proxied: TestServer;
let unlimited: TestServer;
beforeAll(async () => {
  [server, proxied, unlimited] = await Promise.all([
    startServer({ rateLimits: LIMIT, bootstrapKey: BOOTSTRAP_KEY, corsOrigins: ["*"] }),
    startServer({ rateLimits: LIMIT, trustProxy: true }),
    startServer(),
  ]);
});
afterAll(() => Promise.all([server.stop(), proxied.stop(), unlimited.stop()]));

// Time goes on only where a test says so, and each test begins after all windows of the one before. It stays in the past:
// ids that were made in the future would have those of other tests made there too.
let now = Date.now() - 24 * 60 * 60 * 1000;
const pass = (seconds: number) => {
  now += seconds * 1000;
  vi.setSystemTime(now);
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  pass(LIMIT.seconds);
});
afterEach(() => vi.useRealTimers());

describe.each(askers)("a key over %s", (_, ask) => {
  it("may send as many requests as the limit, and again when its window has ended", async () => {
    const key = server.writeKey;
    const first = await ask(server, { key });
    expect(first).toMatchObject({
      status: 200,
      limit: "r=2;t=10",
      policy: '"default";q=3;w=10',
      retryAfter: null,
    });
    pass(3.5);
    expect(await ask(server, { key })).toMatchObject({ status: 200, limit: "r=1;t=7" });
    expect(await ask(server, { key })).toMatchObject({ status: 200, limit: "r=0;t=7" });
    const refused = await ask(server, { key });
    expect(refused).toMatchObject({
      status: 429,
      limit: "r=0;t=7",
      policy: '"default";q=3;w=10',
      retryAfter: "7",
    });
    expect(refusalIn(refused)).toEqual({
      code: "RATE_LIMITED",
      message: `${KEY_REFUSAL} Try again in 7 seconds.`,
    });
    pass(6.4);
    const last = await ask(server, { key });
    expect([last.status, last.retryAfter]).toEqual([429, "1"]);
    expect(refusalIn(last).message).toBe(`${KEY_REFUSAL} Try again in 1 second.`);
    pass(0.1);
    expect(await ask(server, { key })).toMatchObject({ status: 200, limit: "r=2;t=10" });
  });

  it("has a window of its own, and so has the key of the configuration", async () => {
    const keys = [server.writeKey, server.readKey, BOOTSTRAP_KEY];
    for (const limit of ["r=2;t=10", "r=1;t=10", "r=0;t=10"]) {
      for (const key of keys) {
        expect(await ask(server, { key })).toMatchObject({ status: 200, limit });
      }
    }
    for (const key of keys) expect((await ask(server, { key })).status).toBe(429);
  });

  it("costs the database nothing once its window is full", async () => {
    const key = server.readKey;
    for (let count = 0; count < 3; count++) await ask(server, { key });
    const statements = await server.statements(async () => {
      expect((await ask(server, { key })).status).toBe(429);
    });
    expect(statements).toEqual([]);
  });

  it("is in the log line of its refusal, and its token is not", async () => {
    const lines: string[] = [];
    const log = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const logged = await startServer({ rateLimits: { ...LIMIT, requests: 1 }, log });
    for (let count = 0; count < 3; count++) await ask(logged, { key: logged.writeKey });
    await ask(logged, { key: "no-key-of-this-server" });
    await logged.stop();
    const id = `ak_${logged.writeKey.split("_", 1)[0]}`;
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    expect(requests.map(({ status, keyId }) => [status, keyId])).toEqual([
      [200, id],
      [429, id],
      [429, id],
      [401, undefined],
    ]);
    for (const token of [logged.writeKey, "no-key-of-this-server"]) {
      expect(lines.join("")).not.toContain(token);
    }
  });

  it("is not limited, and reads nothing of limits, where these are switched off", async () => {
    for (let count = 0; count < 5; count++) {
      const answer = await ask(unlimited, { key: unlimited.writeKey });
      expect(answer).toMatchObject({ status: 200, limit: null, policy: null });
    }
  });
});

describe("the requests of a key", () => {
  it("count over both transports together", async () => {
    const key = server.writeKey;
    await askOverRest(server, { key });
    await askOverGraphql(server, { key });
    expect(await askOverRest(server, { key })).toMatchObject({ status: 200, limit: "r=0;t=10" });
    expect((await askOverGraphql(server, { key })).status).toBe(429);
    expect((await askOverRest(server, { key })).status).toBe(429);
  });

  it.each([
    ["an unknown version", "/", { "Service-Version": "1" }, undefined, 400],
    ["a resource that is not there", "/ip_policies/ipp_0", {}, undefined, 404],
    ["a change with a key that may read", "/ip_policies", {}, {}, 403],
    ["a document with a syntax error", "/graphql", {}, { query: "{" }, 400],
    ["a batch without operations", "/graphql", {}, [], 400],
  ])("count when they are refused: %s", async (_, path, headers, body, status) => {
    const accept = { Accept: "application/graphql-response+json, application/json" };
    const sender = { key: server.readKey, headers: { ...accept, ...headers } };
    const answer = await send(server.url + path, sender, body);
    expect(answer).toMatchObject({ status, limit: "r=2;t=10", retryAfter: null });
  });

  const batch = (length: number) =>
    send(
      `${server.url}/graphql`,
      { key: server.writeKey },
      Array.from({ length }, () => ({ query: "{ __typename }" })),
    );

  it("are as many as the operations of a batch", async () => {
    const answer = await batch(2);
    expect(answer).toMatchObject({ status: 200, limit: "r=1;t=10" });
    expect(answer.body).toHaveLength(2);
    const refused = await batch(2);
    expect(refused).toMatchObject({ status: 429, limit: "r=0;t=10", retryAfter: "10" });
    expect(refusalIn(refused).code).toBe("RATE_LIMITED");
  });

  it("are no more than the limit, so that each batch fits in a window of its own", async () => {
    const answer = await batch(10);
    expect(answer).toMatchObject({ status: 200, limit: "r=0;t=10" });
    expect(answer.body).toHaveLength(10);
  });

  it("are one for a subscription, when it begins", async () => {
    const query = "subscription { changes { id } }";
    const events = await openEvents(server, server.writeKey, { query }, "");
    expect(events.headers.ratelimit).toBe('"default";r=2;t=10');
    events.close();
    expect((await askOverRest(server, { key: server.writeKey })).limit).toBe("r=1;t=10");
  });

  it.each([
    ["a health check", "GET", "/livez", 200],
    ["readiness", "GET", "/readyz", 200],
    ["the OpenAPI document", "GET", "/openapi.json", 200],
    ["the page at the root", "GET", "/", 200],
    ["GraphiQL", "GET", "/graphql", 200],
    ["a preflight", "OPTIONS", "/graphql", 204],
    ["an unknown path", "GET", "/nowhere", 404],
    ["another method", "PUT", "/ip_policies", 405],
  ])("are none for %s", async (_, method, path, status) => {
    for (let count = 0; count < 4; count++) {
      const answer = await fetch(server.url + path, {
        method,
        headers: {
          Accept: "text/html",
          ...(method === "OPTIONS" && {
            Origin: "https://dash.example",
            "Access-Control-Request-Method": "POST",
          }),
        },
      });
      await answer.arrayBuffer();
      expect([answer.status, answer.headers.get("ratelimit")]).toEqual([status, null]);
    }
    const { limit } = await askOverRest(server, { key: server.writeKey });
    expect(limit).toBe("r=2;t=10");
  });
});

describe.each(askers)("requests without a valid key over %s", (_, ask) => {
  it.each([
    ["none", undefined],
    ["one that is unknown", "0000000000000000000000000000_secret"],
  ])("are limited by their address: %s", async (_, key) => {
    for (const limit of ["r=2;t=10", "r=1;t=10", "r=0;t=10"]) {
      expect(await ask(server, { key })).toMatchObject({
        status: 401,
        limit,
        policy: '"unauthenticated";q=3;w=10',
        retryAfter: null,
      });
    }
    pass(1);
    const statements = await server.statements(async () => {
      const refused = await ask(server, { key });
      expect(refused).toMatchObject({
        status: 429,
        limit: "r=0;t=9",
        policy: '"unauthenticated";q=3;w=10',
        retryAfter: "9",
      });
      expect(refusalIn(refused)).toEqual({
        code: "RATE_LIMITED",
        message: `${STRANGER_REFUSAL} Try again in 9 seconds.`,
      });
    });
    expect(statements).toEqual([]);
    expect((await ask(server, { key, localAddress: "127.0.0.2" })).status).toBe(401);
    pass(9);
    expect((await ask(server, { key })).status).toBe(401);
  });

  it("of the same address shut out no key that was valid before, and any other until their window ends", async () => {
    const { body } = await send(`${server.url}/api_keys`, { key: server.writeKey }, {});
    for (let count = 0; count < 4; count++) await ask(server);
    expect((await ask(server)).status).toBe(429);
    expect((await ask(server, { key: body.token })).status).toBe(429);
    expect(await ask(server, { key: server.writeKey })).toMatchObject({
      status: 200,
      policy: '"default";q=3;w=10',
    });
    pass(10);
    expect((await ask(server, { key: body.token })).status).toBe(200);
  });

  it("do not shut out the configured key, though the process has not seen it yet", async () => {
    const fresh = await startServer({ rateLimits: LIMIT, bootstrapKey: BOOTSTRAP_KEY });
    for (let count = 0; count < 4; count++) await ask(fresh);
    expect((await ask(fresh)).status).toBe(429);
    expect((await ask(fresh, { key: BOOTSTRAP_KEY })).status).toBe(200);
    await fresh.stop();
  });

  it("count a key that was valid and is revoked", async () => {
    const { body } = await send(`${server.url}/api_keys`, { key: server.writeKey }, {});
    const key: string = body.token;
    expect((await ask(server, { key })).status).toBe(200);
    await fetch(`${server.url}/api_keys/${body.id}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${server.writeKey}`, "Service-Version": "2" },
    });
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await ask(server, { key })).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it("that race are no more than the limit", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(server)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  });
});

describe("the address of a client", () => {
  const from = (address: string) => ({ headers: { "X-Forwarded-For": address } });

  it.each([
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.2", false],
    ["192.0.2.1", "192.0.2.1:4711", true],
    ["192.0.2.1", "::ffff:192.0.2.1", true],
    ["192.0.2.1", "198.51.100.1, 192.0.2.1", true],
    ["198.51.100.1, 192.0.2.1", "198.51.100.1, 192.0.2.2", false],
    ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true],
    ["2001:db8:0:1::1", "2001:db8:0:2::1", false],
    ["2001:db8:0:1::1", "[2001:DB8:0:1::5]:4711", true],
    ["2001:db8:0:1::1", "[2001:db8:0:1::5]", true],
    ["unknown", "127.0.0.1", true],
    ["", "127.0.0.1", true],
  ])("behind a proxy is the last that it forwards: %s and %s", async (one, other, isSame) => {
    for (let count = 0; count < 4; count++) await askOverRest(proxied, from(one));
    expect((await askOverRest(proxied, from(one))).status).toBe(429);
    expect((await askOverGraphql(proxied, from(other))).status).toBe(isSame ? 429 : 401);
  });

  it("is not believed without one", async () => {
    for (let count = 0; count < 3; count++) await askOverRest(server, from(`192.0.2.${count}`));
    expect((await askOverRest(server, from("192.0.2.9"))).status).toBe(429);
  });
});

describe("a limiter in memory", () => {
  it("counts as many requests as come in each window, of each name", async () => {
    const step = fc.record({
      name: fc.constantFrom("a", "b"),
      requests: fc.integer({ min: 1, max: 4 }),
      later: fc.constantFrom(0, 0, 0, 1, 5, 9, 10, 25),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const limiter = limiterOf(LIMIT.requests, boundedLimiter(LIMIT, 10));
        const windows = new Map<string, { end: number; sum: number }>();
        for (const { name, requests, later } of steps) {
          pass(later);
          const known = windows.get(name);
          const window = known && known.end > now ? known : { end: now + 10_000, sum: 0 };
          windows.set(name, window);
          window.sum += requests;
          const remaining = Math.max(LIMIT.requests - window.sum, 0);
          expect(await limiter.count(name, requests)).toEqual({
            isOver: window.sum > LIMIT.requests,
            remaining,
            endsIn: window.end - now,
          });
          const full = { isOver: true, remaining: 0, endsIn: window.end - now };
          expect(limiter.full(name)).toEqual(remaining === 0 ? full : null);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("forgets who came longest ago when there are too many", async () => {
    const limiter = limiterOf(9, boundedLimiter({ ...LIMIT, requests: 9 }, 2));
    const left = async (name: string) => (await limiter.count(name, 1)).remaining;
    expect([await left("a"), await left("b"), await left("a")]).toEqual([8, 8, 7]);
    expect(await left("c")).toBe(8);
    expect([await left("a"), await left("b")]).toEqual([6, 8]);
  });
});
