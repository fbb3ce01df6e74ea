import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { changed, type FileOperation, type Folder, type FolderOperation } from "./disk.js";

// What a disk may hold after a power cut.

/** Which operations that were not synced have reached the disk all the same. */
export interface Survivors {
  ofFile(pending: readonly FileOperation[]): readonly FileOperation[];
  ofFolder(pending: readonly FolderOperation[]): readonly FolderOperation[];
}

export const none: Survivors = { ofFile: () => [], ofFolder: () => [] };

/** What a disk writes whole or not at all. */
const SECTOR = 512;

/**
 * A third of the writes to a file, a third in part, and the others not, so that later ones are there without earlier
 * ones. Of a folder the operations up to any one. The same for the same `seed`.
 */
export function some(seed: number): Survivors {
  const random = randomNumbers(seed);
  const survives = () => random() < 0.5;
  return {
    ofFile: (pending) =>
      pending.flatMap((operation) => {
        if (operation.kind !== "write") return survives() ? [operation] : [];
        const fate = random() * 3;
        if (fate < 1) return [];
        return fate < 2 ? [operation] : sectorsOf(operation).filter(survives);
      }),
    ofFolder: (pending) => pending.slice(0, Math.floor(random() * (pending.length + 1))),
  };
}

function sectorsOf(write: Extract<FileOperation, { kind: "write" }>): FileOperation[] {
  const sectors: FileOperation[] = [];
  const end = write.at + write.bytes.length;
  for (let at = write.at; at < end; ) {
    const next = Math.min(end, at - (at % SECTOR) + SECTOR);
    sectors.push({ ...write, at, bytes: write.bytes.subarray(at - write.at, next - write.at) });
    at = next;
  }
  return sectors;
}

/** Uniform in [0, 1): the generator mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A machine is off for a while: a lock that was held is stale when it is on again. */
const LONG_AGO = new Date("2020-01-01");

/** Writes into the new folder `target` what is on the disk, with `survivors` of what is not. */
export function writeFolder(folder: Folder, target: string, survivors: Survivors): void {
  mkdirSync(target, { mode: 0o700 });
  const entries = new Map(folder.entries);
  for (const operation of survivors.ofFolder(folder.journal.pending)) operation(entries);
  for (const [name, node] of entries) {
    const inside = path.join(target, name);
    if (node.kind === "folder") {
      writeFolder(node, inside, survivors);
    } else {
      const operations = survivors.ofFile(node.journal.pending);
      const content = operations.length > 0 ? Buffer.from(node.content) : node.content;
      writeFileSync(inside, changed(content, operations), { mode: 0o600 });
    }
  }
  utimesSync(target, LONG_AGO, LONG_AGO);
}
