import { lchown, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "./durable.js";
import { exists } from "./exists.js";
import { KEY_FILE } from "./key-file.js";
import { REMOVE } from "./trees.js";

// How a database takes the place of another one in a data directory. No rename replaces a folder that is not empty. So
// the new database lies beside the old one, complete, in a folder whose name says what is left to be done: whoever opens
// the directory next does it.

/** The new database is complete. What it replaces is moved away. */
const REPLACING = /^replacing-(\d{8}T\d{6}Z)$/;
/** What it replaces has been moved away. The new database is moved to its place. */
const PLACING = /^placing-(\d{8}T\d{6}Z)$/;
/** Where what was replaced is kept. */
const REPLACED = /^replaced-\d{8}T\d{6}Z$/;

/** The name of the folder of a PostgreSQL database in a data directory, and in a backup. */
export const DATABASE = "postgresql";
const REPLACEABLE = [DATABASE, "database", KEY_FILE];

/** Whether the name in a data directory is one of a replacement. */
export function isOfReplacement(name: string): boolean {
  return [REPLACING, PLACING, REPLACED].some((pattern) => pattern.test(name));
}

/**
 * Has the folder `complete` in `directory` take the place of the database there, with all that is in it. Returns the folder
 * with what was replaced; null when there was nothing. Once begun, this is completed by the next `completeReplacement`.
 */
export async function replaceDatabase(directory: string, complete: string): Promise<string | null> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  await rename(complete, path.join(directory, `replacing-${time}`));
  await syncFolder(directory);
  await completeReplacement(directory);
  const replaced = replacedFolder(directory, time);
  return (await exists(replaced)) ? replaced : null;
}

/** Completes a replacement that was interrupted, if there is one. The caller has the directory to itself. */
export async function completeReplacement(directory: string): Promise<void> {
  const names = await readdir(directory);
  for (const name of names) {
    const [, time] = REPLACING.exec(name) ?? [];
    if (time === undefined) continue;
    await moveAway(directory, replacedFolder(directory, time));
    await rename(path.join(directory, name), path.join(directory, `placing-${time}`));
    await syncFolder(directory);
  }
  for (const name of await readdir(directory)) {
    if (PLACING.test(name)) await moveToPlace(directory, path.join(directory, name));
  }
}

/** The folders with databases that were replaced, newest first. */
export async function replacedFolders(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => REPLACED.test(name));
  return names
    .sort()
    .reverse()
    .map((name) => path.join(directory, name));
}

function replacedFolder(directory: string, time: string): string {
  return path.join(directory, `replaced-${time}`);
}

async function moveAway(directory: string, replaced: string): Promise<void> {
  for (const name of REPLACEABLE) {
    const from = path.join(directory, name);
    if (!(await exists(from))) continue;
    await mkdir(replaced, { mode: 0o700, recursive: true });
    await rename(from, path.join(replaced, name));
  }
  if (!(await exists(replaced))) return;
  if (process.geteuid?.() === 0) {
    const { uid, gid } = await stat(directory);
    await lchown(replaced, uid, gid);
  }
  await syncFolder(replaced);
}

async function moveToPlace(directory: string, complete: string): Promise<void> {
  for (const name of REPLACEABLE.toReversed()) {
    const from = path.join(complete, name);
    if (await exists(from)) await rename(from, path.join(directory, name));
  }
  await rm(complete, REMOVE);
  await syncFolder(directory);
}
