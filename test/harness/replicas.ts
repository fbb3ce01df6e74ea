import { execFile } from "node:child_process";
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { openDataDirectory } from "../../src/database/disk/data-directory.js";
import { openDatabase, startEmbedded } from "../../src/database/index.js";

// A PostgreSQL server and a streaming replica of it, both made for one test file.

interface TestCluster {
  readonly url: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** The process id of the server. */
  postmaster(): Promise<number>;
}

export interface Replication {
  readonly primary: TestCluster;
  readonly replica: TestCluster;
  /** Resolves when the replica has all that the primary has now. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
}

const SETTINGS = {
  max_connections: "100",
  max_wal_senders: "4",
  // Or each change waits for the disk of a busy machine.
  fsync: "off",
};

/** Starts both; the database is migrated and empty. */
export async function startReplication(): Promise<Replication> {
  const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-replication-"));
  // For the user that the servers run as when this process is root's.
  await chmod(folder, 0o711);
  const [atPrimary, atReplica] = [path.join(folder, "primary"), path.join(folder, "replica")];
  const migrated = await startCluster(atPrimary);
  const opened = await openDatabase(
    { connectionString: migrated.url },
    { onConnectionError: () => {} },
  );
  await opened.close();
  await migrated.stop();
  await promisify(execFile)("cp", ["-a", atPrimary, atReplica]);
  const primary = await startCluster(atPrimary);
  const database = path.join(atReplica, "postgresql");
  await writeFile(path.join(database, "standby.signal"), "");
  const host = decodeURIComponent(new URL(primary.url).hostname);
  await appendFile(
    path.join(database, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${host} user=postgres application_name=replica'\n`,
  );
  const replica = await startCluster(atReplica);
  return {
    primary,
    replica,
    async caughtUp() {
      const [row] = await primary.query("SELECT pg_current_wal_flush_lsn()::text AS lsn");
      const isThere = `SELECT pg_last_wal_replay_lsn() >= '${row?.lsn}' AS is_there`;
      while ((await replica.query(isThere))[0]?.is_there !== true) await sleep(20);
    },
    async stop() {
      await replica.stop();
      await primary.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function startCluster(folder: string): Promise<TestCluster & { stop(): Promise<void> }> {
  const directory = await openDataDirectory(folder, (error) => {
    throw error;
  });
  const log = { debug: () => {}, warn: () => {}, error: () => {} };
  const { connection, stop } = await startEmbedded(directory, { log, settings: SETTINGS });
  const { host = "", user, database } = connection;
  const url = `postgresql://${user}@${encodeURIComponent(host)}/${database}`;
  return {
    url,
    async query(sql) {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        const { rows } = await client.query(sql);
        return rows;
      } finally {
        await client.end();
      }
    },
    async postmaster() {
      const file = path.join(directory.databases.postgresql, "postmaster.pid");
      return Number.parseInt(await readFile(file, "utf8"), 10);
    },
    async stop() {
      await stop();
      await directory.release();
    },
  };
}
