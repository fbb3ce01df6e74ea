import { existsSync, readFileSync } from "node:fs";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FAULTS_KEY as API_KEY, postmasterOf } from "./harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "./harness/processes.js";

// The life of the embedded database server, and whose its files are.

let folder: string;
let dataDir: string;
const processes: ServerProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  dataDir = path.join(folder, "data");
});
afterEach(async () => {
  for (const running of processes.splice(0)) await kill(running);
  if (existsSync(postmasterFile())) await untilGone(postmasterOf(dataDir));
  await rm(folder, { recursive: true, force: true });
});

interface Started extends ServerProcess {
  readonly url: string;
}

function run(env: Record<string, string> = {}): ServerProcess {
  const running = runServer({ DATA_DIR: dataDir, API_KEY, ...env });
  processes.push(running);
  return running;
}

async function start(env?: Record<string, string>): Promise<Started> {
  const running = run(env);
  return { ...running, url: await urlOf(running) };
}

async function kill({ child, exited }: ServerProcess): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}

async function stop({ child, exited }: ServerProcess): Promise<void> {
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
}

/** One line of its output has this text; lines of the log come a little later. */
async function says({ output }: ServerProcess, text: string): Promise<void> {
  const lines = () =>
    output()
      .split("\n")
      .filter((line) => line.includes(text));
  await expect.poll(lines, { timeout: 30_000 }).toHaveLength(1);
}

const postmasterFile = () => path.join(dataDir, "postgresql", "postmaster.pid");

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

/** The shell that stops the database server when `server` is gone. */
function watchdogOf({ child }: ServerProcess): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  const found = children
    .trim()
    .split(" ")
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sh\0-c\0read"));
  return Number(found);
}

async function createPolicies({ url }: Started, count: number): Promise<void> {
  const headers = { Authorization: `Bearer ${API_KEY}`, "Service-Version": "2" };
  for (let i = 0; i < count; i++) {
    expect((await fetch(`${url}/ip_policies`, { method: "POST", headers })).status).toBe(201);
  }
}

async function countPolicies({ url }: Started): Promise<number> {
  const headers = { Authorization: `Bearer ${API_KEY}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ query: "{ ipPolicies { totalCount } }" });
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body });
  const { data } = (await response.json()) as { data: { ipPolicies: { totalCount: number } } };
  return data.ipPolicies.totalCount;
}

async function settingsOf(socketFolder: string, ...names: string[]): Promise<string[]> {
  const client = new Client({ host: socketFolder, user: "postgres", database: "postgres" });
  await client.connect();
  const { rows } = await client.query<{ setting: string }>(
    "SELECT setting FROM pg_settings WHERE name = ANY($1) ORDER BY array_position($1, name)",
    [names],
  );
  await client.end();
  return rows.map(({ setting }) => setting);
}

// Those that kill a process wait until its lock is stale.
describe("the embedded database server", { timeout: 120_000 }, () => {
  it("waits for the disk with each commit, and is reached by nobody else", async () => {
    const server = await start();
    const names = ["fsync", "synchronous_commit", "full_page_writes", "listen_addresses"];
    const run = path.join(dataDir, "run");
    expect(await settingsOf(run, ...names)).toEqual(["on", "on", "on", ""]);
    expect((await stat(run)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(dataDir, "postgresql"))).mode & 0o777).toBe(0o700);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    await stop(server);
  });

  it("stops with its process, and leaves nothing but its data", async () => {
    const server = await start();
    const postmaster = postmasterOf(dataDir);
    const watchdog = watchdogOf(server);
    await stop(server);
    expect([postmaster, watchdog].filter(isRunning)).toEqual([]);
    expect((await readdir(dataDir)).sort()).toEqual(["encryption.key", "postgresql"]);
  });

  it("stops when its process is killed; the next start says so, and has every commit", async () => {
    const first = await start();
    const postmaster = postmasterOf(dataDir);
    await createPolicies(first, 5);
    await kill(first);
    await untilGone(postmaster);
    const second = await start();
    await says(second, "it has recovered all commits");
    expect(await countPolicies(second)).toBe(5);
    await stop(second);
    const third = await start();
    await stop(third);
    expect(third.output()).not.toContain("recovered");
  });

  it("recovers when it was killed together with its process", async () => {
    const first = await start();
    await createPolicies(first, 5);
    const postmaster = postmasterOf(dataDir);
    process.kill(watchdogOf(first), "SIGKILL");
    first.child.kill("SIGKILL");
    process.kill(postmaster, "SIGKILL");
    await first.exited;
    const second = await start();
    await says(second, "it has recovered all commits");
    expect(await countPolicies(second)).toBe(5);
  });

  it("is stopped by the next start when it was left running", async () => {
    const first = await start();
    await createPolicies(first, 5);
    const postmaster = postmasterOf(dataDir);
    process.kill(watchdogOf(first), "SIGKILL");
    await kill(first);
    expect(isRunning(postmaster)).toBe(true);
    const second = await start();
    expect(isRunning(postmaster)).toBe(false);
    await says(second, "stopped the database that a killed process had left running");
    expect(await countPolicies(second)).toBe(5);
  });

  it("leaves a process alone that has got the number of one that was killed", async () => {
    await stop(await start());
    await writeFile(postmasterFile(), `${process.pid}\n${path.join(dataDir, "postgresql")}\n`);
    const server = await start();
    expect(isRunning(process.pid)).toBe(true);
    expect(postmasterOf(dataDir)).not.toBe(process.pid);
    await stop(server);
  });

  it("is not stopped by a second process on the same directory, which is refused", async () => {
    const server = await start();
    const postmaster = postmasterOf(dataDir);
    const second = run();
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("is in use by another Edgeplane process");
    expect(isRunning(postmaster)).toBe(true);
    expect(await countPolicies(server)).toBe(0);
  });

  it("has its socket elsewhere when the path is too long for one, and no start leaves it there", async () => {
    dataDir = path.join(folder, "long".repeat(30), "data");
    const sockets = async () =>
      (await readdir(tmpdir())).filter((name) => /^edgeplane-[0-9a-f]{16}$/.test(name));
    const before = await sockets();
    const first = await start();
    const [own, ...others] = (await sockets()).filter((name) => !before.includes(name));
    expect([own, others]).toEqual([expect.any(String), []]);
    expect((await stat(path.join(tmpdir(), own ?? ""))).mode & 0o777).toBe(0o700);
    await kill(first);
    await stop(await start());
    expect(await sockets()).not.toContain(own);
  });
});

describe("the data directory", { timeout: 60_000 }, () => {
  it.each([0o755, 0o750, 0o770, 0o704])(
    "is refused with mode %o, and left as it is",
    async (mode) => {
      await mkdir(dataDir);
      await chmod(dataDir, mode);
      const server = run();
      expect(await server.exited).toBe(1);
      expect(server.output()).toBe(
        `Other users may read or change the data directory ${dataDir} (mode ${mode.toString(8)}). Make it private: chmod 700 ${dataDir}\n`,
      );
      expect((await stat(dataDir)).mode & 0o777).toBe(mode);
      expect(await readdir(dataDir)).toEqual([]);
    },
  );

  it("gets no new key beside a database whose key is lost", async () => {
    await stop(await start());
    await rename(path.join(dataDir, "encryption.key"), path.join(folder, "backup"));
    const without = run();
    expect(await without.exited).toBe(1);
    expect(without.output()).toContain("Restore this file from your backup, or set ENCRYPTION_KEY");
    expect(await readdir(dataDir)).not.toContain("encryption.key");
    const given = readFileSync(path.join(folder, "backup"), "utf8").trim();
    await stop(await start({ ENCRYPTION_KEY: given }));
    await rename(path.join(folder, "backup"), path.join(dataDir, "encryption.key"));
    await start();
  });

  it("is reached through a link as well, under the same lock", async () => {
    const server = await start();
    const link = path.join(folder, "link");
    await symlink(dataDir, link);
    const second = run({ DATA_DIR: link });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("is in use");
    await stop(server);
  });
});

const isRoot = process.geteuid?.() === 0;
if (!isRoot)
  console.warn("NOT RUN: the embedded database of a root process, because this one is not root.");

describe.skipIf(!isRoot)("a root process", { timeout: 120_000 }, () => {
  const ownerOf = async (name: string) => (await stat(path.join(dataDir, name))).uid;

  /** The programs of the machine without `unshare`, as in a container that forbids it. */
  async function withoutNamespaces(): Promise<Record<string, string>> {
    const bin = path.join(folder, "bin");
    await mkdir(bin, { recursive: true });
    for (const program of ["id", "sh"]) {
      await symlink(`/usr/bin/${program}`, path.join(bin, program)).catch(() => {});
    }
    return { PATH: bin };
  }

  it("keeps the files its own, in a folder that only root may enter as well", async () => {
    await chmod(folder, 0o700);
    const server = await start();
    expect(await ownerOf("postgresql")).toBe(0);
    expect(server.output()).not.toContain("WebAssembly");
    await createPolicies(server, 1);
    await stop(server);
  });

  it("runs the server as nobody where it may not make a user namespace, and goes on so", async () => {
    await chmod(folder, 0o755);
    const first = await start(await withoutNamespaces());
    const nobody = await ownerOf("postgresql");
    expect(nobody).not.toBe(0);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o711);
    expect(first.output()).not.toContain("WebAssembly");
    await createPolicies(first, 3);
    await stop(first);
    const second = await start();
    expect(await ownerOf("postgresql")).toBe(nobody);
    expect(await countPolicies(second)).toBe(3);
    await stop(second);
  });

  it("says what is in the way where neither is open, and uses the WebAssembly engine", async () => {
    await chmod(folder, 0o700);
    const first = await start(await withoutNamespaces());
    await says(first, "spawn unshare ENOENT");
    await says(first, `it may not pass through ${folder})`);
    await says(first, "The new database uses the WebAssembly engine. It writes without fsync");
    await createPolicies(first, 3);
    await stop(first);
    expect((await readdir(dataDir)).sort()).toEqual(["database", "encryption.key"]);
    // Now PostgreSQL could run; the directory goes on with what made it.
    const second = await start();
    await says(second, "was made by the WebAssembly engine and goes on with it");
    expect(await countPolicies(second)).toBe(3);
    await stop(second);
  });

  it("starts no other engine beside a database that it cannot run", async () => {
    await chmod(folder, 0o755);
    await stop(await start());
    const server = run(await withoutNamespaces());
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain("unshare");
    expect(await readdir(dataDir)).not.toContain("database");
  });
});
