import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { pruneRateLimits } from "../src/admission/database-counters.js";
import { cutConnections } from "./harness/cut-connections.js";
import { whileLocked } from "./harness/locks.js";
import { runServer, type ServerProcess, urlOf } from "./harness/processes.js";
import { type Ask, askers, askOverGraphql, askOverRest, refusalIn, send } from "./harness/rates.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";

// Limits of rates that all servers on one database share.

const LIMIT = { requests: 3, seconds: 600, store: "database" } as const;
const BOOTSTRAP_KEY = "bootstrap-key-of-the-operator";

let storage: Awaited<ReturnType<typeof freshDatabase>>;
let servers: readonly [TestServer, TestServer];
beforeAll(async () => {
  storage = await freshDatabase();
  servers = [await serverOn(storage.url), await serverOn(storage.url)];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await storage.stop();
});

function serverOn(connectionString: string, requests: number = LIMIT.requests) {
  return startServer({
    connection: { connectionString, max: 8, connectionTimeoutMillis: 20_000 },
    rateLimits: { ...LIMIT, requests },
    bootstrapKey: BOOTSTRAP_KEY,
  });
}

const newKey = async (server: TestServer): Promise<string> => {
  const { body } = await send(`${server.url}/api_keys`, { key: BOOTSTRAP_KEY }, {});
  return body.token;
};

// In the past: ids that were made in the future would have those of other tests made there too.
let now = Date.now() - 24 * 60 * 60 * 1000;
/** As though the windows of all keys had ended. */
async function endWindows({ context: { db } }: TestServer): Promise<void> {
  now += LIMIT.seconds * 1000;
  vi.setSystemTime(now);
  await db.$executeRaw`UPDATE rate_limits SET ends_at = now()`;
}
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await endWindows(servers[0]);
});
afterEach(() => vi.useRealTimers());

describe.each(askers)("two servers on one database, over %s", (_, ask) => {
  it("take as many requests of a key together as the limit, until its window ends", async () => {
    const [one, other] = servers;
    const key = one.writeKey;
    expect(await ask(one, { key })).toMatchObject({ status: 200, limit: "r=2;t=600" });
    expect((await ask(other, { key })).limit).toMatch(/^r=1;t=(600|59\d)$/);
    expect((await ask(one, { key })).limit).toMatch(/^r=0;t=(600|59\d)$/);
    for (const server of servers) {
      const refused = await ask(server, { key });
      expect(refused).toMatchObject({ status: 429, policy: '"default";q=3;w=600' });
      expect(refused.limit).toMatch(/^r=0;t=(600|59\d)$/);
      expect(refused.retryAfter).toBe(refused.limit?.replace(/.*t=/, ""));
      expect(refusalIn(refused).message).toBe(
        `An API key may send 3 requests in 600 seconds, and this one has sent more. Try again in ${refused.retryAfter} seconds.`,
      );
    }
    expect((await ask(other, { key: other.writeKey })).status).toBe(200);
    await endWindows(one);
    expect(await ask(other, { key })).toMatchObject({ status: 200, limit: "r=2;t=600" });
  });

  it("ask the database once to count a request, and not at all once they know that a window is full", async () => {
    const [one, other] = servers;
    const key = one.readKey;
    const countings = async (server: TestServer) => {
      const statements = await server.statements(() => ask(server, { key }));
      return statements.filter((text) => text.includes("rate_limits")).length;
    };
    expect([await countings(one), await countings(one), await countings(one)]).toEqual([1, 1, 1]);
    expect(await one.statements(() => ask(one, { key }))).toEqual([]);
    // It learns from the database that the window is full.
    expect([await countings(other), await countings(other)]).toEqual([1, 0]);
    expect(await other.statements(() => ask(other, { key }))).toEqual([]);
  });
});

describe("the counters in the database", () => {
  it("let exactly as many pass as the limit when requests race, of each key", async () => {
    const racing = await Promise.all([serverOn(storage.url, 25), serverOn(storage.url, 25)]);
    const [first] = racing;
    const keys = [first.writeKey, first.readKey];
    const asks = Array.from({ length: 160 }, (_, index) => {
      const server = racing[index % 2] ?? first;
      const key = keys[(index >> 1) % 2];
      return (index >> 2) % 2 ? askOverRest(server, { key }) : askOverGraphql(server, { key });
    });
    const answers = await Promise.all(asks);
    for (const own of [0, 1]) {
      const of = answers.filter((_, index) => (index >> 1) % 2 === own);
      const passed = of.filter(({ status }) => status === 200);
      expect(passed).toHaveLength(25);
      expect(of.filter(({ status }) => status === 429)).toHaveLength(55);
      // Each at its own turn.
      const left = passed.map(({ limit }) => Number(/r=(\d+)/.exec(limit ?? "")?.[1]));
      expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i));
    }
    await Promise.all(racing.map((server) => server.stop()));
  });

  it("count all operations of a batch", async () => {
    const [one, other] = servers;
    const key = await newKey(one);
    const batch = [{ query: "{ __typename }" }, { query: "{ __typename }" }];
    const answer = await send(`${one.url}/graphql`, { key }, batch);
    expect(answer).toMatchObject({ status: 200, limit: "r=1;t=600" });
    expect((await send(`${other.url}/graphql`, { key }, batch)).status).toBe(429);
  });

  it("are deleted once their windows have ended, and not before", async () => {
    const [{ context, writeKey, readKey }] = servers;
    await askOverRest(servers[0], { key: writeKey });
    await endWindows(servers[0]);
    await askOverRest(servers[0], { key: readKey });
    await pruneRateLimits(context);
    const rows = await context.db.rateLimit.findMany();
    expect(rows).toMatchObject([{ name: expect.stringMatching(/^ak_/), requests: 1 }]);
  });

  it("have no token in them", async () => {
    const [one] = servers;
    for (const key of [one.writeKey, BOOTSTRAP_KEY]) await askOverRest(one, { key });
    const names = (await one.context.db.rateLimit.findMany()).map(({ name }) => name);
    expect(names).toContain("configured");
    for (const name of names) expect(name).toMatch(/^(configured|ak_\w{27})$/);
  });
});

describe("limits in memory", () => {
  it("are those of each server", async () => {
    const own = await Promise.all(
      [1, 2].map(() =>
        startServer({
          connection: { connectionString: storage.url },
          rateLimits: { ...LIMIT, requests: 1, store: "memory" },
          bootstrapKey: BOOTSTRAP_KEY,
        }),
      ),
    );
    for (const server of own) {
      const sender = { key: BOOTSTRAP_KEY };
      expect((await askOverRest(server, sender)).status).toBe(200);
      expect((await askOverRest(server, sender)).status).toBe(429);
      await server.stop();
    }
  });
});

describe("a database that does not count", () => {
  const statuses = async (server: TestServer, ask: Ask, count: number) => {
    const seen = [];
    for (let i = 0; i < count; i++) seen.push((await ask(server, { key: BOOTSTRAP_KEY })).status);
    return seen;
  };

  it("is replaced by memory, and heard of once", async () => {
    const lines: string[] = [];
    const log = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const server = await startServer({ rateLimits: LIMIT, bootstrapKey: BOOTSTRAP_KEY, log });
    await server.context.db.$executeRaw`ALTER TABLE rate_limits RENAME TO moved`;
    expect(await statuses(server, askOverRest, 2)).toEqual([200, 200]);
    expect(await statuses(server, askOverGraphql, 2)).toEqual([200, 429]);
    const warnings = () => lines.filter((line) => line.includes("counts requests by itself"));
    expect(warnings()).toHaveLength(1);
    await server.context.db.$executeRaw`ALTER TABLE moved RENAME TO rate_limits`;
    await endWindows(server);
    expect((await askOverRest(server, { key: BOOTSTRAP_KEY })).limit).toBe("r=2;t=600");
    expect(await server.context.db.rateLimit.count()).toBe(1);
    expect(warnings()).toHaveLength(1);
    await server.stop();
  });

  it("holds up no request for long when it stalls", async () => {
    const [server, other] = servers;
    await whileLocked(
      other.context,
      (tx) => tx.$executeRaw`LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE`,
      async () => {
        const key = BOOTSTRAP_KEY;
        const answers = await Promise.all(askers.map(([, ask]) => ask(server, { key })));
        expect(answers.map(({ limit }) => limit).sort()).toEqual(["r=1;t=600", "r=2;t=600"]);
      },
    );
  });

  it("is unavailable by itself where it is gone: requests that need it get 503, and others pass", async () => {
    const way = await cutConnections(storage.url);
    const { username, password, pathname } = new URL(storage.url);
    const login = password === "" ? username : `${username}:${password}`;
    const server = await startServer({
      connection: {
        connectionString: `postgresql://${login}@${new URL(way.url).host}${pathname}`,
      },
      rateLimits: LIMIT,
      bootstrapKey: BOOTSTRAP_KEY,
    });
    await way.close();
    const sender = { key: BOOTSTRAP_KEY };
    const list = await send(`${server.url}/ip_policies`, sender);
    expect(list).toMatchObject({ status: 503, limit: "r=2;t=600", retryAfter: "1" });
    expect(refusalIn(list).code).toBe("UNAVAILABLE");
    expect(await askOverGraphql(server, sender)).toMatchObject({ status: 200, limit: "r=1;t=600" });
    const stored = await askOverRest(server, { key: server.writeKey });
    expect([stored.status, refusalIn(stored).code]).toEqual([503, "UNAVAILABLE"]);
    expect((await askOverRest(server, sender)).limit).toBe("r=0;t=600");
    expect((await askOverRest(server, sender)).status).toBe(429);
    await server.stop();
  });
});

describe("two processes on one database", () => {
  const processes: ServerProcess[] = [];
  afterAll(async () => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.map(({ exited }) => exited));
  });

  it("share the limit of a key where the configuration says so", async () => {
    const ENCRYPTION_KEY = randomBytes(32).toString("base64");
    const own = await freshDatabase();
    for (let count = 0; count < 2; count++) {
      processes.push(
        runServer({
          DATABASE_URL: own.url,
          ENCRYPTION_KEY,
          API_KEY: BOOTSTRAP_KEY,
          RATE_LIMIT_REQUESTS: "20",
          RATE_LIMIT_SECONDS: "3600",
          RATE_LIMIT_STORE: "database",
        }),
      );
    }
    const urls = await Promise.all(processes.map(urlOf));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        askOverRest({ url: urls[index % 2] ?? "" }, { key: BOOTSTRAP_KEY }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(answers[0]?.policy).toBe('"default";q=20;w=3600');
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.map(({ exited }) => exited));
    await own.stop();
  }, 60_000);
});
