import { afterAll, beforeAll, expect, it } from "vitest";
import { continueLog, entriesAhead } from "../src/domain/changes/continuation.js";
import { cursorOf } from "../src/domain/changes/entries.js";
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

function continued(): Promise<boolean> {
  const { db } = server.context;
  if (!("$transaction" in db)) throw new Error("A test has its own database.");
  return continueLog(db);
}

const ahead = () => entriesAhead(server.context.db);

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
  while (isWriting) expect(await ahead()).toBe(0n);
  await written;
  expect(await continued()).toBe(false);
});

it("goes on after the last entry, once, for sessions that run and for who follows it", async () => {
  for (const further of [FURTHER, FURTHER, 1_000]) {
    await server.context.db.$executeRaw`UPDATE changes SET horizon = horizon + ${further}`;
    const before = await storedCursors();
    expect(await ahead()).toBeGreaterThan(0n);
    expect((await Promise.all([continued(), continued(), continued()])).sort()).toEqual([
      false,
      false,
      true,
    ]);
    expect(await ahead()).toBe(0n);
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

/** Changes something, and returns the id of the event that tells of it. */
async function nextOf(events: EventReader): Promise<string | undefined> {
  const id = await createPolicy();
  const event = await events.next();
  expect(event?.result).toMatchObject({ data: { changes: { resourceId: id } } });
  return event?.id;
}
