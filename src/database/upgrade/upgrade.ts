import { randomBytes } from "node:crypto";
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Connection } from "../connection/connection.js";
import type { DataDirectory } from "../disk/data-directory.js";
import { exists } from "../disk/exists.js";
import { requireFree } from "../disk/free-space.js";
import { KEY_FILE } from "../disk/key-file.js";
import { DATABASE, replaceDatabase } from "../disk/replacement.js";
import { bytesOf, makePassable, REMOVE, readTree, syncTree } from "../disk/trees.js";
import { type Account, accountOf, refuseUnreachable } from "../embedded/accounts.js";
import { findBinaries, majorVersionHere } from "../embedded/binaries.js";
import type { EmbeddedServer, EngineLog } from "../embedded/engine.js";
import { initialize, requireRunnable, startPostgres } from "../embedded/postgres.js";
import { stopLeftBehind } from "../embedded/postmaster-file.js";
import { findPrograms } from "../embedded/programs.js";
import { requireCleanStop } from "../embedded/temporary.js";
import { versionOf } from "../embedded/versions.js";
import { copyRows } from "./copy-rows.js";
import { succeed } from "./predecessors.js";

const UNFINISHED = "upgrade.new-";

/** Of both servers. */
const SETTINGS = { max_connections: "16", autovacuum: "off" };
/** What the old one writes is what its last stop left to be done. */
const OLD = { ...SETTINGS, default_transaction_read_only: "on" };
/** What the new one writes goes to the disk in the end. */
const NEW = {
  ...SETTINGS,
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  maintenance_work_mem: "256MB",
};

export interface UpgradeOptions {
  readonly log: EngineLog;
  /** The migrations of this version and those of the database, in order. */
  readMigrationStates(
    connection: Connection,
  ): Promise<readonly { readonly name: string; readonly state: string }[]>;
  /** Applies the migrations up to `last`. */
  applyMigrations(connection: Connection, last: string): Promise<unknown>;
}

/**
 * Has a database of the major version of PostgreSQL here take the place of an earlier one, with all of its data. The old one
 * is kept beside it. It is there whole or not at all: whoever is interrupted begins anew the next time. Does nothing where
 * there is nothing to be done, and where the programs of the old one are not kept. Throws when they do not run, and when
 * anything could not be taken along; then nothing is changed.
 */
export async function upgradeDatabase(
  directory: DataDirectory,
  options: UpgradeOptions,
): Promise<void> {
  if (directory.engine !== "postgresql") return;
  await removeUnfinished(directory.path);
  const database = directory.databases.postgresql;
  const here = await majorVersionHere();
  const version = await versionOf(database);
  if (here === null || version >= here) return;
  const programs = await findPrograms(directory.path, version);
  if (programs === null) return;
  const { log } = options;
  log.warn(
    `the database was made by PostgreSQL ${version}: its data is copied to one of PostgreSQL ${here}, which takes its place`,
  );
  await stopLeftBehind(database);
  const kept = await takeAlong(directory, programs, options).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The data of ${database} could not be taken along from PostgreSQL ${version} to ${here}: ${reason}. Nothing was changed: mend this and start again, or go on with the version of Edgeplane that made it.`,
    );
  });
  log.warn(
    `the database is one of PostgreSQL ${here} now; the old one is kept in ${kept}: delete it when you do not need it any more`,
  );
}

/** What was killed may have left, with a server that still runs. */
async function removeUnfinished(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(UNFINISHED)) continue;
    await stopLeftBehind(path.join(directory, name, DATABASE));
    await rm(path.join(directory, name), REMOVE);
  }
}

/** Returns the folder with the old database. */
async function takeAlong(
  directory: DataDirectory,
  programs: string,
  options: UpgradeOptions,
): Promise<string | null> {
  const old = directory.databases.postgresql;
  const account = await accountOf(old);
  const { files } = await readTree(old, (name) => name === "pg_wal");
  await requireFree(directory.path, bytesOf({ folders: [], files }));
  const unfinished = path.join(directory.path, UNFINISHED + randomBytes(6).toString("hex"));
  const tools = await mkdtemp(path.join(tmpdir(), "edgeplane-"));
  try {
    await mkdir(unfinished, { mode: 0o700 });
    if (account.owner) await directory.letOthersPass();
    for (const folder of [unfinished, tools]) await makePassable(folder);
    const database = path.join(unfinished, DATABASE);
    await mkdirFor(account, database);
    await onServer(
      { folder: path.join(tools, "old"), programs, account, database: old, settings: OLD },
      (from) =>
        onServer(
          { folder: path.join(tools, "new"), account, database, settings: NEW, isNew: true },
          (to) => copyAll(from, to, options),
          options.log,
        ),
      options.log,
    );
    await requireCleanStop(database);
    await rm(path.join(database, "postmaster.opts"), { force: true });
    await copyKeys(directory.path, unfinished);
    await syncTree(unfinished);
    return await replaceDatabase(directory.path, unfinished);
  } finally {
    await rm(unfinished, REMOVE);
    await rm(tools, REMOVE);
  }
}

interface Place {
  /** For the socket and libraries; not there yet. */
  readonly folder: string;
  /** The folder of programs; default those of the package. */
  readonly programs?: string;
  readonly account: Account;
  readonly database: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The database is an empty folder. */
  readonly isNew?: boolean;
}

/** Runs `work` with a server that nobody else reaches. */
async function onServer<Result>(
  { folder, programs, account, database, settings, isNew = false }: Place,
  work: (connection: Connection) => Promise<Result>,
  log: EngineLog,
): Promise<Result> {
  await mkdir(folder, { mode: 0o755 });
  await makePassable(folder);
  const binaries = await findBinaries(path.join(folder, "libraries"), programs);
  if (!binaries) throw new Error("the package of PostgreSQL for this platform is not installed");
  const socketFolder = path.join(folder, "run");
  await mkdirFor(account, socketFolder);
  const postgres = { binaries, account, database, socketFolder };
  if (account.owner) await refuseUnreachable(binaries.postgres);
  await requireRunnable(postgres).catch((error: Error) => {
    throw new Error(`${binaries.postgres} does not run: ${error.message}`);
  });
  if (isNew) await initialize(database, binaries, account, true);
  const server: EmbeddedServer = await startPostgres(postgres, { log, settings });
  return work(server.connection).finally(() => server.stop());
}

async function copyAll(
  from: Connection,
  to: Connection,
  { readMigrationStates, applyMigrations }: UpgradeOptions,
): Promise<void> {
  const states = await readMigrationStates(from);
  const others = states.filter(({ state }) => state === "failed" || state === "unknown");
  if (others.length > 0) {
    const named = others.map(({ name, state }) => `${name} (${state})`).join(", ");
    throw new Error(`its tables are not those of a version that is known here: ${named}`);
  }
  const last = states.filter(({ state }) => state === "applied").at(-1);
  if (last) await applyMigrations(to, last.name);
  await copyRows(from, to, succeed);
}

async function mkdirFor({ owner }: Account, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (owner) await chown(folder, owner.uid, owner.gid);
}

/** The keys of the old database stay with it. Where there is no file, they come from the environment. */
async function copyKeys(directory: string, unfinished: string): Promise<void> {
  const [from, to] = [directory, unfinished].map((folder) => path.join(folder, KEY_FILE));
  if (from === undefined || to === undefined || !(await exists(from))) return;
  const { uid, gid } = await stat(from);
  await copyFile(from, to);
  await chmod(to, 0o600);
  if (process.geteuid?.() === 0) await chown(to, uid, gid);
}
