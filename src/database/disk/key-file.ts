import { randomBytes } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { chown, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import lockfile from "proper-lockfile";
import { syncFolder } from "./durable.js";
import { exists } from "./exists.js";

/** The name of the file of encryption keys in a data directory, and in a backup. */
export const KEY_FILE = "encryption.key";

const KEY_BYTES = 32;
const LOOK_EVERY_MS = 1_000;
/** As of the data directory: who was killed has left a lock that nobody refreshes. */
const LOCK = {
  stale: 5_000,
  update: 1_000,
  retries: { retries: 14, factor: 1, minTimeout: 500, maxTimeout: 500 },
};

/**
 * The keys that the secrets of an embedded database are sealed with: 32 bytes in base64 on each line. The first one seals;
 * there are others only while the key is rotated.
 */
export async function readKeyFile(file: string): Promise<Buffer[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Error(
      `The key that the secrets of the database are sealed with cannot be read: ${error.message}. Restore this file from your backup, or set ENCRYPTION_KEY to what it held.`,
    );
  });
  const keys = text
    .trim()
    .split(/\s+/)
    .map((line) => Buffer.from(line, "base64"));
  if (keys.some((key) => key.length !== KEY_BYTES)) {
    throw new Error(`${file} does not hold ${KEY_BYTES} bytes in base64.`);
  }
  return keys;
}

export function newEncryptionKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Makes the file with a new key, unless it is there. What is sealed with the key comes later. */
export async function makeKeyFile(file: string): Promise<void> {
  if (!(await exists(file))) await writeWhole(file, [newEncryptionKey()], null);
}

/** Replaces the keys of the file, which stays with its owner. */
export async function replaceKeyFile(file: string, keys: readonly Buffer[]): Promise<void> {
  await writeWhole(file, keys, await stat(file));
}

/**
 * Keeps others from replacing the keys of the file while `work` relies on them. Throws when somebody else does so for
 * longer than a few seconds.
 */
export async function withLockedKeyFile<Result>(
  file: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await lockfile
    .lock(file, { ...LOCK, lockfilePath: `${file}.lock` })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ELOCKED") throw error;
      throw new Error(
        "Another command rotates the key of this database, or imports into it: wait until it has ended.",
      );
    });
  return work().finally(release);
}

/** Calls `onChange` after each change of the file, until the function that it returns is called. */
export function watchKeyFile(file: string, onChange: () => void): () => void {
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, onChange);
  return () => unwatchFile(file, onChange);
}

/** A power cut leaves the file as it was, or with all of the keys. */
async function writeWhole(
  file: string,
  keys: readonly Buffer[],
  owner: { readonly uid: number; readonly gid: number } | null,
): Promise<void> {
  const unfinished = `${file}.new`;
  const lines = keys.map((key) => `${key.toString("base64")}\n`);
  await writeFile(unfinished, lines.join(""), { mode: 0o600, flush: true });
  if (owner) await chown(unfinished, owner.uid, owner.gid);
  await rename(unfinished, file);
  await syncFolder(path.dirname(file));
}
