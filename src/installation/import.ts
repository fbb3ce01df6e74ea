import type { Logger } from "pino";
import type { Config } from "../config.js";
import { applyMigrations, openDatabase, readMigrationStates } from "../database/index.js";
import { createKeyring } from "../domain/core/keyring.js";
import { checkEncryptionKeys } from "../domain/storage/encryption-keys.js";
import { type Imported, importAll } from "../domain/transfer/import.js";
import { type OpenedExport, openExport } from "../domain/transfer/reading.js";
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
  try {
    await makeTablesOf(storage, opened.header.schema);
    const imported = await importInto(storage, log, opened, onProgress);
    await applyMigrations(storage.connection);
    return imported;
  } finally {
    await storage.close();
  }
}

async function makeTablesOf({ connection }: Storage, schema: string): Promise<void> {
  const migrations = await readMigrationStates(connection);
  const last = migrations.filter(({ state }) => state !== "pending").at(-1);
  if (last?.name === schema && last.state === "applied") return;
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
}

async function importInto(
  { connection, encryptionKeys }: Storage,
  log: Logger,
  opened: OpenedExport,
  onProgress: (rows: number) => void,
): Promise<Imported> {
  const keyring = createKeyring(encryptionKeys);
  const database = await openDatabase(connection, {
    pending: "leave",
    onConnectionError: (error) => log.warn({ err: error }, "database connection lost"),
  });
  try {
    return await database.withoutTimeLimits(async (db) => {
      await checkEncryptionKeys({ db, keyring });
      const imported = await importAll({ db, keyring }, opened, onProgress);
      database.changeSignal.announce();
      return imported;
    });
  } finally {
    await database.close();
  }
}
