import { chown, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import path from "node:path";
import type { Connection } from "../connection/connection.js";
import { chownTree } from "../disk/trees.js";
import { accountOf, accountsForNew, refuseUnreachable } from "./accounts.js";
import { findBinaries } from "./binaries.js";
import type { EngineLog } from "./engine.js";
import { type Postgres, requireRunnable, startPostgres } from "./postgres.js";
import { refusalOf } from "./refusal.js";

/** Of a server that looks at a copy beside the one that serves. */
const SETTINGS = {
  shared_buffers: "16MB",
  max_connections: "8",
  // For `BASE_BACKUP`, which reads everything.
  max_wal_senders: "2",
  // The copy keeps no more of the log than a clean stop needs.
  wal_recycle: "off",
  min_wal_size: "32MB",
  autovacuum: "off",
  // The caller syncs everything in the end.
  fsync: "off",
};

/** Of `pg_control`: where the state of the database stands, and what it is after a clean stop. */
const STATE_AT = 16;
const SHUT_DOWN = 1;

export interface TemporaryOptions {
  /** The folder of kept programs to run; default those of the package. */
  readonly programs?: string | undefined;
  /** Leaves the processor to others. */
  readonly gently?: boolean | undefined;
  /** Called before another user than that of this process gets to the folder, whom the server then runs as. */
  readonly letOthersPass?: () => Promise<void>;
}

/**
 * Starts PostgreSQL on the database in the folder `database` with a private socket, runs `work`, and stops it. The folder
 * comes to belong to the user that it runs as, and is not synced. Throws when PostgreSQL does not start or does not stop
 * cleanly, and what `work` throws.
 */
export async function onTemporaryServer<Result>(
  database: string,
  work: (connection: Connection) => Promise<Result>,
  { programs, gently = false, letOthersPass = async () => {} }: TemporaryOptions = {},
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-"));
  try {
    const binaries = await findBinaries(path.join(folder, "libraries"), programs);
    if (!binaries) throw new Error("The package of PostgreSQL for this platform is not installed.");
    const postgres = await runnable({ binaries, database, socketFolder: folder }, letOthersPass);
    const server = await startPostgres(postgres, {
      log: SILENT,
      settings: SETTINGS,
      onLaunch: ({ pid }) => {
        if (gently && pid !== undefined) {
          setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
        }
      },
    });
    const result = await work(server.connection).finally(() => server.stop());
    await requireCleanStop(database);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Throws unless the server on `database` has stopped and left nothing to recover. */
export async function requireCleanStop(database: string): Promise<void> {
  const control = await readFile(path.join(database, "global", "pg_control"));
  if (control.readInt32LE(STATE_AT) !== SHUT_DOWN) {
    throw new Error("PostgreSQL did not stop cleanly.");
  }
}

/** What goes wrong is thrown. */
const SILENT: EngineLog = { debug: () => {}, warn: () => {}, error: () => {} };

/** As the owner of the database; where that is root, as for a new one. Throws why it runs as nobody. */
async function runnable(
  place: Omit<Postgres, "account">,
  letOthersPass: () => Promise<void>,
): Promise<Postgres> {
  const { binaries, database, socketFolder } = place;
  const { uid } = await stat(database);
  const isOwn = uid === process.geteuid?.();
  const reasons: string[] = [];
  for (const account of isOwn ? await accountsForNew() : [await accountOf(database)]) {
    const postgres = { ...place, account };
    const { owner } = account;
    const reason = await refusalOf(async () => {
      if (owner) {
        await letOthersPass();
        await refuseUnreachable(database);
        await refuseUnreachable(binaries.postgres);
        await chown(socketFolder, owner.uid, owner.gid);
      }
      await requireRunnable(postgres);
      if (owner) await chownTree(database, owner);
    });
    if (reason === null) return postgres;
    reasons.push(`${account.name}: ${reason}`);
  }
  throw new Error(`PostgreSQL cannot run here (${reasons.join("; ")}).`);
}
