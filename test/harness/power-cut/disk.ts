import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

// What a disk holds for certain, and what was written to it since and may be lost.

/** Operations on one thing in their order, of which the first `settled` are on the disk already and not in the list. */
interface Journal<Operation> {
  settled: number;
  readonly pending: Operation[];
}

export type FileOperation =
  | { readonly kind: "write"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "extend"; readonly size: number }
  | { readonly kind: "truncate"; readonly size: number };

type Entries = Map<string, Node>;
export type FolderOperation = (entries: Entries) => void;

export interface File {
  readonly kind: "file";
  /** On the disk. */
  content: Buffer;
  readonly journal: Journal<FileOperation>;
  /** The operation that gave it its first name; null for one that was there before. */
  readonly birth: Birth | null;
}

export interface Folder {
  readonly kind: "folder";
  /** On the disk. */
  readonly entries: Entries;
  readonly journal: Journal<FolderOperation>;
  readonly birth: Birth | null;
  /** As a process sees it. */
  readonly current: Entries;
}

export type Node = File | Folder;

interface Birth {
  readonly parent: Folder;
  /** Its position in the journal of the parent. */
  readonly position: number;
}

/** The folder as it is: everything in it is on the disk. */
export function readFolder(folder: string): Folder {
  const entries: Entries = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const inside = path.join(folder, entry.name);
    if (entry.isDirectory()) entries.set(entry.name, readFolder(inside));
    else entries.set(entry.name, newFile(readFileSync(inside), null));
  }
  return newFolder(entries, null);
}

function newFile(content: Buffer, birth: Birth | null): File {
  return { kind: "file", content, journal: { settled: 0, pending: [] }, birth };
}

function newFolder(entries: Entries, birth: Birth | null): Folder {
  const journal = { settled: 0, pending: [] };
  return { kind: "folder", entries, journal, birth, current: new Map(entries) };
}

export function changeFile(file: File, operation: FileOperation): void {
  file.journal.pending.push(operation);
}

export function changeFolder(folder: Folder, operation: FolderOperation): void {
  operation(folder.current);
  folder.journal.pending.push(operation);
}

export function create(kind: Node["kind"], parent: Folder, name: string): void {
  const birth = { parent, position: positionOf(parent) };
  const node = kind === "file" ? newFile(Buffer.alloc(0), birth) : newFolder(new Map(), birth);
  changeFolder(parent, (entries) => entries.set(name, node));
}

/** How many operations there have been on it. */
export function positionOf({ journal }: Node): number {
  return journal.settled + journal.pending.length;
}

/** Puts the operations before `position` onto the disk. */
export function settle(node: Node, position: number): void {
  if (node.kind === "file") {
    node.content = changed(node.content, take(node.journal, position));
  } else {
    for (const operation of take(node.journal, position)) operation(node.entries);
  }
}

/** The same for its first name, and all that was done in its folder before. */
export function settleName({ birth }: Node): void {
  if (birth) settle(birth.parent, birth.position + 1);
}

function take<Operation>(journal: Journal<Operation>, position: number): Operation[] {
  const taken = journal.pending.splice(0, Math.max(0, position - journal.settled));
  journal.settled += taken.length;
  return taken;
}

/** `content` after `operations`; it may be changed itself. */
export function changed(content: Buffer, operations: readonly FileOperation[]): Buffer {
  const sizes = [content.length];
  for (const operation of operations) sizes.push(sizeAfter(operation, sizes.at(-1) ?? 0));
  const largest = Math.max(...sizes);
  const result = largest > content.length ? Buffer.alloc(largest) : content;
  if (result !== content) content.copy(result);
  for (const operation of operations) {
    if (operation.kind === "write") operation.bytes.copy(result, operation.at);
    // What lies beyond the end is zero, should the file grow again.
    if (operation.kind === "truncate") result.fill(0, operation.size);
  }
  return result.subarray(0, sizes.at(-1));
}

function sizeAfter(operation: FileOperation, size: number): number {
  switch (operation.kind) {
    case "write":
      return Math.max(size, operation.at + operation.bytes.length);
    case "extend":
      return Math.max(size, operation.size);
    case "truncate":
      return operation.size;
  }
}

/** As a process sees it. */
export function sizeOf({ content, journal }: File): number {
  return journal.pending.reduce((size, operation) => sizeAfter(operation, size), content.length);
}

/** The paths at which two folders differ, as a process sees them. */
export function differences(one: Folder, other: Folder, at = ""): string[] {
  const names = new Set([...one.current.keys(), ...other.current.keys()]);
  return [...names].flatMap((name) => {
    const [mine, yours] = [one.current.get(name), other.current.get(name)];
    const here = `${at}/${name}`;
    if (mine?.kind === "folder" && yours?.kind === "folder") return differences(mine, yours, here);
    const isSame =
      mine?.kind === "file" && yours?.kind === "file" && bytesOf(mine).equals(bytesOf(yours));
    return isSame ? [] : [here];
  });
}

function bytesOf({ content, journal }: File): Buffer {
  return changed(Buffer.from(content), journal.pending);
}
