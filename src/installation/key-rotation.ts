import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { inspectDataDirectory } from "../database/disk/data-directory.js";
import {
  newEncryptionKey,
  readKeyFile,
  replaceKeyFile,
  withLockedKeyFile,
} from "../database/disk/key-file.js";
import { type Database, openDatabase } from "../database/index.js";
import { createKeyring, type Keyring } from "../domain/core/keyring.js";
import {
  checkEncryptionKeys,
  requireNeededKeys,
  requireSealingKey,
} from "../domain/storage/encryption-keys.js";
import { resealAll } from "../domain/storage/reseal.js";
import { withInstallation } from "./installation.js";
import { joinStorage } from "./storage.js";

const LOOK_EVERY_MS = 200;
/** A server looks at its key file each second. */
const TAKING_LIMIT_MS = 15_000;
/** Longer than a change may take that sealed something with the key from before. */
const CHANGES_LIMIT_MS = 15_000;

export interface Rotation {
  /** Of the key that everything is sealed with now. */
  readonly fingerprint: string;
  /** Texts that were sealed anew. */
  readonly resealed: number;
}

/**
 * Seals all secrets anew: with the first of the keys of `ENCRYPTION_KEY`, or, where the key is in `DATA_DIR`, with a new
 * one, which a server that runs there takes over by itself. Changes may go on meanwhile. When this is interrupted, the
 * next call goes on from there. Throws when the server does not take the new key.
 */
export async function rotateKeys(config: Config, log: Logger): Promise<Rotation> {
  const isInFile = config.DATABASE_URL === undefined && config.ENCRYPTION_KEY === undefined;
  if (!isInFile) return onDatabase(config, log, reseal);
  const directory = await inspectDataDirectory(config.DATA_DIR);
  if (!directory) throw new Error(`There is no database in ${config.DATA_DIR}.`);
  const file = await directory.keyFile();
  return withLockedKeyFile(file, () => rotateInFile(config, log, file));
}

async function rotateInFile(config: Config, log: Logger, file: string): Promise<Rotation> {
  const present = await readKeyFile(file);
  await onDatabase(config, log, ({ db, keyring }) => requireNeededKeys(db, keyring));
  // More than one: the last rotation was interrupted.
  const keys = present.length > 1 ? present : [newEncryptionKey(), ...present];
  const [current] = keys;
  if (!current) throw new Error(`${file} has no key.`);
  await replaceKeyFile(file, keys);
  const isInUse = (await inspectDataDirectory(config.DATA_DIR))?.isInUse === true;
  if (isInUse) await untilTaken(config, log, current);
  else await onDatabase(config, log, checkEncryptionKeys);
  const taken = performance.now();
  const { fingerprint, resealed } = await onDatabase(config, log, reseal);
  if (isInUse) await sleep(Math.max(0, CHANGES_LIMIT_MS - (performance.now() - taken)));
  const late = await onDatabase(config, log, reseal);
  await onDatabase(config, log, ({ db }) => requireNeededKeys(db, createKeyring([current])));
  await replaceKeyFile(file, [current]);
  await onDatabase(config, log, checkEncryptionKeys);
  return { fingerprint, resealed: resealed + late.resealed };
}

interface Side {
  readonly db: Database;
  readonly keyring: Keyring;
}

async function reseal({ db, keyring }: Side): Promise<Rotation> {
  await requireSealingKey(db, keyring);
  const [fingerprint = ""] = keyring.fingerprints;
  return { fingerprint, resealed: await resealAll({ db, keyring }) };
}

function onDatabase<Result>(
  config: Config,
  log: Logger,
  work: (side: Side) => Promise<Result>,
): Promise<Result> {
  return withInstallation(config, log, ({ keyring }, { database }) =>
    database.withoutTimeLimits((db) => work({ db, keyring })),
  );
}

/** Waits until the server seals with `key`, which it then notes in the database. */
async function untilTaken(config: Config, log: Logger, key: Buffer): Promise<void> {
  const [fingerprint = ""] = createKeyring([key]).fingerprints;
  const storage = await joinStorage(config, log);
  const database = await openDatabase(storage.connection, {
    pending: "refuse",
    onConnectionError: () => {},
  });
  try {
    const end = performance.now() + TAKING_LIMIT_MS;
    while ((await database.client.encryptionKey.count({ where: { fingerprint } })) === 0) {
      if (performance.now() > end) {
        throw new Error(
          "The server that runs does not take the new key. See its log, or restart it; then call edgeplane secrets rotate again.",
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    await database.close();
    await storage.close();
  }
}
