import { randomBytes } from "node:crypto";
import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Connection } from "../connection/connection.js";
import type { DataDirectory } from "../disk/data-directory.js";
import { requireFree } from "../disk/free-space.js";
import { KEY_FILE } from "../disk/key-file.js";
import { DATABASE, replaceDatabase } from "../disk/replacement.js";
import {
  bytesOf,
  chownTree,
  copyTree,
  makePassable,
  REMOVE,
  readTree,
  removePrefixed,
  syncTree,
} from "../disk/trees.js";
import { majorVersionHere } from "../embedded/binaries.js";
import { stopLeftBehind } from "../embedded/postmaster-file.js";
import { findPrograms } from "../embedded/programs.js";
import { otherAdvice, otherVersion } from "../embedded/versions.js";
import { type Manifest, readManifest } from "./manifest.js";
import { verifyDatabase } from "./verify.js";

export interface RestoreOptions {
  /** A database that is there is kept under another name. Default: it is a reason to refuse. */
  readonly replace?: boolean;
  /** Looks at the restored rows; throws when they are not what they must be. */
  readonly examine: (copy: Connection) => Promise<unknown>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (copied: number, total: number) => void;
}

export interface Restored extends Manifest {
  /** The folder with what was there before; null when there was nothing. */
  readonly replaced: string | null;
  /** It is of an earlier major version of PostgreSQL, from which the next start takes its data along. */
  readonly isEarlier: boolean;
  /** The backup had the keys as well. */
  readonly hasKeys: boolean;
}

/**
 * Restores the folder `backup` into a directory that this process has open. The database is there whole or not at all,
 * and was started, read and stopped once before. One of an earlier major version of PostgreSQL stays so. Throws when
 * `backup` is none, is damaged or of a major version whose programs are not there, when there is a database and `replace` is not set, and when the disk has too little room.
 */
export async function restoreBackup(
  backup: string,
  directory: DataDirectory,
  { replace = false, examine, signal, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  const manifest = await readManifest(backup);
  const here = await majorVersionHere();
  if (here === null)
    throw new Error("The package of PostgreSQL for this platform is not installed.");
  const { postgresql: version } = manifest;
  const programs = version < here ? await findPrograms(directory.path, version) : null;
  if (version !== here && programs === null) {
    const advice = await otherAdvice(directory.path, version, here);
    throw new Error(otherVersion(backup, version, here, advice));
  }
  if (directory.engine !== null && !replace) {
    throw new Error(
      `There is a database in ${directory.path}. With --replace it is kept there under another name.`,
    );
  }
  await stopLeftBehind(directory.databases.postgresql);
  const prefix = "restore.new-";
  await removePrefixed(directory.path, prefix);
  const unfinished = path.join(directory.path, prefix + randomBytes(6).toString("hex"));
  const database = path.join(unfinished, DATABASE);
  try {
    const tree = await readTree(backup, isNoPart);
    const total = bytesOf(tree);
    await requireFree(directory.path, total);
    await mkdir(unfinished, { mode: 0o700 });
    let copied = 0;
    await copyTree(backup, unfinished, tree, {
      signal,
      onBytes(bytes) {
        copied += bytes;
        onProgress(copied, total);
      },
    });
    const owner = await otherOwner(directory.path);
    if (owner) await chownTree(unfinished, owner);
    await verifyDatabase(database, examine, {
      programs: programs ?? undefined,
      letOthersPass: () => passable(directory, unfinished),
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The backup ${backup} is damaged, and nothing was changed: ${reason}`);
    });
    await syncTree(unfinished);
    signal?.throwIfAborted();
    const replaced = await replaceDatabase(directory.path, unfinished);
    const hasKeys = tree.files.some(({ name }) => name === KEY_FILE);
    return { ...manifest, replaced, isEarlier: version < here, hasKeys };
  } catch (error) {
    await rm(unfinished, REMOVE);
    throw error;
  }
}

/** What a backup has besides the database and the keys. */
function isNoPart(name: string): boolean {
  const [top = ""] = name.split(path.sep);
  return top !== DATABASE && top !== KEY_FILE;
}

/** The user that the directory belongs to, where that is another one than this process; null otherwise. */
async function otherOwner(directory: string): Promise<{ uid: number; gid: number } | null> {
  const { uid, gid } = await stat(directory);
  return uid === process.geteuid?.() ? null : { uid, gid };
}

/** Lets the user that PostgreSQL runs as get to the database. */
async function passable(directory: DataDirectory, unfinished: string): Promise<void> {
  await directory.letOthersPass();
  await makePassable(unfinished);
}
