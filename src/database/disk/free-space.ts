import { statfs } from "node:fs/promises";

const LOOK_EVERY_MS = 500;
const MIB = 1024 * 1024;
/** PostgreSQL stops when it cannot write its log, so changes are refused while there still is room for that. */
const FULL_BELOW_BYTES = 64 * MIB;
/** Some more, so that a disk at the border does not change its mind all the time. */
const ROOM_FROM_BYTES = 96 * MIB;

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

/** Null where the system does not tell. */
async function freeBytes(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return null;
  }
}
