import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

// Runs a command so that strace writes down which system calls change files, and reads what it wrote.

/** One system call. */
export interface Call {
  /** Of the thread that makes it. */
  readonly thread: number;
  readonly name: string;
  /** Its arguments, without what its strings hold: `5, "", 8192, 16384`. */
  readonly args: string;
  readonly strings: readonly Buffer[];
  /** What the file descriptors among its arguments are: a path, or the like of `socket:[7]`. */
  readonly descriptors: readonly string[];
}

/** A call begins or ends. What a call causes comes after its end, so the order of these is one that happened. */
export type Moment =
  | { readonly phase: "begins"; readonly call: Call }
  | {
      readonly phase: "ends";
      readonly call: Call;
      /** What it returned; below zero if it failed. */
      readonly value: number;
      /** What the file descriptor that it returned is. */
      readonly descriptor: string | undefined;
    };

/** All that may change what a folder holds, or make a change final, or tell somebody of one. */
const CALLS = [
  ...["open", "openat", "openat2", "creat", "chdir", "fchdir"],
  ...["write", "writev", "pwrite64", "pwritev", "pwritev2", "copy_file_range", "sendfile"],
  ...["splice", "truncate", "ftruncate", "fallocate", "link", "linkat", "symlink", "symlinkat"],
  ...["rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"],
  ...["fsync", "fdatasync", "sync_file_range", "sync", "syncfs", "msync"],
];

/** More than any of these calls writes. */
const LONGEST_STRING = 64 * 1024 * 1024;

/** The command that runs another, as the same process, and traces it and all of its children into `file`. */
export function tracing(file: string): readonly string[] {
  // Some calls do not exist on every processor.
  const calls = CALLS.map((name) => `?${name}`).join(",");
  const filter = ["--seccomp-bpf", "-e", `trace=${calls}`, "-e", "signal=none", "--quiet=all"];
  const format = ["-y", "-xx", "-s", String(LONGEST_STRING), "-o", file];
  return ["strace", "-D", "-f", ...filter, ...format];
}

/** Whether strace is installed and may trace. */
export function canTrace(): boolean {
  return spawnSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]).status === 0;
}

const BEGINNING = /^(\d+) +(\w+)\(/;
const CONTINUATION = /^(\d+) +<\.\.\. (\w+) resumed>/;
const UNFINISHED = " <unfinished ...>";
const RETURNED = "= ";

/** Reads the file that a traced command wrote. Throws where it does not understand it. */
export function* readTrace(file: string): Generator<Moment> {
  const unfinished = new Map<number, Call>();
  for (const line of linesOf(readFileSync(file))) {
    const beginning = BEGINNING.exec(line);
    const continuation = beginning ? null : CONTINUATION.exec(line);
    const thread = Number((beginning ?? continuation)?.[1]);
    let call: Call | undefined;
    if (beginning) {
      const isWhole = !line.endsWith(UNFINISHED);
      const end = isWhole ? line.lastIndexOf(RETURNED) : -UNFINISHED.length;
      call = callOf(thread, beginning[2] ?? "", line.slice(beginning[0].length, end));
      yield { phase: "begins", call };
      if (!isWhole) {
        unfinished.set(thread, call);
        continue;
      }
    } else {
      call = unfinished.get(thread);
      unfinished.delete(thread);
    }
    if (!call) throw new Error(`Not understood in the trace: ${line.slice(0, 200)}`);
    const returned = line.slice(line.lastIndexOf(RETURNED) + RETURNED.length);
    // A call that its process did not outlive returns "?".
    const value = Number.parseInt(returned, 10);
    if (Number.isNaN(value)) continue;
    yield { phase: "ends", call, value, descriptor: descriptorsIn(returned)[0] };
  }
}

function* linesOf(text: Buffer): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    yield text.toString("latin1", from, end);
    from = end + 1;
  }
}

/** Ends the path of a descriptor whose file has been removed. */
export const DELETED = "(deleted)";

const STRING = /"([^"]*)"(\.\.\.)?/g;
const DESCRIPTOR = /<([^>]*)>(\(deleted\))?/g;

function callOf(thread: number, name: string, text: string): Call {
  const strings: Buffer[] = [];
  const rest = text.replace(STRING, (_, hex: string, cut: string | undefined) => {
    if (cut) throw new Error(`The trace leaves out what ${name} writes.`);
    strings.push(decode(hex));
    return '""';
  });
  const args = rest.replace(DESCRIPTOR, "").trimEnd().replace(/\)$/, "");
  return { thread, name, args, strings, descriptors: descriptorsIn(rest) };
}

function descriptorsIn(text: string): string[] {
  return [...text.matchAll(DESCRIPTOR)].map(([, hex = "", deleted = ""]) =>
    hex.startsWith("\\x") ? decode(hex) + deleted : hex,
  );
}

function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}
