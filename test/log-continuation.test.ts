import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withoutTimeLimits } from "../src/database/index.js";
import { continueLog, isLogInOrder } from "../src/domain/changes/continuation.js";
import { cursorOf } from "../src/domain/changes/entries.js";
import { administer } from "./harness/cluster.js";
import { type EventReader, openEvents } from "./harness/event-streams.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// The change log in a database whose rows come from one that had counted more transactions;
// test/long/restored-dump.test.ts has it with a real dump.

const FURTHER = 5_000_000_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const createPolicy = async (): Promise<string> =>
  (await rest(server, "POST", "/ip_policies", {})).body.id;

const continued = () => withoutTimeLimits({ connectionString: server.databaseUrl }, continueLog);

const isInOrder = () => isLogInOrder(server.context.db);

async function storedCursors(): Promise<string[]> {
  const entries = await server.context.db.change.findMany({
    orderBy: [{ horizon: "asc" }, { id: "asc" }],
  });
  return entries.map(({ horizon, id }) => cursorOf({ horizon: `${horizon}`, id: `${id}` }));
}

async function readLog(): Promise<Fields> {
  const { changes } = await graphql(server, "{ changes(first: 100) { isComplete nodes { id } } }");
  return { isComplete: changes.isComplete, ids: changes.nodes.map(({ id }: Fields) => id) };
}

it("is left alone where nobody else wrote it, also while many write", async () => {
  const writing = Promise.all(Array.from({ length: 40 }, createPolicy));
  let isWriting = true;
  const written = writing.finally(() => {
    isWriting = false;
  });
  while (isWriting) expect(await isInOrder()).toBe(true);
  await written;
  expect(await continued()).toBe(false);
});

it("goes on after the last entry, once, for sessions that run and for who follows it", async () => {
  for (const further of [FURTHER, FURTHER, 1_000]) {
    await server.context.db.$executeRaw`UPDATE changes SET horizon = horizon + ${further}`;
    const before = await storedCursors();
    expect(await isInOrder()).toBe(false);
    expect((await Promise.all([continued(), continued(), continued()])).sort()).toEqual([
      false,
      false,
      true,
    ]);
    expect(await isInOrder()).toBe(true);
    expect(await readLog()).toEqual({ isComplete: true, ids: before.slice(0, 100) });

    const query = "subscription { changes { id resourceId } }";
    const [last = "", secondLast = ""] = before.toReversed();
    const events = await openEvents(server, server.writeKey, { query }, secondLast);
    expect((await events.next())?.id).toBe(last);
    const later = [await nextOf(events), await nextOf(events), await nextOf(events)];
    events.close();
    expect(await storedCursors()).toEqual([...before, ...later]);
  }
});

it("has new numbers after those that came without the last one, as by logical replication", async () => {
  const { db } = server.context;
  await db.$executeRaw`SELECT setval('changes_id_seq', 1, false)`;
  expect(await isInOrder()).toBe(false);
  expect(await continued()).toBe(true);
  const [last] = await db.$queryRaw<{ number: bigint }[]>`SELECT max(id) AS number FROM changes`;
  await createPolicy();
  const { id } = await db.change.findFirstOrThrow({ orderBy: { id: "desc" } });
  expect(id).toBe((last?.number ?? 0n) + 1n);
  expect(await continued()).toBe(false);
});

it("waits for changes that are under way, longer than for those of requests", async () => {
  const { db } = server.context;
  await db.$executeRaw`UPDATE changes SET horizon = horizon + ${FURTHER}`;
  const writer = new Client({ connectionString: server.databaseUrl });
  await writer.connect();
  await writer.query("BEGIN; LOCK TABLE changes IN ROW EXCLUSIVE MODE");
  const isContinued = continued();
  // What requests have, and what Prisma gives a transaction by default.
  await delay(5_500);
  await writer.query("COMMIT");
  await writer.end();
  expect(await isContinued).toBe(true);
});

it("is left to the owner of the tables, whom others are told of", async () => {
  const { db } = server.context;
  await db.$executeRaw`UPDATE changes SET horizon = horizon + ${FURTHER}`;
  const role = `edgeplane_${randomBytes(6).toString("hex")}`;
  const as = { connectionString: server.databaseUrl, options: `-c role=${role}` };
  await administer(
    server.databaseUrl,
    `CREATE ROLE ${role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
     GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}; GRANT ALL ON SCHEMA public TO ${role}`,
  );
  try {
    await expect(withoutTimeLimits(as, continueLog)).rejects.toThrow(
      /only the owner of its tables can have it go on: run edgeplane migrate with that user/,
    );
    expect(await isInOrder()).toBe(false);
  } finally {
    await administer(server.databaseUrl, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
  expect(await continued()).toBe(true);
});

/** Changes something, and returns the id of the event that tells of it. */
async function nextOf(events: EventReader): Promise<string | undefined> {
  const id = await createPolicy();
  const event = await events.next();
  expect(event?.result).toMatchObject({ data: { changes: { resourceId: id } } });
  return event?.id;
}
