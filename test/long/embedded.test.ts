import { readFileSync } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { postmasterOf } from "../harness/faults.js";
import {
  countPolicies,
  createPolicies,
  installations,
  isRunning,
  kill,
  postmasterFile,
  says,
  stop,
  untilGone,
} from "../harness/installations.js";
import type { ServerProcess } from "../harness/processes.js";

// The life of the embedded database server.

const own = installations();

/** The shell that stops the database server when `server` is gone. */
function watchdogOf({ child }: ServerProcess): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  const found = children
    .trim()
    .split(" ")
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sh\0-c\0read"));
  return Number(found);
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
    const server = await own.start();
    const names = ["fsync", "synchronous_commit", "full_page_writes", "listen_addresses"];
    const run = path.join(own.dataDir, "run");
    expect(await settingsOf(run, ...names)).toEqual(["on", "on", "on", ""]);
    expect((await stat(run)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(own.dataDir, "postgresql"))).mode & 0o777).toBe(0o700);
    expect((await stat(own.dataDir)).mode & 0o777).toBe(0o700);
    await stop(server);
  });

  it("stops with its process, and leaves nothing but its data", async () => {
    const server = await own.start();
    const postmaster = postmasterOf(own.dataDir);
    const watchdog = watchdogOf(server);
    await stop(server);
    expect([postmaster, watchdog].filter(isRunning)).toEqual([]);
    const data = ["encryption.key", "postgresql", "programs"];
    expect((await readdir(own.dataDir)).sort()).toEqual(data);
  });

  it("stops when its process is killed; the next start says so, and has every commit", async () => {
    const first = await own.start();
    const postmaster = postmasterOf(own.dataDir);
    await createPolicies(first, 5);
    await kill(first);
    await untilGone(postmaster);
    const second = await own.start();
    await says(second, "the process before this one was killed; its database has all commits");
    expect(await countPolicies(second)).toBe(5);
    await stop(second);
    const third = await own.start();
    await stop(third);
    expect(third.output()).not.toMatch(/recovered|killed/);
  });

  it("recovers when it was killed together with its process", async () => {
    const first = await own.start();
    await createPolicies(first, 5);
    const postmaster = postmasterOf(own.dataDir);
    process.kill(watchdogOf(first), "SIGKILL");
    first.child.kill("SIGKILL");
    process.kill(postmaster, "SIGKILL");
    await first.exited;
    const second = await own.start();
    await says(second, "it has recovered all commits");
    expect(await countPolicies(second)).toBe(5);
  });

  it("is stopped by the next start when it was left running", async () => {
    const first = await own.start();
    await createPolicies(first, 5);
    const postmaster = postmasterOf(own.dataDir);
    process.kill(watchdogOf(first), "SIGKILL");
    await kill(first);
    expect(isRunning(postmaster)).toBe(true);
    const second = await own.start();
    await untilGone(postmaster);
    await says(second, "stopped the database that an earlier process had left running");
    expect(await countPolicies(second)).toBe(5);
  });

  it("leaves a process alone that has got the number of one that was killed", async () => {
    await stop(await own.start());
    await writeFile(
      postmasterFile(own.dataDir),
      `${process.pid}\n${path.join(own.dataDir, "postgresql")}\n`,
    );
    const server = await own.start();
    expect(isRunning(process.pid)).toBe(true);
    expect(postmasterOf(own.dataDir)).not.toBe(process.pid);
    await stop(server);
  });

  it("is not stopped by a second process on the same directory, which is refused", async () => {
    const server = await own.start();
    const postmaster = postmasterOf(own.dataDir);
    const second = own.run();
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("is in use by another Edgeplane process");
    expect(isRunning(postmaster)).toBe(true);
    expect(await countPolicies(server)).toBe(0);
  });

  it("has its socket elsewhere when the path is too long for one, and no start leaves it there", async () => {
    own.dataDir = path.join(own.folder, "long".repeat(30), "data");
    const sockets = async () =>
      (await readdir(tmpdir())).filter((name) => /^edgeplane-[0-9a-f]{16}$/.test(name));
    const before = await sockets();
    const first = await own.start();
    const [added, ...others] = (await sockets()).filter((name) => !before.includes(name));
    expect([added, others]).toEqual([expect.any(String), []]);
    expect((await stat(path.join(tmpdir(), added ?? ""))).mode & 0o777).toBe(0o700);
    await kill(first);
    await stop(await own.start());
    expect(await sockets()).not.toContain(added);
  });
});
