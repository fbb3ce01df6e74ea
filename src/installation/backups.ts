import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { openDataDirectory } from "../database/disk/data-directory.js";
import { readKeyFile } from "../database/disk/key-file.js";
import {
  type Backup,
  type BackupOptions,
  type Connection,
  type DailyBackups,
  type DailyTimes,
  keepDailyBackups,
  makeBackup,
  type Restored,
  type RestoreOptions,
  readMigrationStates,
  restoreBackup,
  SYSTEM_IDENTIFIERS,
  withQuery,
} from "../database/index.js";
import { createKeyring } from "../domain/core/keyring.js";
import { WRONG_COUNTS } from "../domain/storage/kept-facts.js";
import { joinStorage } from "./storage.js";

type CommandOptions<Options> = Omit<Options, "examine">;

/**
 * Makes a backup of the embedded database of the configuration as the folder `target`, also while a server has it open.
 * Throws as `makeBackup` does, for other databases, and when `target` lies in `DATA_DIR`.
 */
export async function backUp(
  config: Config,
  log: Logger,
  target: string,
  options: CommandOptions<BackupOptions>,
): Promise<Backup> {
  if (config.DATABASE_URL !== undefined) throw new Error(NOT_EMBEDDED);
  const storage = await joinStorage(config, log);
  try {
    const { connection, directory } = storage;
    if (directory === null) {
      throw new Error(
        `The database in ${config.DATA_DIR} is of the WebAssembly engine: stop Edgeplane, and copy DATA_DIR.`,
      );
    }
    await refuseInside(directory, target);
    return await makeBackup({ connection, directory }, target, { ...options, examine });
  } finally {
    await storage.close();
  }
}

const NOT_EMBEDDED =
  "DATABASE_URL names a PostgreSQL server of its own: back it up and restore it by the means of that server, such as pg_dump.";

async function refuseInside(directory: string, target: string): Promise<void> {
  const parent = path.dirname(path.resolve(target));
  await mkdir(parent, { recursive: true }).catch((error: Error) => {
    throw new Error(`The folder ${parent} for the backup cannot be made: ${error.message}.`);
  });
  const within = path.relative(directory, path.join(await realpath(parent), "backup"));
  if (within.startsWith("..") || path.isAbsolute(within)) return;
  throw new Error(
    `${target} lies in DATA_DIR, with which it would be lost: name a folder outside of it.`,
  );
}

export interface RestoredInstallation extends Restored {
  /** Fingerprints of keys that secrets may be sealed with, and that neither the backup nor the configuration has. */
  readonly missingKeys: readonly string[];
}

/** Restores a backup into `DATA_DIR`, which no server may have open. Throws as `restoreBackup` does. */
export async function restore(
  config: Config,
  backup: string,
  options: CommandOptions<RestoreOptions>,
): Promise<RestoredInstallation> {
  if (config.DATABASE_URL !== undefined) throw new Error(NOT_EMBEDDED);
  const from = await realpath(backup).catch((error: Error) => {
    throw new Error(`There is no backup at ${backup} that can be read: ${error.message}.`);
  });
  const directory = await openDataDirectory(config.DATA_DIR, (error) => {
    console.error(error.message);
    process.exit(1);
  });
  try {
    const restored = await restoreBackup(from, directory, { ...options, examine: fingerprintsIn });
    const keys =
      config.ENCRYPTION_KEY ??
      (restored.hasKeys ? await readKeyFile(await directory.keyFile()) : []);
    const given = keys.flatMap((key) => createKeyring([key]).fingerprints);
    const missingKeys = restored.encryptionKeys.filter((key) => !given.includes(key));
    return { ...restored, missingKeys };
  } finally {
    await directory.release();
  }
}

/** Keeps the daily backups of a server. Failures are warnings in the log. */
export async function startDailyBackups(
  { BACKUP_DAYS: days, BACKUP_DIR: folder }: Config,
  source: { readonly connection: Connection; readonly directory: string },
  log: Logger,
  times: DailyTimes = {},
): Promise<DailyBackups> {
  const [identifier = "", ...earlier] = await withQuery(source.connection, async (query) => {
    const found = await query(`SELECT unnest(${SYSTEM_IDENTIFIERS}) AS identifier`);
    return found.map((row) => String(row.identifier));
  });
  return keepDailyBackups({
    ...times,
    folder,
    days,
    systemIdentifier: identifier,
    earlierIdentifiers: earlier,
    make: (target, signal) => makeBackup(source, target, { signal, gently: true, examine }),
    onMade: ({ path, bytes }) => log.info({ path, bytes }, "made the daily backup"),
    onFailed: (error) =>
      log.warn({ err: error }, "the daily backup could not be made; the next try is in an hour"),
  });
}

/** Counts the rows of a copy. What is wrong in the database as well is not the fault of the copy. */
async function examine(copy: Connection, database: Connection): Promise<string[]> {
  const wrong = await wrongCounts(copy);
  const known = wrong.length > 0 ? await wrongCounts(database) : [];
  if (wrong.length > 0 && known.length === 0) throw new Error(wrong.join(" "));
  return fingerprintsIn(copy);
}

/** In words. Nothing is counted in the tables of another version, which may have other counts. */
async function wrongCounts(connection: Connection): Promise<string[]> {
  const states = await readMigrationStates(connection);
  if (states.some(({ state }) => state !== "applied")) return [];
  const { text, values } = WRONG_COUNTS;
  const rows = await withQuery(connection, (query) => query(text, values));
  return rows.map(({ problem }) => String(problem));
}

/** The keys that secrets may be sealed with. Versions from before they were noted have none. */
async function fingerprintsIn(connection: Connection): Promise<string[]> {
  return withQuery(connection, async (query) => {
    const [noted] = await query("SELECT to_regclass('encryption_keys') IS NOT NULL AS there");
    if (noted?.there !== true) return [];
    const keys = await query("SELECT fingerprint FROM encryption_keys ORDER BY fingerprint");
    return keys.map(({ fingerprint }) => String(fingerprint));
  });
}
