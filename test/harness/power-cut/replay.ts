import path from "node:path";
import {
  changeFile,
  changeFolder,
  create,
  type File,
  type Folder,
  type Node,
  positionOf,
  settle,
  settleName,
  sizeOf,
} from "./disk.js";
import { type Call, DELETED, type Moment } from "./strace.js";

type Ended = Extract<Moment, { phase: "ends" }>;

/**
 * Does to `disk`, which is what the folder at `root` held, what the moments of a trace did to that folder. A write
 * counts from its end on. What a sync makes final is what had been written when it began, and counts from its end on:
 *
 * - fdatasync and fsync of a file make its content and its size final;
 * - fsync of a folder makes its entries final, and fsync of a new file or folder its first name;
 * - sync_file_range promises nothing.
 *
 * The folders `ignored` are left out. Throws for a call that touches the rest in a way that is not known here.
 */
export function replayOn(
  disk: Folder,
  root: string,
  ignored: readonly string[],
): (moment: Moment) => void {
  const workingFolders = new Map<number, string>();
  /** Where `write` goes on in a file, by the number of its descriptor. */
  const offsets = new WeakMap<File, Map<string, number>>();
  /** Of a sync: how much had been done when it began. */
  const beginnings = new WeakMap<Call, number>();

  function isInside(file: string): boolean {
    // What is written to a file after its removal nobody reads.
    if (file.endsWith(DELETED)) return false;
    const isIn = (folder: string) => file === folder || isBelow(file, folder);
    return isIn(root) && !ignored.some(isIn);
  }

  function find(file: string): Node | undefined {
    const names = path.relative(root, file).split("/").filter(Boolean);
    let node: Node | undefined = disk;
    for (const name of names) node = node?.kind === "folder" ? node.current.get(name) : undefined;
    return node;
  }

  function get<Kind extends Node["kind"]>(kind: Kind, file: string): Extract<Node, { kind: Kind }> {
    const node = find(file);
    if (isKind(node, kind)) return node;
    throw new Error(`By the trace there is no ${kind} ${file}.`);
  }

  const parentOf = (file: string) => get("folder", path.dirname(file));

  /** The paths that the call names, absolute. */
  function pathsOf({ thread, strings, args, descriptors }: Call): string[] {
    const from = args.includes("AT_FDCWD") ? descriptors[0] : workingFolders.get(thread);
    return strings.map((name) => {
      const file = name.toString();
      if (path.isAbsolute(file)) return path.normalize(file);
      if (from === undefined) throw new Error(`The trace does not say where ${file} is.`);
      return path.join(from, file);
    });
  }

  function opened({ call, value, descriptor = "" }: Ended): void {
    if (/O_D?SYNC|O_TMPFILE/.test(call.args)) throw new Error(`Not known here: ${call.args}`);
    if (!isInside(descriptor)) return;
    // Also where the call of another process that makes it ends in the trace after this one.
    if (!find(descriptor)) create("file", parentOf(descriptor), path.basename(descriptor));
    const node = find(descriptor);
    if (node?.kind !== "file") return;
    if (call.args.includes("O_TRUNC")) changeFile(node, { kind: "truncate", size: 0 });
    const ofFile = offsets.get(node) ?? new Map<string, number>();
    ofFile.set(String(value), call.args.includes("O_APPEND") ? sizeOf(node) : 0);
    offsets.set(node, ofFile);
  }

  function written({ call, value }: Ended, position?: number): void {
    const file = descriptorOf(call);
    if (!isInside(file)) return;
    const node = get("file", file);
    const [number = ""] = call.args.split(",");
    const at = position ?? offsets.get(node)?.get(number);
    if (at === undefined) throw new Error(`The trace does not say where ${file} is written to.`);
    const bytes = Buffer.concat(call.strings).subarray(0, value);
    changeFile(node, { kind: "write", at, bytes });
    if (position === undefined) offsets.get(node)?.set(number, at + value);
  }

  function renamed({ call }: Ended): void {
    const [from = "", to = ""] = pathsOf(call);
    if (!isInside(from) && !isInside(to)) return;
    const [oldName, newName] = [path.basename(from), path.basename(to)];
    const node = find(from);
    if (!node || path.dirname(from) !== path.dirname(to) || /RENAME_/.test(call.args)) {
      throw new Error(`Not known here: to rename ${from} to ${to}`);
    }
    changeFolder(parentOf(from), (entries) => {
      entries.delete(oldName);
      entries.set(newName, node);
    });
  }

  function removed({ call }: Ended): void {
    const [file = ""] = pathsOf(call);
    if (!isInside(file)) return;
    const name = path.basename(file);
    changeFolder(parentOf(file), (entries) => entries.delete(name));
  }

  function madeFolder({ call }: Ended): void {
    const [folder = ""] = pathsOf(call);
    if (isInside(folder)) create("folder", parentOf(folder), path.basename(folder));
  }

  function truncated({ call }: Ended): void {
    const file = call.name === "truncate" ? pathsOf(call)[0] : descriptorOf(call);
    if (file === undefined || !isInside(file)) return;
    changeFile(get("file", file), { kind: "truncate", size: lastNumberOf(call) });
  }

  function allocated({ call }: Ended): void {
    const file = descriptorOf(call);
    if (!isInside(file)) return;
    const [, mode, offset = 0, length = 0] = call.args.split(", ").map(Number);
    if (mode !== 0) throw new Error(`Not known here: fallocate with ${call.args}`);
    changeFile(get("file", file), { kind: "extend", size: offset + length });
  }

  function synced({ call }: Ended): void {
    const file = descriptorOf(call);
    if (!isInside(file)) return;
    const node = find(file);
    const position = beginnings.get(call);
    // Another process has removed it meanwhile.
    if (!node) return;
    if (position === undefined) throw new Error(`By the trace the sync of ${file} never began.`);
    settle(node, position);
    if (call.name === "fsync") settleName(node);
  }

  function movedTo(thread: number, folder: string | undefined): void {
    if (folder !== undefined) workingFolders.set(thread, folder);
  }

  function untouched({ call }: Ended): void {
    const touched = [...call.descriptors, ...pathsOf(call)].find(isInside);
    if (touched) throw new Error(`Not known here: ${call.name} of ${touched}`);
  }

  const known: Readonly<Record<string, (ended: Ended) => void>> = {
    open: opened,
    openat: opened,
    creat: opened,
    write: written,
    writev: written,
    pwrite64: (ended) => written(ended, lastNumberOf(ended.call)),
    pwritev: (ended) => written(ended, lastNumberOf(ended.call)),
    rename: renamed,
    renameat: renamed,
    renameat2: renamed,
    unlink: removed,
    unlinkat: removed,
    rmdir: removed,
    mkdir: madeFolder,
    mkdirat: madeFolder,
    truncate: truncated,
    ftruncate: truncated,
    fallocate: allocated,
    fsync: synced,
    fdatasync: synced,
    sync_file_range: () => {},
    chdir: ({ call }) => movedTo(call.thread, pathsOf(call)[0]),
    fchdir: ({ call }) => movedTo(call.thread, descriptorOf(call)),
  };

  return (moment) => {
    const { call } = moment;
    if (call.args.startsWith("AT_FDCWD")) movedTo(call.thread, call.descriptors[0]);
    if (moment.phase === "begins") {
      const node = call.name.endsWith("sync") ? find(descriptorOf(call)) : undefined;
      if (node) beginnings.set(call, positionOf(node));
    } else if (moment.value >= 0) {
      (known[call.name] ?? untouched)(moment);
    }
  };
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}

function isKind<Kind extends Node["kind"]>(
  node: Node | undefined,
  kind: Kind,
): node is Extract<Node, { kind: Kind }> {
  return node?.kind === kind;
}

function descriptorOf({ descriptors: [first = ""] }: Call): string {
  return first;
}

function lastNumberOf({ args }: Call): number {
  return Number(args.slice(args.lastIndexOf(",") + 1));
}
