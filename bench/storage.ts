import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { openDataDirectory } from "../src/database/disk/data-directory.js";
import { startEmbedded } from "../src/database/index.js";

/** A fresh database, and how to reach it. */
export interface Storage {
  /** What makes Edgeplane use it, and what makes the floor use it or its copy. */
  readonly edgeplane: Readonly<Record<string, string>>;
  readonly floor: Readonly<Record<string, string>>;
  /** The URL of a PostgreSQL server with it or a copy, for all others; null where none can run. */
  urlForOthers(): Promise<string | null>;
  /** Runs `work` on it while no server does. */
  whileClosed<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  /** Process ids of its server processes, where this machine runs them. */
  processIds(): Promise<number[]>;
  drop(): Promise<void>;
}

/** A new database next to the one of `url`. */
export async function createOnServer(url: string): Promise<Storage> {
  const name = `edgeplane_bench_${randomBytes(6).toString("hex")}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const administrator = new Client({ connectionString: url });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE "${name}"`);
  const environment = { DATABASE_URL: own.href };
  return {
    edgeplane: environment,
    floor: environment,
    urlForOthers: async () => own.href,
    async whileClosed(work) {
      const client = new Client({ connectionString: own.href });
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end();
      }
    },
    async processIds() {
      const sql = "SELECT pid FROM pg_stat_activity WHERE datname = $1";
      const { rows } = await administrator.query<{ pid: number }>(sql, [name]);
      return rows.map(({ pid }) => pid);
    },
    async drop() {
      await administrator.query(`DROP DATABASE "${name}" WITH (FORCE)`);
      await administrator.end();
    },
  };
}

/** A temporary data directory, and copies of it, since one process at a time has each. */
export async function createEmbedded(): Promise<Storage> {
  const root = await mkdtemp(path.join(tmpdir(), "edgeplane-bench-"));
  const own = path.join(root, "edgeplane");
  const floor = path.join(root, "floor");
  const others = path.join(root, "others");
  let running: RunningEngine | undefined;
  return {
    edgeplane: { DATA_DIR: own, BACKUP_DAYS: "0" },
    floor: { FLOOR_DATA_DIR: floor },
    async urlForOthers() {
      running = await startEngine(others);
      const { host, user, database, inProcess } = running.connection;
      if (inProcess || !host) return null;
      const url = new URL(`postgresql://${user}@localhost/${database}`);
      url.searchParams.set("host", host);
      return url.href;
    },
    async whileClosed(work) {
      const engine = await startEngine(own);
      const { host, user, database } = engine.connection;
      const client = new Client({ host, user, database });
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end();
        await engine.stop();
        for (const copy of [floor, others]) {
          await rm(copy, { recursive: true, force: true });
          await cp(own, copy, { recursive: true });
        }
      }
    },
    processIds: async () => [own, floor, others].flatMap(processesOf),
    async drop() {
      await running?.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

type RunningEngine = Awaited<ReturnType<typeof startEngine>>;

async function startEngine(dataDir: string) {
  const directory = await openDataDirectory(dataDir, () => process.exit(1));
  const embedded = await startEmbedded(directory, { log: { ...console, debug: () => {} } });
  return {
    connection: embedded.connection,
    async stop() {
      await embedded.stop();
      await directory.release();
    },
  };
}

/** The processes of the embedded server of a data directory; none where the system does not tell. */
function processesOf(dataDir: string): number[] {
  try {
    const file = readFileSync(path.join(dataDir, "postgresql", "postmaster.pid"), "utf8");
    const postmaster = Number.parseInt(file, 10);
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
    return children.trim().split(" ").map(Number);
  } catch {
    return [];
  }
}
