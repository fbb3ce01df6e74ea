import type { Logger } from "pino";
import type { Config } from "../config.js";
import { withLockedKeyFile } from "../database/disk/key-file.js";
import {
  applyMigrations,
  type Database,
  openDatabase,
  readMigrationStates,
} from "../database/index.js";
import { continueLog } from "../domain/changes/continuation.js";
import { createKeyring, type Keyring } from "../domain/core/keyring.js";
import { checkEncryptionKeys, requireSealingKey } from "../domain/storage/encryption-keys.js";
import { type Imported, importAll } from "../domain/transfer/import.js";
import { type OpenedExport, openExport } from "../domain/transfer/reading.js";
import { CONTINUED } from "./installation.js";
import { joinStorage, type Storage } from "./storage.js";

/**
 * Imports the lines of an export into the database of the configuration, which is made when it is not there. An empty one
 * gets the tables that the export was made from, and is migrated afterwards; any other must have the same. Throws as
 * `importAll` does, and when the export comes from other tables.
 */
export async function importExport(
  config: Config,
  log: Logger,
  lines: AsyncIterator<string>,
  onProgress: (rows: number) => void,
): Promise<Imported> {
  const opened = await openExport(lines);
  const storage = await joinStorage(config, log, true);
  const { keyFile } = storage;
  const work = () => importInto(storage, log, opened, onProgress);
  try {
    return await (keyFile === null ? work() : withLockedKeyFile(keyFile, work));
  } finally {
    await storage.close();
  }
}

async function importInto(
  storage: Storage,
  log: Logger,
  opened: OpenedExport,
  onProgress: (rows: number) => void,
): Promise<Imported> {
  const isNew = await makeTablesOf(storage, opened.header.schema);
  await withDatabase(storage, log, async ({ db, keyring }) => {
    await requireSealingKey(db, keyring);
    if (!isNew && (await continueLog(db))) log.warn(CONTINUED);
  });
  const imported = await withDatabase(storage, log, (side) => importAll(side, opened, onProgress));
  await applyMigrations(storage.connection);
  if (isNew) await withDatabase(storage, log, checkEncryptionKeys);
  return imported;
}

/** Returns whether the database had none. */
async function makeTablesOf({ connection }: Storage, schema: string): Promise<boolean> {
  const migrations = await readMigrationStates(connection);
  const last = migrations.filter(({ state }) => state !== "pending").at(-1);
  if (last?.name === schema && last.state === "applied") return false;
  if (!migrations.some(({ name, state }) => name === schema && state === "pending")) {
    throw new Error(
      `The export comes from tables with the migration ${schema}, which is not the last one of this database: import it with the version of Edgeplane that made it, or a later one, into a database that is empty.`,
    );
  }
  if (last) {
    throw new Error(
      `The database has tables up to the migration ${last.name}, and the export comes from ${schema}: bring both to the same version first, or import into an empty database.`,
    );
  }
  await applyMigrations(connection, schema);
  return true;
}

async function withDatabase<Result>(
  { connection, encryptionKeys }: Storage,
  log: Logger,
  work: (side: { readonly db: Database; readonly keyring: Keyring }) => Promise<Result>,
): Promise<Result> {
  const keyring = createKeyring(encryptionKeys);
  const database = await openDatabase(connection, {
    pending: "leave",
    onConnectionError: (error) => log.warn({ err: error }, "database connection lost"),
  });
  try {
    const result = await database.withoutTimeLimits((db) => work({ db, keyring }));
    database.changeSignal.announce();
    return result;
  } finally {
    await database.close();
  }
}
