import { randomBytes } from "node:crypto";
import {
  chmod,
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { syncFolder } from "../disk/durable.js";
import { exists } from "../disk/exists.js";
import { requireFree } from "../disk/free-space.js";
import { makePassable, REMOVE, removePrefixed } from "../disk/trees.js";
import { accountOf, refuseUnreachable } from "./accounts.js";
import { findBinaries, majorVersionOf, packageFolder, packageVersion } from "./binaries.js";
import { requireRunnable } from "./postgres.js";

// A package has one major version of PostgreSQL, whose databases no other opens. So a data directory keeps the programs
// that its database needs, in a folder named by their version: a later package reads the database with these.

const PROGRAMS = "programs";
const UNFINISHED = "new-";
const WRITABLE_BY_OTHERS = 0o022;

/** Where a data directory keeps programs. */
export function programsFolder(directory: string): string {
  return path.join(directory, PROGRAMS);
}

/** The folder with the kept programs of a major version; null when there are none. */
export async function findPrograms(directory: string, version: number): Promise<string | null> {
  const [newest] = (await keptIn(directory))
    .filter((name) => majorVersionOf(name) === version)
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return newest === undefined ? null : path.join(programsFolder(directory), newest);
}

/**
 * Keeps the programs of the package for the PostgreSQL database of a data directory: as hard links, or as copies where that is another file system, or where others might change them. They are there whole or not at all, have
 * been run once, and take the place of those of an earlier version with the same major version. Throws when there is too
 * little room, and when they do not run there.
 */
export async function keepPrograms(directory: string, signal: AbortSignal): Promise<void> {
  const from = packageFolder();
  if (from === null) return;
  const version = await packageVersion(from);
  const folder = programsFolder(directory);
  await removePrefixed(folder, UNFINISHED);
  if (!(await exists(path.join(folder, version)))) {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const unfinished = path.join(folder, UNFINISHED + randomBytes(6).toString("hex"));
    try {
      await linkOrCopy(from, unfinished, signal);
      await requireRunnableFor(path.join(directory, "postgresql"), unfinished);
      await rename(unfinished, path.join(folder, version));
      await syncFolder(folder);
      await syncFolder(directory);
    } catch (error) {
      await rm(unfinished, REMOVE);
      throw error;
    }
  }
  for (const name of await keptIn(directory)) {
    if (name === version || majorVersionOf(name) !== majorVersionOf(version)) continue;
    // One that is removed in part has not the name of a whole one.
    const removed = path.join(folder, `${UNFINISHED}${name}`);
    await rename(path.join(folder, name), removed);
    await rm(removed, REMOVE);
  }
}

async function keptIn(directory: string): Promise<string[]> {
  const names = await readdir(programsFolder(directory)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => /^\d/.test(name));
}

interface ProgramFile {
  /** Relative to the package. */
  readonly name: string;
  readonly bytes: number;
  readonly mode: number;
  /** What nobody but its owner can change, who is root or the user of this process. */
  readonly isSafe: boolean;
}

async function linkOrCopy(from: string, to: string, signal: AbortSignal): Promise<void> {
  const { folders, files } = await readPackage(from);
  for (const name of folders) {
    await mkdir(path.join(to, name), { mode: 0o755 });
    // Whatever the mask of this process is.
    await chmod(path.join(to, name), 0o755);
  }
  const copied: ProgramFile[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    const isLinked = file.isSafe && (await isLinkMade(from, to, file.name));
    if (!isLinked) copied.push(file);
  }
  const bytes = copied.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > 0) await requireFree(to, bytes);
  for (const { name, mode } of copied) {
    signal.throwIfAborted();
    const target = path.join(to, name);
    await copyFile(path.join(from, name), target, constants.COPYFILE_FICLONE);
    await chmod(target, mode & 0o777 & ~WRITABLE_BY_OTHERS);
    const handle = await open(target, "r");
    await handle.sync().finally(() => handle.close());
  }
  for (const name of folders.toReversed()) await syncFolder(path.join(to, name));
}

/** Without symbolic links, which `findBinaries` makes where they are needed. */
async function readPackage(
  from: string,
): Promise<{ readonly folders: readonly string[]; readonly files: readonly ProgramFile[] }> {
  const folders = [""];
  const files: ProgramFile[] = [];
  // What is found is looked through as well.
  for (const folder of folders) {
    for (const entry of await readdir(path.join(from, folder), { withFileTypes: true })) {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(name);
      if (!entry.isFile()) continue;
      const { size: bytes, mode, uid } = await lstat(path.join(from, name));
      const isOwn = uid === 0 || uid === process.geteuid?.();
      files.push({ name, bytes, mode, isSafe: isOwn && (mode & WRITABLE_BY_OTHERS) === 0 });
    }
  }
  return { folders, files };
}

/** Not on another file system, on one without hard links, and where the system forbids this one. */
async function isLinkMade(from: string, to: string, name: string): Promise<boolean> {
  return link(path.join(from, name), path.join(to, name)).then(
    () => true,
    () => false,
  );
}

/** Throws when the account of the database cannot run the programs where they are. */
async function requireRunnableFor(database: string, programs: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-"));
  try {
    await makePassable(folder);
    const binaries = await findBinaries(path.join(folder, "libraries"), programs);
    if (!binaries) return;
    const account = await accountOf(database);
    if (account.owner) await refuseUnreachable(binaries.postgres);
    await requireRunnable({ binaries, account, database, socketFolder: folder });
  } finally {
    await rm(folder, REMOVE);
  }
}
