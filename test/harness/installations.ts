import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect } from "vitest";
import { FAULTS_KEY, postmasterOf } from "./faults.js";
import { runServer, type ServerProcess, urlOf } from "./processes.js";

export interface Started extends ServerProcess {
  readonly url: string;
}

/** Server processes on one data directory. */
export interface Installation {
  /** A temporary folder, and the data directory in it, which is not there yet. */
  readonly folder: string;
  dataDir: string;
  run(env?: Record<string, string>): ServerProcess;
  /** Runs a command on the data directory. */
  runCommand(...args: readonly string[]): ServerProcess;
  /**
   * Runs `edgeplane` with these arguments, `through` a command that executes it. Resolves with all that it prints, when it
   * ends with the exit code `code`, by default 0.
   */
  done(
    args: readonly string[],
    code?: number,
    env?: Record<string, string>,
    through?: readonly string[],
  ): Promise<string>;
  /** Runs a server and waits until it listens. */
  start(env?: Record<string, string>): Promise<Started>;
}

/** A new one for each test of the file. */
export function installations(): Installation {
  let folder = "";
  const processes: ServerProcess[] = [];
  const installation: Installation = {
    get folder() {
      return folder;
    },
    dataDir: "",
    run(env = {}) {
      const running = runServer({
        DATA_DIR: installation.dataDir,
        API_KEY: FAULTS_KEY,
        ...env,
      });
      processes.push(running);
      return running;
    },
    runCommand(...args) {
      const running = runServer({ DATA_DIR: installation.dataDir }, [], args);
      processes.push(running);
      return running;
    },
    async done(args, code = 0, env = {}, through = []) {
      const all = { DATA_DIR: installation.dataDir, API_KEY: FAULTS_KEY, ...env };
      const running = runServer(all, through, args);
      processes.push(running);
      // Its last lines may come after its end.
      const [exitCode] = await once(running.child, "close");
      expect(exitCode, running.output()).toBe(code);
      return running.output();
    },
    async start(env) {
      const running = installation.run(env);
      return { ...running, url: await urlOf(running) };
    },
  };
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
    installation.dataDir = path.join(folder, "data");
  });
  afterEach(async () => {
    for (const running of processes.splice(0)) await kill(running);
    const { dataDir } = installation;
    if (existsSync(postmasterFile(dataDir))) await untilGone(postmasterOf(dataDir));
    // What a process that was killed had started may still be writing.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return installation;
}

export async function kill({ child, exited }: ServerProcess): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}

export async function stop({ child, exited }: ServerProcess): Promise<void> {
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
}

/** One line of its output has this text; lines of the log come a little later. */
export async function says({ output }: ServerProcess, text: string): Promise<void> {
  const lines = () =>
    output()
      .split("\n")
      .filter((line) => line.includes(text));
  await expect.poll(lines, { timeout: 30_000 }).toHaveLength(1);
}

export function postmasterFile(dataDir: string): string {
  return path.join(dataDir, "postgresql", "postmaster.pid");
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

export async function createPolicies({ url }: Started, count: number): Promise<void> {
  const headers = { Authorization: `Bearer ${FAULTS_KEY}`, "Service-Version": "2" };
  for (let i = 0; i < count; i++) {
    expect((await fetch(`${url}/ip_policies`, { method: "POST", headers })).status).toBe(201);
  }
}

export async function countPolicies({ url }: Started): Promise<number> {
  const headers = { Authorization: `Bearer ${FAULTS_KEY}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ query: "{ ipPolicies { totalCount } }" });
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body });
  const { data } = (await response.json()) as { data: { ipPolicies: { totalCount: number } } };
  return data.ipPolicies.totalCount;
}
