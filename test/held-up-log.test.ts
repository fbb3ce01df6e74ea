import { readFileSync } from "node:fs";
import { createClient } from "graphql-sse";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { databaseUrl } from "./harness/cluster.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What the change log shows while a session of the same database holds a writing transaction open.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** Runs `action` while another session has done `statements` in a transaction that stays open. */
async function whileOpen<Result>(
  statements: readonly string[],
  action: (release: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const [here] = await server.context.db.$queryRaw<{ name: string }[]>`
    SELECT current_database() AS name`;
  const session = new Client({
    connectionString: databaseUrl(inject("cluster").url, here?.name ?? ""),
  });
  await session.connect();
  for (const statement of ["BEGIN", ...statements]) await session.query(statement);
  let isOpen = true;
  const release = async () => {
    if (!isOpen) return;
    isOpen = false;
    await session.query("COMMIT");
    await session.end();
  };
  try {
    return await action(release);
  } finally {
    await release();
  }
}

/** Of tables that have nothing to do with the log, and of one whose changes stand in it. */
const OTHER_WRITES = [
  "CREATE TEMPORARY TABLE anything (a integer) ON COMMIT DROP",
  "INSERT INTO anything VALUES (1)",
  "UPDATE api_keys SET metadata = metadata",
];
const WRITES_OF_THE_LOG = ["UPDATE changes SET at = at WHERE id = (SELECT min(id) FROM changes)"];

const createPolicy = async (): Promise<string> =>
  (await rest(server, "POST", "/ip_policies", {})).body.id;

const readLog = async (): Promise<Fields> =>
  (
    await graphql(
      server,
      "{ changes(last: 100) { isComplete completeUntil totalCount nodes { id at resourceId } } }",
    )
  ).changes;

function follow(headers: Record<string, string> = {}): AsyncIterableIterator<Fields> {
  const client = createClient({
    url: `${server.url}/graphql`,
    headers: { Authorization: `Bearer ${server.writeKey}`, ...headers },
    retryAttempts: 0,
  });
  open.push(() => client.dispose());
  return client.iterate<Fields>({
    query: "subscription { changes { id resourceId } }",
  }) as AsyncIterableIterator<Fields>;
}

it("is complete whatever else sessions write and do not commit", async () => {
  await whileOpen(OTHER_WRITES, async () => {
    const before = Date.now();
    const id = await createPolicy();
    const log = await readLog();
    expect(log.isComplete).toBe(true);
    expect(log.nodes.at(-1).resourceId).toBe(id);
    expect(Date.parse(log.completeUntil)).toBeGreaterThanOrEqual(before - 2_000);
    const events = follow({ "Last-Event-ID": log.nodes.at(-1).id });
    const next = await createPolicy();
    expect((await events.next()).value.data.changes.resourceId).toBe(next);
  });
});

it("says how far it is complete while a session that has written to it does not end", async () => {
  const shown = await createPolicy();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await whileOpen(WRITES_OF_THE_LOG, async (release) => {
    const hidden = [await createPolicy(), await createPolicy()];
    const log = await readLog();
    expect(log.isComplete).toBe(false);
    expect(log.nodes.at(-1).resourceId).toBe(shown);
    expect(log.totalCount).toBe(log.nodes.length);
    await release();
    const whole = await readLog();
    expect(whole.isComplete).toBe(true);
    expect(whole.nodes.slice(log.nodes.length).map(({ resourceId }: Fields) => resourceId)).toEqual(
      hidden,
    );
    const [first] = whole.nodes.slice(log.nodes.length);
    const until = Date.parse(log.completeUntil);
    expect(until).toBeGreaterThanOrEqual(Date.parse(log.nodes.at(-1).at));
    expect(until).toBeLessThanOrEqual(Date.parse(first.at));
  });
});

it("tells its followers once that it is held up, and all that was held back when it no longer is", async () => {
  const begin = (await readLog()).nodes.at(-1).id;
  await whileOpen(WRITES_OF_THE_LOG, async (release) => {
    const events = follow({ "Last-Event-ID": begin });
    const hidden = [await createPolicy(), await createPolicy()];
    const { value } = await events.next();
    expect(value).toMatchObject({
      errors: [
        { extensions: { code: "UNAVAILABLE" }, message: expect.stringContaining("delays the log") },
      ],
      extensions: { eventId: begin },
    });
    const later = await createPolicy();
    await release();
    const again = follow({ "Last-Event-ID": value.extensions.eventId });
    for (const stream of [events, again]) {
      const got: string[] = [];
      for (let i = 0; i < 3; i++) got.push((await stream.next()).value.data?.changes.resourceId);
      expect(got).toEqual([...hidden, later]);
    }
  });
}, 60_000);

it("tells a follower without a place where to go on, so that nothing is lost in between", async () => {
  const last = (await readLog()).nodes.at(-1).id;
  await whileOpen(WRITES_OF_THE_LOG, async (release) => {
    const hidden = await createPolicy();
    const { value } = await follow().next();
    expect(value).toMatchObject({
      errors: [{ extensions: { code: "UNAVAILABLE" } }],
      extensions: { eventId: last },
    });
    await release();
    const again = follow({ "Last-Event-ID": value.extensions.eventId });
    expect((await again.next()).value.data.changes.resourceId).toBe(hidden);
  });
}, 60_000);

it("leads, by the statement that the documentation prints, to the session that holds it up", async () => {
  const [, statement = ""] =
    /```sql\n(.*?)```/s.exec(readFileSync("docs/graphql.md", "utf8")) ?? [];
  const find = () => server.context.db.$queryRawUnsafe<{ query: string }[]>(statement);
  await createPolicy();
  expect(await find()).toEqual([]);
  await whileOpen(OTHER_WRITES, () =>
    whileOpen(WRITES_OF_THE_LOG, async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      expect(await find()).toMatchObject([
        { state: "idle in transaction", query: WRITES_OF_THE_LOG[0] },
      ]);
    }),
  );
});
