import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Connection } from "../../src/database/index.js";
import { counted, overview } from "../harness/counts.js";
import { FAULTS_KEY } from "../harness/faults.js";
import { installations, kill, type Started, stop } from "../harness/installations.js";
import { faultsOf, settled, type Write } from "../harness/kills/history.js";
import { endOfSessions } from "../harness/kills/sessions.js";
import { readStored } from "../harness/kills/stored.js";
import { createWriter, layGround, untilAnswered } from "../harness/kills/writers.js";
import { freshDatabase } from "../harness/server.js";

// A server is killed while clients write, and started again, over and over.

/** `ROUNDS` asks for more, over both databases. */
const ROUNDS = Math.ceil(Number(process.env.ROUNDS ?? 10) / 2);
const WRITERS = 8;
/** The longest that a server lives once each writer has had some answers. */
const MOST_MS = 500;
const TIMEOUT_MS = 60_000 + ROUNDS * 60_000;

const own = installations();

it(
  "loses and halves nothing on the embedded database",
  () => expectNothingLost({}, () => ({ host: path.join(own.dataDir, "run"), ...SUPERUSER })),
  TIMEOUT_MS,
);

const SUPERUSER = { user: "postgres", database: "postgres" };

it(
  "loses and halves nothing on a PostgreSQL server",
  async () => {
    const { url, stop } = await freshDatabase();
    const environment = {
      DATABASE_URL: url,
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    };
    await expectNothingLost(environment, () => ({ connectionString: url }));
    await stop();
  },
  TIMEOUT_MS,
);

async function expectNothingLost(environment: Record<string, string>, connect: () => Connection) {
  let server = await own.start(environment);
  const ground = await layGround(server.url);
  const writers = Array.from({ length: WRITERS }, (_, index) => createWriter(index, ground));
  let before: readonly Write[] = ground.writes;
  let undone = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const working = writers.map((writer) => writer.work(server.url));
    // Every third server is killed as soon as it serves.
    if (round % 3 < 2) await untilAnswered(writers, working, 3);
    await sleep(Math.random() * MOST_MS);
    await kill(server);
    await Promise.all(working);
    expect(writers.flatMap(({ refusals }) => refusals)).toEqual([]);

    const end = await endOfSessions(connect());
    server = await own.start(environment);
    await end();
    const writes = [...before, ...writers.flatMap((writer) => writer.writes.splice(0))];
    const { stored, wrongMarks } = await readStored(server.url, connect());
    expect(faultsOf(writes, stored)).toEqual([]);
    expect(wrongMarks).toEqual([]);
    await expectCounted(server);

    before = settled(writes, stored);
    undone += writes.length - before.length;
  }
  const found = before.filter(({ outcome }) => outcome === "found").length;
  console.log(
    `${ROUNDS} kills: ${before.length - found} writes were acknowledged; of those without an answer ${found} were done and ${undone} were not`,
  );
  await stop(server);
}

async function expectCounted({ url }: Started): Promise<void> {
  const target = { url, writeKey: FAULTS_KEY };
  expect(await overview(target)).toEqual(await counted(target));
}
