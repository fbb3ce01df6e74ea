import { statfs } from "node:fs/promises";

const LOOK_EVERY_MS = 500;
const MIB = 1024 * 1024;
/** PostgreSQL stops when it cannot write its log, so changes are refused while there still is room for that. */
const FULL_BELOW_BYTES = 64 * MIB;
/** Some more, so that a disk at the border does not change its mind all the time. */
const ROOM_FROM_BYTES = 96 * MIB;
/** What copies leave free: they give up before changes are refused. */
const KEPT_FREE_BYTES = 128 * MIB;

export interface FreeSpace {
  /** The disk has too little room for another change. */
  isFull(): boolean;
  stop(): void;
}

/**
 * Watches the free space on the disk of `directory`. `onChange` is called when the disk becomes full and when it has
 * space again.
 */
export async function watchFreeSpace(
  directory: string,
  onChange: (isFull: boolean) => void,
): Promise<FreeSpace> {
  let full = false;
  const look = async () => {
    const free = await freeBytes(directory);
    if (free === null || full === free < (full ? ROOM_FROM_BYTES : FULL_BELOW_BYTES)) return;
    full = !full;
    onChange(full);
  };
  await look();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { isFull: () => full, stop: () => clearInterval(timer) };
}

/** Throws when the disk of `folder` has no room for `bytes` that are to be copied to it. */
export async function requireFree(folder: string, bytes: number): Promise<void> {
  const free = await freeBytes(folder);
  if (free === null || free >= bytes + KEPT_FREE_BYTES) return;
  const [needed, kept, has] = [bytes, KEPT_FREE_BYTES, free].map(inMib);
  throw new Error(
    `The disk of ${folder} has too little room: ${has} MiB are free, ${needed} MiB are needed, and ${kept} MiB must stay free.`,
  );
}

function inMib(bytes: number): number {
  return Math.ceil(bytes / MIB);
}

/** Null where the system does not tell. */
async function freeBytes(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return null;
  }
}
