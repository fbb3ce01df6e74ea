import { randomBytes } from "node:crypto";
import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { syncFolder } from "../disk/durable.js";
import { exists } from "../disk/exists.js";
import { requireFree } from "../disk/free-space.js";
import { DATABASE } from "../disk/replacement.js";
import { makePassable, REMOVE } from "../disk/trees.js";
import { accountOf, refuseUnreachable } from "./accounts.js";
import { findBinaries, majorVersionOf, packageFolder, packageVersion } from "./binaries.js";
import { requireRunnable } from "./postgres.js";

// A package has one major version of PostgreSQL, whose databases no other opens. So a data directory keeps the programs
// that its database needs, in a folder named by their version: a later package reads the database with these.

const PROGRAMS = "programs";
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/;
/** What is not complete yet, or not any more. */
const UNFINISHED = /^new-[0-9a-f]{12}$/;
const WRITABLE_BY_OTHERS = 0o022;

/** Where a data directory keeps programs. */
export function programsFolder(directory: string): string {
  return path.join(directory, PROGRAMS);
}

/**
 * The folder with the kept programs of a major version; null when there are none. Throws when anybody could have changed
 * them but root and the user that they run as.
 */
export async function findPrograms(directory: string, version: number): Promise<string | null> {
  const [newest] = (await keptIn(directory))
    .filter((name) => majorVersionOf(name) === version)
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  if (newest === undefined) return null;
  const programs = path.join(programsFolder(directory), newest);
  const runner = await runnerIn(directory);
  for (const name of [directory, programsFolder(directory)]) await requireTrusted(name, runner);
  await requireTrustedTree(programs, runner);
  return programs;
}

/** Who programs run as in a data directory: the owner of the database, or of the directory when there is none yet. */
async function runnerIn(directory: string): Promise<number> {
  const own = process.geteuid?.() ?? 0;
  if (own !== 0) return own;
  const database = path.join(directory, DATABASE);
  return (await stat((await exists(database)) ? database : directory)).uid;
}

async function requireTrustedTree(name: string, runner: number): Promise<void> {
  await requireTrusted(name, runner);
  if (!(await lstat(name)).isDirectory()) return;
  for (const entry of await readdir(name)) await requireTrustedTree(path.join(name, entry), runner);
}

async function requireTrusted(name: string, runner: number): Promise<void> {
  const found = await lstat(name);
  const isWritable = !found.isSymbolicLink() && (found.mode & WRITABLE_BY_OTHERS) !== 0;
  if (!isWritable && (found.uid === 0 || found.uid === runner)) return;
  const who = isWritable ? "others can write" : `belongs to the user ${found.uid}`;
  throw new Error(
    `The kept programs are not run as the user ${runner}: ${name}, which ${who}, may have been changed. Give it to that user, or start Edgeplane as the owner.`,
  );
}

/**
 * Keeps copies of the programs of the package for the PostgreSQL database of a data directory. They are there whole or
 * not at all, have been run once, and take the place of those of an earlier version with the same major version. Throws
 * when there is too little room, when they do not run there, and when the directory belongs to another user.
 */
export async function keepPrograms(directory: string, signal: AbortSignal): Promise<void> {
  const from = packageFolder();
  if (from === null) return;
  const version = await packageVersion(from);
  const folder = programsFolder(directory);
  await makeFolder(directory, folder);
  for (const name of await readdir(folder)) {
    if (UNFINISHED.test(name)) await rm(path.join(folder, name), REMOVE);
  }
  if (!(await exists(path.join(folder, version)))) {
    const unfinished = path.join(folder, unfinishedName());
    try {
      await copyPackage(from, unfinished, signal);
      await requireRunnableFor(path.join(directory, DATABASE), unfinished);
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
    const removed = path.join(folder, unfinishedName());
    await rename(path.join(folder, name), removed);
    await rm(removed, REMOVE);
  }
}

function unfinishedName(): string {
  return `new-${randomBytes(6).toString("hex")}`;
}

/** The folder of this user alone. Root writes nothing where another user can put something else in its place. */
async function makeFolder(directory: string, folder: string): Promise<void> {
  const own = process.geteuid?.();
  const { uid } = await stat(directory);
  if (own !== undefined && uid !== own) {
    throw new Error(`${directory} belongs to the user ${uid}, who has to start Edgeplane for it`);
  }
  if (!(await exists(folder))) {
    await mkdir(folder);
    // Whatever the mask of this process is.
    await chmod(folder, 0o755);
  }
  const found = await lstat(folder);
  const isOwn = own === undefined || found.uid === own;
  if (!found.isDirectory() || !isOwn || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new Error(`${folder} is no folder that this user alone can change`);
  }
}

/** The names of the folders that are what they are called. */
async function keptIn(directory: string): Promise<string[]> {
  const folder = programsFolder(directory);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const versions = await Promise.all(
    names.map((name) =>
      VERSION.test(name) ? packageVersion(path.join(folder, name)).catch(() => null) : null,
    ),
  );
  return names.filter((name, index) => versions[index] === name);
}

interface ProgramFile {
  /** Relative to the package. */
  readonly name: string;
  readonly bytes: number;
  readonly mode: number;
}

/** No links: whoever owns the data directory may change the rights of all that is in it. */
async function copyPackage(from: string, to: string, signal: AbortSignal): Promise<void> {
  const { folders, files } = await readPackage(from);
  for (const name of folders) {
    await mkdir(path.join(to, name));
    await chmod(path.join(to, name), 0o755);
  }
  await requireFree(
    to,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  for (const { name, mode } of files) {
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
      const { size: bytes, mode } = await lstat(path.join(from, name));
      files.push({ name, bytes, mode });
    }
  }
  return { folders, files };
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
