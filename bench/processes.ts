import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Usage } from "./probe.js";

const START_LIMIT_MS = 60_000;
const PROBE = new URL("./probe.js", import.meta.url).href;

export interface Server {
  readonly url: string;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/**
 * Starts a server that prints `listens on <url>`, with its output in a file, as a service manager does.
 * `execPath` is the Node that runs it, by default the one of this process.
 */
export async function startServer(
  script: URL,
  environment: Readonly<Record<string, string>>,
  execPath = process.execPath,
): Promise<Server> {
  const directory = await mkdtemp(path.join(tmpdir(), "edgeplane-bench-log-"));
  const log = path.join(directory, "log");
  const output = openSync(log, "a");
  const child = fork(fileURLToPath(script), {
    execPath,
    execArgv: ["--import", PROBE],
    env: { PATH: process.env.PATH, NODE_ENV: "production", PORT: "0", ...environment },
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    return { url: await listening(child, log), usage: () => ask<Usage>(child, "usage"), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sends `message` to a process and returns what it answers. Throws when the process ends instead. */
export function ask<Answer>(child: ChildProcess, message: string | object): Promise<Answer> {
  const answer = nextMessage<Answer>(child);
  child.send(message);
  return answer;
}

/** The next message of a process. Throws when it ends instead. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const onExit = () => ended.abort();
  child.once("exit", onExit);
  try {
    const [message] = await once(child, "message", { signal: ended.signal });
    return message;
  } finally {
    child.off("exit", onExit);
  }
}

async function listening(child: ChildProcess, log: string): Promise<string> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const url = /listens on (http:\S+)/.exec(readFileSync(log, "utf8"))?.[1];
    if (url) return url;
    await sleep(20);
  }
  throw new Error(`A server did not start:\n${readFileSync(log, "utf8")}`);
}

/** Microseconds of CPU by PostgreSQL process; null where the system does not tell. */
export function cpuOf(processIds: readonly number[]): Map<number, number> | null {
  const used = new Map<number, number>();
  for (const id of processIds) {
    try {
      if (!readFileSync(`/proc/${id}/comm`, "utf8").startsWith("postgres")) return null;
      const [nanoseconds] = readFileSync(`/proc/${id}/schedstat`, "utf8").split(" ", 1);
      used.set(id, Number(nanoseconds) / 1000);
    } catch {
      return null;
    }
  }
  return used.size > 0 ? used : null;
}
