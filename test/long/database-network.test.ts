import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.js";
import { endOfLog, openEvents } from "../harness/event-streams.js";
import { FAULTS_KEY, startWorkload, storedPolicies, type Workload } from "../harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { PUBLIC_KEY } from "../harness/resources.js";
import { freshDatabase } from "../harness/server.js";
import type { Fields } from "../harness/transports.js";

// One server process whose network to its database fails in one way after another, under 32 clients.

let database: Awaited<ReturnType<typeof freshDatabase>>;
let proxy: DatabaseProxy;
let server: ServerProcess;
let url: string;
/** Of the test, past the proxy. */
let client: Client;
beforeAll(async () => {
  database = await freshDatabase();
  proxy = await startDatabaseProxy(database.url);
  server = runServer({
    DATABASE_URL: proxy.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    API_KEY: FAULTS_KEY,
  });
  url = await urlOf(server);
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exited;
  await client.end();
  await proxy.close();
  await database.stop();
});

/** Connections of the pool, and the one that listens. */
const MOST_SESSIONS = 17;

interface Sessions {
  /** Process ids of the sessions of the server. */
  readonly all: readonly number[];
  /** Of those that hold a transaction open. */
  readonly open: readonly number[];
}

async function sessions(): Promise<Sessions> {
  const { rows } = await client.query<{ pid: number; isOpen: boolean }>(
    `SELECT pid, xact_start IS NOT NULL AS "isOpen" FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  const pids = (of: typeof rows) => of.map(({ pid }) => pid);
  return { all: pids(rows), open: pids(rows.filter(({ isOpen }) => isOpen)) };
}

/** Resolves when no transaction is open any more. */
async function untilNoneIsOpen(): Promise<void> {
  while ((await sessions()).open.length > 0) await sleep(20);
}

async function untilGone({ all }: Sessions): Promise<void> {
  while ((await sessions()).all.some((pid) => all.includes(pid))) await sleep(20);
}

async function untilReadyIs(status: number): Promise<number> {
  const start = performance.now();
  while ((await fetch(`${url}/readyz`)).status !== status) await sleep(20);
  return performance.now() - start;
}

async function ask(path: string, method: string, body?: Fields, key?: string) {
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${FAULTS_KEY}`,
      "Service-Version": "2",
      "Content-Type": "application/json",
      ...(key !== undefined && { "Idempotency-Key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    isReplayed: response.headers.get("idempotency-replayed") === "true",
    body: text === "" ? {} : (JSON.parse(text) as Fields),
  };
}

const PASSING = new Set(["200", "201", "503 ERR_UNAVAILABLE"]);
/** The time for an answer over GraphQL is 10 seconds, and no request over REST takes longer; this machine may be slow. */
const DEADLINE_MS = 15_000;

describe("a network that", { timeout: 120_000 }, () => {
  let workload: Workload;
  beforeEach(async () => {
    workload = startWorkload(url);
    await workload.nextAnswers();
  });
  afterEach(() => workload.stop());

  interface Fault {
    readonly begin: () => unknown;
    /** Ends it; absent for one that lasts no time. */
    readonly end?: () => unknown;
  }

  const FAULTS: Readonly<Record<string, () => Fault>> = {
    "stalls, and delivers late": () => ({ begin: proxy.stall, end: proxy.flow }),
    "lets nobody connect": () => ({ begin: proxy.refuse, end: proxy.accept }),
    "resets all connections": () => ({ begin: proxy.cut }),
    "ends its half towards the server": () => ({ begin: () => proxy.halfClose("server") }),
    "ends its half towards the database": () => ({ begin: () => proxy.halfClose("database") }),
  };

  it.each(Object.entries(FAULTS))(
    "%s leaves each request an answer in time, and nothing behind",
    async (name, fault) => {
      const { begin, end } = fault();
      const before = await sessions();
      const start = performance.now();
      begin();
      if (end) {
        const unready = await untilReadyIs(503);
        expect((await fetch(`${url}/livez`)).status).toBe(200);
        await workload.nextAnswers();
        const answered = performance.now() - start;
        expect(answered).toBeLessThan(DEADLINE_MS);
        expect(workload.answers.get("503 ERR_UNAVAILABLE")).toBeGreaterThanOrEqual(32);
        end();
        const ready = await untilReadyIs(200);
        console.log(
          `${name}: not ready after ${unready.toFixed(0)} ms, answers after ${answered.toFixed(0)} ms, ready again after ${ready.toFixed(0)} ms`,
        );
        expect(unready).toBeLessThan(4_000);
        expect(ready).toBeLessThan(6_000);
      } else {
        await untilGone(before);
        await untilReadyIs(200);
      }
      await workload.nextAnswers();
      const refused = workload.answers.get("503 ERR_UNAVAILABLE");
      await workload.nextAnswers();
      // Whoever came after the fault was served.
      expect(workload.answers.get("503 ERR_UNAVAILABLE")).toBe(refused);
      await workload.stop();

      expect([...workload.answers.keys()].filter((answer) => !PASSING.has(answer))).toEqual([]);
      expect(server.output().match(/.*(request failed|unhandled).*/g)).toBeNull();
      expect(server.child.exitCode).toBeNull();
      const stored = await storedPolicies(url);
      expect(workload.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      await untilNoneIsOpen();
      expect((await sessions()).all.length).toBeLessThanOrEqual(MOST_SESSIONS);
    },
  );
});

describe("a network that loses the answer to a COMMIT", { timeout: 120_000 }, () => {
  interface Change {
    readonly path: string;
    readonly method: string;
    readonly body?: Fields;
    /** The number of entries in the log that it makes. */
    readonly entries: number;
  }

  const graphql = (query: string, variables: Fields = {}) => ({
    path: "/graphql",
    method: "POST",
    body: { query, variables },
  });

  async function made(path: string, body: Fields): Promise<string> {
    return (await ask(path, "POST", body)).body.id;
  }

  async function changes(): Promise<Change[]> {
    const edge = await made("/edges/https", {});
    const match = { match_type: "path_prefix", match: "/" };
    const route = await made(`/edges/https/${edge}/routes`, match);
    const authority = await made("/ssh_certificate_authorities", {});
    const certificate = { ssh_certificate_authority_id: authority, public_key: PUBLIC_KEY };
    const rule = { cidr: "10.0.0.0/8", action: "allow" };
    return [
      { path: "/edges/https", method: "POST", body: {}, entries: 1 },
      { path: "/ssh_user_certificates", method: "POST", body: certificate, entries: 1 },
      {
        path: "/ip_policy_rules",
        method: "POST",
        body: { ...rule, ip_policy_id: await made("/ip_policies", {}) },
        entries: 1,
      },
      {
        ...graphql(`mutation { createHttpsEdge(input: { routes: [
          { matchType: PATH_PREFIX, match: "/a", compression: {} }, { matchType: PATH_PREFIX, match: "/b" } ] }) {
          httpsEdge { id routes { nodes { id } } } } }`),
        entries: 3,
      },
      {
        ...graphql(
          `mutation($id: ID!) { updateHttpsEdgeRoute(id: $id, input: { compression: {} }) { httpsEdgeRoute { version } } }`,
          { id: route },
        ),
        entries: 1,
      },
      {
        ...graphql("mutation($id: ID!) { deleteIpPolicy(id: $id) { changes { resourceId } } }", {
          id: await made("/ip_policies", {}),
        }),
        entries: 1,
      },
    ];
  }

  /** Entries in the log. */
  async function logged(): Promise<number> {
    const { rows } = await client.query("SELECT count(*)::integer AS count FROM changes");
    return rows[0].count;
  }

  it.each(["cut", "silence"] as const)(
    "by %s makes nobody do a change twice who asks again under its Idempotency-Key",
    async (how) => {
      const asked = await changes();
      const before = await logged();
      const keys = asked.map(() => randomUUID());
      const target = { url, writeKey: FAULTS_KEY };
      const query = "subscription { changes { id } }";
      const followed = await openEvents(target, FAULTS_KEY, { query }, await endOfLog(target));
      proxy.loseCommits(asked.length, how);
      const lost = await Promise.all(
        asked.map(({ path, method, body }, index) => ask(path, method, body, keys[index])),
      );
      for (const { status, body } of lost) {
        expect(status).toBe(503);
        expect(JSON.stringify(body)).toContain("UNAVAILABLE");
      }
      const sum = asked.reduce((sum, { entries }) => sum + entries, 0);
      expect(await logged()).toBe(before + sum);
      for (let times = 0; times < 2; times++) {
        const again = await Promise.all(
          asked.map(({ path, method, body }, index) => ask(path, method, body, keys[index])),
        );
        for (const { status, isReplayed, body } of again) {
          expect([200, 201]).toContain(status);
          expect(isReplayed).toBe(true);
          expect(body.errors).toBeUndefined();
        }
      }
      expect(await logged()).toBe(before + sum);
      // Nobody announced these changes.
      const events = new Set<string>();
      while (events.size < sum) {
        const event = await followed.next();
        events.add(event?.result.data.changes.id);
      }
      expect([...events].at(-1)).toBe(await endOfLog(target));
      followed.close();
      expect(server.output().match(/.*(request failed|unhandled).*/g)).toBeNull();
      await untilNoneIsOpen();
    },
  );
});

describe("a server that is told to stop while its database answers nothing", () => {
  it("ends properly, also with connections that are idle and one that listens", async () => {
    const workload = startWorkload(url);
    await workload.nextAnswers();
    await workload.stop();
    const end = await endOfLog({ url, writeKey: FAULTS_KEY });
    const query = "subscription { changes { id } }";
    const followed = await openEvents({ url }, FAULTS_KEY, { query }, end);
    proxy.silence();
    server.child.kill("SIGTERM");
    while ((await followed.next()) !== null);
    expect(await server.exited).toBe(0);
  });
});
