import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connection } from "../../src/database/connection/connection.js";
import {
  EARLIER,
  everythingIn,
  keepEarlier,
  onDatabase,
  programOfEarlier,
  useTransactions,
} from "../harness/earlier-postgres.js";
import { cursorsOf, openEvents } from "../harness/event-streams.js";
import { FAULTS_KEY } from "../harness/faults.js";
import { installations, stop } from "../harness/installations.js";
import { rest, type Target } from "../harness/transports.js";

// A PostgreSQL whose rows were dumped from another one, which had counted more transactions.

if (EARLIER === null) console.warn("NOT RUN: restored dumps, because no pg_dump is here.");

const run = promisify(execFile);
const own = installations();
let folder = "";

const ENCRYPTION_KEY = randomBytes(32).toString("base64");
const urlOf = ({ host = "", user }: Connection) =>
  `postgresql://${user}@${encodeURIComponent(host)}/postgres`;

/** Runs `work` on a server of PostgreSQL of its own, with the variables of an Edgeplane on it. */
async function onServer(
  name: string,
  work: (env: Record<string, string>, connection: Connection) => Promise<void>,
): Promise<void> {
  const directory = path.join(folder, name);
  await mkdir(directory, { mode: 0o711 });
  await keepEarlier(directory);
  await onDatabase(directory, "earlier", (connection) =>
    work({ DATABASE_URL: urlOf(connection), ENCRYPTION_KEY }, connection),
  );
}

const createPolicy = async (target: Target): Promise<string> =>
  (await rest(target, "POST", "/ip_policies", {})).body.id;

describe.skipIf(EARLIER === null)("a restored dump", { timeout: 120_000 }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is served, and its log goes on for who followed it", async () => {
    const dump = path.join(folder, "dump");
    let before: string[] = [];
    let rows: Record<string, readonly string[]> = {};
    await onServer("old", async (env, connection) => {
      await useTransactions(connection);
      const server = await own.start(env);
      const target = { url: server.url, writeKey: FAULTS_KEY };
      for (let i = 0; i < 5; i++) await createPolicy(target);
      before = await cursorsOf(target);
      expect(before).toHaveLength(5);
      await stop(server);
      rows = await everythingIn(connection);
      await run(programOfEarlier("pg_dump"), [
        "--format=custom",
        `--file=${dump}`,
        urlOf(connection),
      ]);
    });
    await onServer("new", async (env, connection) => {
      const url = urlOf(connection);
      await run(programOfEarlier("pg_restore"), ["--exit-on-error", `--dbname=${url}`, dump]);
      expect(await everythingIn(connection)).toEqual(rows);
      expect(await own.done(["doctor"], 1, { ...env, PORT: "0" })).toMatch(
        /^problem {2}change log: .*\n.*edgeplane migrate/m,
      );

      const server = await own.start(env);
      await expect.poll(server.output).toContain("its change log goes on after the last entry");
      const target = { url: server.url, writeKey: FAULTS_KEY };
      expect(await cursorsOf(target)).toEqual(before);
      const query = "subscription { changes { id resourceId } }";
      const events = await openEvents(target, FAULTS_KEY, { query }, before[3] ?? "");
      expect((await events.next())?.id).toBe(before[4]);
      const id = await createPolicy(target);
      const event = await events.next();
      expect(event?.result).toMatchObject({ data: { changes: { resourceId: id } } });
      events.close();
      expect(await cursorsOf(target)).toEqual([...before, event?.id]);
      await stop(server);
      expect(await own.done(["doctor"], 0, { ...env, PORT: "0" })).toContain(
        "change log: is in order",
      );
      expect(await own.done(["migrate"], 0, env)).not.toContain("goes on");
    });
  });
});
