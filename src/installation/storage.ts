import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import {
  type DataDirectory,
  inspectDataDirectory,
  openDataDirectory,
} from "../database/disk/data-directory.js";
import { readKeyFile } from "../database/disk/key-file.js";
import {
  applyMigrations,
  type Connection,
  dailyNames,
  isServed,
  joinEmbedded,
  readMigrationStates,
  startEmbedded,
  upgradeDatabase,
  watchFreeSpace,
} from "../database/index.js";

const LOOK_EVERY_MS = 250;
/** Longer than a lock lasts that nobody refreshes, and than a start takes without recovery. */
const SERVING_LIMIT_MS = 15_000;

/** A database that can be connected to, and the keys that its secrets are sealed with. */
export interface Storage {
  readonly connection: Connection;
  readonly encryptionKeys: readonly Buffer[];
  /** The file that the encryption keys come from; null when they come from the configuration. */
  readonly keyFile: string | null;
  /** The data directory of the embedded PostgreSQL; null for other databases. */
  readonly directory: string | null;
  isDiskFull(): boolean;
  close(): Promise<void>;
}

/**
 * PostgreSQL when `DATABASE_URL` says where, else the embedded database in `DATA_DIR`, which is started. Throws when
 * another process has it open; `onLost` is called when another one takes it over. One of an earlier major version of
 * PostgreSQL is taken along to that of the package where `upgrades` is set, and refused otherwise.
 */
export async function openStorage(
  config: Config,
  log: Logger,
  onLost: (error: Error) => void,
  upgrades = true,
): Promise<Storage> {
  if (config.DATABASE_URL !== undefined) return separateServer(config, config.DATABASE_URL);
  const directory = await openDataDirectory(config.DATA_DIR, onLost);
  if (directory.engine === null) await refuseLost(config);
  const keys = await keysOf(config, directory);
  const space = await watchFreeSpace(directory.path, (isFull) => {
    if (isFull) log.error(`the disk of ${directory.path} is full: changes are refused`);
    else log.warn(`the disk of ${directory.path} has free space again: changes are accepted`);
  });
  if (upgrades) await upgradeDatabase(directory, { log, readMigrationStates, applyMigrations });
  const embedded = await startEmbedded(directory, { log });
  return {
    connection: embedded.connection,
    ...keys,
    directory: embedded.connection.inProcess ? null : directory.path,
    isDiskFull: space.isFull,
    async close() {
      space.stop();
      await embedded.stop();
      await directory.release();
    },
  };
}

/**
 * The same for a command: an embedded database that a server runs at this moment is shared with it. Throws when that
 * one cannot be shared, and when there is no database, or one of an earlier major version of PostgreSQL, unless the command
 * `makes` databases and tables.
 */
export async function joinStorage(
  config: Config,
  log: Logger,
  makes = false,
  end = performance.now() + SERVING_LIMIT_MS,
): Promise<Storage> {
  if (config.DATABASE_URL !== undefined) return separateServer(config, config.DATABASE_URL);
  const directory = await inspectDataDirectory(config.DATA_DIR);
  if (!makes && (directory?.engine ?? null) === null) {
    await refuseLost(config);
    throw new Error(
      `There is no database in ${config.DATA_DIR}: set DATA_DIR or DATABASE_URL, or make one with edgeplane migrate.`,
    );
  }
  if (!directory?.isInUse) {
    if (directory) await refuseOtherUser(directory.path);
    return openStorage(config, log, endProcess, makes);
  }
  if (!(await isServed(directory))) {
    // Of a process that was killed, or that starts or stops: it serves soon, or its lock is nobody's.
    if (performance.now() > end) {
      throw new Error(
        `Another process has ${directory.path} open and does not serve its database.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
    return joinStorage(config, log, makes, end);
  }
  return {
    connection: joinEmbedded(directory),
    ...(await keysOf(config, directory)),
    directory: directory.path,
    // The server that runs it refuses changes by itself; a command finds out when one fails.
    isDiskFull: () => false,
    close: async () => {},
  };
}

/** What another user than the owner makes in the directory would keep the owner from starting again. */
async function refuseOtherUser(directory: string): Promise<void> {
  const { uid } = await stat(directory);
  const own = process.getuid?.() ?? uid;
  if (uid === own) return;
  throw new Error(
    `The data directory ${directory} belongs to the user ${uid}, and this process runs as ${own}: run the command as its owner, or while a server runs.`,
  );
}

/** A new database would soon have the place of the old one among the backups as well. */
async function refuseLost({ DATA_DIR, BACKUP_DIR }: Config): Promise<void> {
  const [newest] = await dailyNames(BACKUP_DIR);
  if (newest === undefined) return;
  throw new Error(
    `There is no database in ${DATA_DIR}, but ${BACKUP_DIR} has backups. Restore the newest with edgeplane restore ${path.join(BACKUP_DIR, newest)}; for a new database move them away, or set BACKUP_DIR to another directory.`,
  );
}

function separateServer(
  { ENCRYPTION_KEY, DATABASE_DIRECT_URL, DATABASE_READ_URL }: Config,
  connectionString: string,
): Storage {
  return {
    connection: {
      connectionString,
      directUrl: DATABASE_DIRECT_URL,
      readUrl: DATABASE_READ_URL,
    },
    encryptionKeys: ENCRYPTION_KEY ?? [],
    keyFile: null,
    directory: null,
    // A separate database server reports a full disk when a change fails.
    isDiskFull: () => false,
    close: async () => {},
  };
}

async function keysOf(
  { ENCRYPTION_KEY }: Config,
  directory: Pick<DataDirectory, "keyFile">,
): Promise<Pick<Storage, "encryptionKeys" | "keyFile">> {
  if (ENCRYPTION_KEY !== undefined) return { encryptionKeys: ENCRYPTION_KEY, keyFile: null };
  const keyFile = await directory.keyFile();
  return { encryptionKeys: await readKeyFile(keyFile), keyFile };
}

function endProcess(): never {
  console.error("Another process has taken over the data directory.");
  process.exit(1);
}
