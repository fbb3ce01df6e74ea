import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { SILENCE_LIMIT_MS } from "../../src/database/connection/pool.js";
import { databaseUrl } from "../harness/cluster.js";
import { endOfLog, openEvents } from "../harness/event-streams.js";
import { runCommand } from "../harness/processes.js";
import { type Replication, startReplication } from "../harness/replicas.js";
import { ipPolicy } from "../harness/resources.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Driver, graphql, type Transport, transports } from "../harness/transports.js";

// Servers that read from a streaming replica, whose replay the tests hold up.

const BOOTSTRAP_KEY = "bootstrap-key-of-the-operator";

let replication: Replication;
/** Two on one database. */
let server: TestServer;
let other: TestServer;
/** Why the replica is not used by `server`, as it was told; null while it is used. */
const told: unknown[] = [];
beforeAll(async () => {
  replication = await startReplication();
  server = await serverOn(replication.replica.url, (reason) => void told.push(reason));
  other = await serverOn(replication.replica.url);
});
afterAll(async () => {
  await server.stop();
  await other.stop();
  await replication.stop();
});
afterEach(async () => {
  await replay("resume");
});

function serverOn(readUrl: string, onReplica?: (reason: unknown) => void) {
  const connection = {
    connectionString: replication.primary.url,
    readUrl,
    max: 8,
    connectionTimeoutMillis: 20_000,
  };
  const bootstrapKey = BOOTSTRAP_KEY;
  return startServer({ connection, metrics: true, bootstrapKey, ...(onReplica && { onReplica }) });
}

async function replay(what: "pause" | "resume"): Promise<void> {
  await replication.replica.query(`SELECT pg_wal_replay_${what}()`);
}

/** Resolves when both servers read from the replica for a key that changes nothing. */
async function untilReplicaIsRead(): Promise<void> {
  await replication.caughtUp();
  for (const of of [server, other]) {
    const isRead = async () => {
      const before = await readsFrom(of, "replica");
      await idsOf(REST.drive(of, ipPolicy, server.readKey));
      return (await readsFrom(of, "replica")) > before;
    };
    await expect.poll(isRead, { timeout: 20_000 }).toBe(true);
  }
}

/** Less than what makes a server give up a replica. */
const SHORT_MS = 2_000;

/** Runs `action` while the replica replays nothing; again when a busy machine was too slow for what it tells. */
async function whileHeldUp(action: () => Promise<void>): Promise<void> {
  for (;;) {
    await untilReplicaIsRead();
    await replay("pause");
    const start = performance.now();
    const failure = await action().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const isShort = performance.now() - start < SHORT_MS;
    await replay("resume");
    if (!failure) return;
    if (isShort) throw failure.error;
  }
}

const [REST, GRAPHQL] = transports as readonly [Transport, Transport];

async function readsFrom(of: TestServer, where: "replica" | "primary"): Promise<number> {
  const [, count] =
    new RegExp(`^edgeplane_replica_reads_total\\{server="${where}"\\} (\\d+)$`, "m").exec(
      await of.metrics(),
    ) ?? [];
  return Number(count ?? 0);
}

async function idsOf(driver: Driver): Promise<string[]> {
  const { items } = await driver.page(100);
  return items.map(({ id }) => id);
}

describe.each(transports)("over $name", ({ drive }) => {
  it("a key reads its own changes over every server, and others what the replica has", async () => {
    const driver = drive(server, ipPolicy);
    await whileHeldUp(async () => {
      const { id } = await driver.create({ description: "new" });
      const gone = await driver.create();
      await drive(other, ipPolicy, server.writeKey).remove(gone.id);
      for (const of of [server, other]) {
        const own = drive(of, ipPolicy, server.writeKey);
        expect(await idsOf(own)).toContain(id);
        expect(await idsOf(own)).not.toContain(gone.id);
        expect(await own.get(id)).toMatchObject({ id, description: "new" });
        const others = drive(of, ipPolicy, server.readKey);
        expect(await idsOf(others)).not.toContain(id);
        await expect(others.get(id)).rejects.toThrow("NOT_FOUND");
      }
    });
    const others = drive(other, ipPolicy, server.readKey);
    await expect.poll(async () => (await idsOf(others)).length).toBeGreaterThan(0);
    for (const id of await idsOf(driver)) await driver.remove(id);
  });

  it("the key of the configuration reads its own changes", async () => {
    const own = drive(server, ipPolicy, BOOTSTRAP_KEY);
    await whileHeldUp(async () => {
      const { id } = await own.create();
      const before = await readsFrom(server, "primary");
      expect(await idsOf(own)).toContain(id);
      expect(await readsFrom(server, "primary")).toBeGreaterThan(before);
      expect(await idsOf(drive(server, ipPolicy, server.readKey))).not.toContain(id);
      await own.remove(id);
      expect(await idsOf(own)).not.toContain(id);
    });
  });
});

describe("a replica that lags by a tenth of a second", () => {
  beforeAll(() => setReplica("recovery_min_apply_delay = '100ms'"));
  afterAll(() => setReplica("recovery_min_apply_delay = 0"));

  it("hides no change from the key that made it, in whatever order several keys change and read", async () => {
    await untilReplicaIsRead();
    const before = await readsFrom(server, "replica");
    const steps = fc.array(
      fc.record({
        key: fc.constantFrom(server.writeKey, other.writeKey),
        at: fc.constantFrom(server, other),
        read: fc.constantFrom(server, other),
        transport: fc.constantFrom(REST, GRAPHQL),
        removes: fc.boolean(),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const own = new Map<string, string[]>();
        for (const { key, at, read, transport, removes } of steps) {
          const driver = transport.drive(at, ipPolicy, key);
          const ids = own.get(key) ?? [];
          own.set(key, ids);
          const oldest = removes ? ids.shift() : undefined;
          if (oldest === undefined) ids.push((await driver.create()).id);
          else await driver.remove(oldest);
          const seen = await idsOf(transport.drive(read, ipPolicy, key));
          expect(seen).toEqual(expect.arrayContaining(ids));
          if (oldest !== undefined) expect(seen).not.toContain(oldest);
          await idsOf(transport.drive(read, ipPolicy, server.readKey));
        }
        for (const [key, ids] of own) {
          for (const id of ids) await REST.drive(server, ipPolicy, key).remove(id);
        }
      }),
      { numRuns: 15 },
    );
    expect(await readsFrom(server, "replica")).toBeGreaterThan(before);
  });

  it("has every change that a subscriber is told of, or that the change log shows", async () => {
    await untilReplicaIsRead();
    const before = await readsFrom(other, "replica");
    const query = "subscription { changes(types: [IP_POLICY]) { resourceId } }";
    const events = await openEvents(server, server.readKey, { query }, await endOfLog(server));
    const reader = REST.drive(other, ipPolicy, server.readKey);
    const created: string[] = [];
    for (let count = 0; count < 10; count++) {
      created.push((await REST.drive(other, ipPolicy).create()).id);
      const event = await events.next();
      const id = event?.result.data.changes.resourceId;
      expect(id).toBe(created.at(-1));
      expect((await reader.get(id)).id).toBe(id);
    }
    events.close();
    for (const id of created) await REST.drive(server, ipPolicy).remove(id);
    const log = await graphql(
      { url: server.url, writeKey: server.readKey },
      "{ changes(last: 1) { nodes { resourceId } } }",
    );
    expect(log.changes.nodes[0].resourceId).toBe(created.at(-1));
    await expect(reader.get(created.at(-1) ?? "")).rejects.toThrow("NOT_FOUND");
    expect(await readsFrom(other, "replica")).toBeGreaterThan(before);
  });
});

describe("a replica that fails", () => {
  it("is not read while it is seconds behind", async () => {
    await untilReplicaIsRead();
    await replay("pause");
    const { id } = await REST.drive(server, ipPolicy).create();
    const others = () => idsOf(GRAPHQL.drive(server, ipPolicy, server.readKey));
    await expect.poll(others, { timeout: 20_000 }).toContain(id);
    await expect.poll(() => String(told.at(-1))).toContain("more than 3 seconds behind");
    await replay("resume");
    await untilReplicaIsRead();
    expect(told.at(-1)).toBeNull();
    await REST.drive(server, ipPolicy).remove(id);
  });

  it("keeps nobody waiting for as long as a statement may take", async () => {
    const { id } = await REST.drive(server, ipPolicy).create();
    const pid = await replication.replica.postmaster();
    const waits: number[] = [];
    for (let round = 0; round < 3; round++) {
      await untilReplicaIsRead();
      signalAll(pid, "SIGSTOP");
      const start = performance.now();
      // Nobody else asks for anything meanwhile.
      expect(await idsOf(REST.drive(server, ipPolicy, server.readKey))).toContain(id);
      waits.push(performance.now() - start);
      signalAll(pid, "SIGCONT");
    }
    expect(Math.max(...waits)).toBeLessThan(SILENCE_LIMIT_MS - 1_000);
    await REST.drive(server, ipPolicy).remove(id);
  });

  it("is told of no change that the replica has not got when it is read again", async () => {
    await untilReplicaIsRead();
    await setReplica("recovery_min_apply_delay = '1s'");
    await replay("pause");
    await REST.drive(other, ipPolicy).create();
    const isDropped = async () => {
      await idsOf(REST.drive(server, ipPolicy, server.readKey));
      return told.at(-1) !== null;
    };
    await expect.poll(isDropped, { timeout: 20_000 }).toBe(true);
    const query = "subscription { changes(types: [IP_POLICY]) { resourceId action } }";
    const events = await openEvents(server, server.readKey, { query }, await endOfLog(server));
    const reader = REST.drive(server, ipPolicy, server.readKey);
    await replay("resume");
    const made: string[] = [];
    for (let count = 0; count < 30; count++) {
      made.push((await REST.drive(other, ipPolicy).create()).id);
      const event = await events.next();
      expect(event?.result.data.changes.resourceId).toBe(made.at(-1));
      for (const id of made) expect((await reader.get(id)).id).toBe(id);
    }
    events.close();
    await setReplica("recovery_min_apply_delay = 0");
    await untilReplicaIsRead();
    for (const id of await idsOf(REST.drive(server, ipPolicy))) {
      await REST.drive(server, ipPolicy).remove(id);
    }
  });

  it.each([
    ["killed", (pid: number) => process.kill(pid, "SIGKILL"), () => {}],
    [
      "silent",
      (pid: number) => signalAll(pid, "SIGSTOP"),
      (pid: number) => signalAll(pid, "SIGCONT"),
    ],
  ])("fails no request when it is %s, and is read again once it is back", async (_, fail, mend) => {
    const { id } = await REST.drive(server, ipPolicy).create();
    await untilReplicaIsRead();
    const readers = startReaders(id);
    const pid = await replication.replica.postmaster();
    fail(pid);
    await expect.poll(() => told.at(-1), { timeout: 20_000 }).not.toBeNull();
    await readers.nextAnswers();
    mend(pid);
    await expect.poll(() => told.at(-1), { timeout: 20_000 }).toBeNull();
    await readers.nextAnswers();
    expect(await readers.stop()).toEqual([]);
    await untilReplicaIsRead();
    await REST.drive(server, ipPolicy).remove(id);
  });
});

describe("a DATABASE_READ_URL that leads elsewhere", () => {
  beforeAll(async () => {
    await replication.primary.query("CREATE DATABASE other");
    const connection = { connectionString: databaseUrl(replication.primary.url, "other") };
    await (await startServer({ connection })).stop();
    await replication.caughtUp();
  });

  it.each([
    [
      "to the primary",
      () => replication.primary.url,
      "leads to a server that takes changes itself",
    ],
    ["to another database", () => inject("cluster").url, "leads to no replica of the database"],
    [
      "to another database of the same server",
      () => databaseUrl(replication.replica.url, "other"),
      "leads to no replica of the database",
    ],
    [
      "to an empty database of the same server",
      () => databaseUrl(replication.replica.url, "template1"),
      "leads to no replica of the database",
    ],
    ["nowhere", () => "postgresql://postgres@127.0.0.1:9/postgres", "ECONNREFUSED"],
  ])("%s is not read", async (_, url, reason) => {
    const reasons: unknown[] = [];
    const misled = await serverOn(url(), (reason) => void reasons.push(reason));
    const driver = GRAPHQL.drive(misled, ipPolicy);
    const { id } = await driver.create();
    await expect
      .poll(async () => {
        expect(await idsOf(driver)).toContain(id);
        return String(reasons);
      })
      .toContain(reason);
    await driver.remove(id);
    expect(await readsFrom(misled, "replica")).toBe(0);
    expect(await readsFrom(misled, "primary")).toBeGreaterThan(0);
    await misled.stop();
  });
});

it("is looked at by edgeplane doctor", async () => {
  const { primary, replica } = replication;
  const doctor = async (readUrl: string) => {
    const { stdout } = await runCommand(["doctor"], {
      DATABASE_URL: primary.url,
      DATABASE_READ_URL: readUrl,
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
      PORT: "0",
    });
    return stdout;
  };
  expect(await doctor(replica.url)).toContain("ok       replica");
  expect(await doctor(primary.url)).toContain(
    "problem  replica: DATABASE_READ_URL leads to a server that takes changes itself.",
  );
});

async function setReplica(setting: string): Promise<void> {
  await replication.replica.query(`ALTER SYSTEM SET ${setting}`);
  await replication.replica.query("SELECT pg_reload_conf()");
}

/** To a server of PostgreSQL and all of its processes. */
function signalAll(postmaster: number, signal: "SIGSTOP" | "SIGCONT"): void {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
  for (const pid of [postmaster, ...children.trim().split(" ").map(Number)]) {
    process.kill(pid, signal);
  }
}

/** Eight clients that read a policy over both transports, one request after another. */
function startReaders(id: string) {
  const failures: unknown[] = [];
  const answers = Array.from({ length: 8 }, () => 0);
  let stopped = false;
  const readers = answers.map(async (_, index) => {
    const { drive } = index % 2 === 0 ? REST : GRAPHQL;
    while (!stopped) {
      const ids = await idsOf(drive(server, ipPolicy, server.readKey)).catch((error) => [error]);
      if (!ids.includes(id)) failures.push(ids);
      answers[index] = (answers[index] ?? 0) + 1;
    }
  });
  return {
    /** Resolves once every client has an answer to a request from after the call. */
    async nextAnswers() {
      const from = [...answers];
      await expect
        .poll(() => answers.every((count, index) => count >= (from[index] ?? 0) + 2), {
          timeout: 20_000,
        })
        .toBe(true);
    },
    async stop() {
      stopped = true;
      await Promise.all(readers);
      return failures;
    },
  };
}
