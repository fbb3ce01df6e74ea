import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { inspectDataDirectory } from "../database/disk/data-directory.js";
import { newEncryptionKey, readKeyFile, replaceKeyFile } from "../database/disk/key-file.js";
import { openDatabase } from "../database/index.js";
import { createKeyring } from "../domain/core/keyring.js";
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
export async function rotateKeys(
  config: Config,
  log: Logger,
  onProgress: (resealed: number) => void,
): Promise<Rotation> {
  const isInFile = config.DATABASE_URL === undefined && config.ENCRYPTION_KEY === undefined;
  return isInFile ? rotateInFile(config, log, onProgress) : reseal(config, log, onProgress);
}

async function rotateInFile(
  config: Config,
  log: Logger,
  onProgress: (resealed: number) => void,
): Promise<Rotation> {
  const directory = await inspectDataDirectory(config.DATA_DIR);
  if (directory?.engine == null) throw new Error(`There is no database in ${config.DATA_DIR}.`);
  const file = await directory.keyFile();
  const [before, ...others] = await readKeyFile(file);
  if (!before) throw new Error(`${file} has no key.`);
  // More than one: the last rotation was interrupted.
  const current = others.length > 0 ? before : newEncryptionKey();
  const both = others.length > 0 ? [before, ...others] : [current, before];
  await replaceKeyFile(file, both);
  if (directory.isInUse) await untilTaken(config, log, current);
  const taken = performance.now();
  const rotation = await reseal(config, log, onProgress);
  let { resealed } = rotation;
  while (directory.isInUse && performance.now() - taken < CHANGES_LIMIT_MS) {
    await sleep(CHANGES_LIMIT_MS - (performance.now() - taken));
    resealed += (await reseal(config, log, () => {})).resealed;
  }
  await replaceKeyFile(file, [current]);
  return { ...rotation, resealed };
}

function reseal(
  config: Config,
  log: Logger,
  onProgress: (resealed: number) => void,
): Promise<Rotation> {
  return withInstallation(config, log, async ({ keyring }, { database }) => {
    const [fingerprint = ""] = keyring.fingerprints;
    const resealed = await database.withoutTimeLimits((db) =>
      resealAll({ db, keyring }, onProgress),
    );
    return { fingerprint, resealed };
  });
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
