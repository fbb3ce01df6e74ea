import { chmod, lchown, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { syncFolder } from "./durable.js";

const CHUNK_BYTES = 1024 * 1024;
/** What is written goes to the disk in small parts: all at once it would hold up the commits of others. */
const SYNC_EVERY_BYTES = 8 * CHUNK_BYTES;

export interface Tree {
  /** Relative to the folder, parents before what is in them. */
  readonly folders: readonly string[];
  readonly files: readonly TreeFile[];
}

interface TreeFile {
  /** Relative to the folder. */
  readonly name: string;
  readonly bytes: number;
}

/** How files are copied. */
export interface Copying {
  /** At most this many in a second; default as many as the disk takes. */
  readonly bytesPerSecond?: number | undefined;
  /** Ends the copying with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each part, with the bytes of it. */
  onBytes(bytes: number): void | Promise<void>;
}

/**
 * What is in `folder`, without the names that `isLeftOut` returns true for. What is removed meanwhile is left out. Throws
 * for what is neither a file nor a folder, such as a symbolic link.
 */
export async function readTree(
  folder: string,
  isLeftOut: (name: string) => boolean = () => false,
): Promise<Tree> {
  const folders: string[] = [];
  const files: TreeFile[] = [];
  const read = async (below: string) => {
    const entries = await ifThere(readdir(path.join(folder, below), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const name = path.join(below, entry.name);
      if (isLeftOut(name)) continue;
      if (entry.isDirectory()) {
        folders.push(name);
        await read(name);
      } else if (entry.isFile()) {
        const found = await ifThere(stat(path.join(folder, name)));
        if (found) files.push({ name, bytes: found.size });
      } else {
        throw new Error(`${path.join(folder, name)} is neither a file nor a folder.`);
      }
    }
  };
  await read("");
  return { folders, files };
}

export function bytesOf({ files }: Tree): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Copies one file after another from `from` to the folder `to`, which is there. Files that are removed meanwhile are left
 * out; of those that grow, the copy has what they had at one moment or more. Modes are 0700 and 0600. What is small may
 * not be on the disk yet: see `syncTree`.
 */
export async function copyTree(
  from: string,
  to: string,
  { folders, files }: Tree,
  copying: Copying,
): Promise<void> {
  const paced = pace(copying);
  for (const name of folders) await mkdir(path.join(to, name), { mode: 0o700 });
  for (const { name } of files) await copyFile(path.join(from, name), path.join(to, name), paced);
}

async function copyFile(
  from: string,
  to: string,
  afterChunk: (bytes: number) => Promise<void>,
): Promise<void> {
  const source = await ifThere(open(from, "r"));
  if (!source) return;
  try {
    const target = await open(to, "wx", 0o600);
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let written = 0, synced = 0; ; ) {
        const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES, written);
        if (bytesRead === 0) break;
        await target.writeFile(chunk.subarray(0, bytesRead));
        written += bytesRead;
        if (written - synced >= SYNC_EVERY_BYTES) {
          await target.datasync();
          synced = written;
        }
        await afterChunk(bytesRead);
      }
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Reports each part, and waits where the copying is ahead of its pace. */
function pace({ bytesPerSecond, signal, onBytes }: Copying): (bytes: number) => Promise<void> {
  const begin = performance.now();
  let copied = 0;
  return async (bytes) => {
    signal?.throwIfAborted();
    copied += bytes;
    await onBytes(bytes);
    if (bytesPerSecond === undefined) return;
    const ahead = (copied / bytesPerSecond) * 1_000 - (performance.now() - begin);
    if (ahead > 0) await sleep(ahead, undefined, { signal });
  };
}

/** Makes all that is in `folder` survive a power cut. */
export async function syncTree(folder: string): Promise<void> {
  const { folders, files } = await readTree(folder);
  for (const { name } of files) {
    const handle = await open(path.join(folder, name), "r+");
    await handle.sync().finally(() => handle.close());
  }
  for (const name of [...folders, ""]) await syncFolder(path.join(folder, name));
}

/** Gives `folder`, which may also be a file, with all that is in it to another user and group. */
export async function chownTree(
  folder: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const found = await stat(folder);
  if (found.isDirectory()) {
    const { folders, files } = await readTree(folder);
    for (const name of [...folders, ...files.map((file) => file.name)]) {
      await lchown(path.join(folder, name), uid, gid);
    }
  }
  await lchown(folder, uid, gid);
}

/** Removes the folders and files in `folder` whose names begin with `prefix`. */
export async function removePrefixed(folder: string, prefix: string): Promise<void> {
  for (const name of (await ifThere(readdir(folder))) ?? []) {
    if (name.startsWith(prefix)) await rm(path.join(folder, name), REMOVE);
  }
}

/** With what is in it, also while something is still being written to it. */
export const REMOVE = { recursive: true, force: true, maxRetries: 10 } as const;

/** Lets the user that a database server runs as pass through a folder of root's; others need no other mode than 0700. */
export async function makePassable(folder: string): Promise<void> {
  if (process.geteuid?.() === 0) await chmod(folder, 0o711);
}

/** What `reading` resolves with; null when that is not there. */
async function ifThere<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
