import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.js";
import {
  FAULTS_KEY,
  postmasterOf,
  serverProcessesOf,
  startWorkload,
  storedPolicies,
  type Workload,
} from "../harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";

// A server process under 32 clients, twice as many as it has connections, while its database fails.

let folder: string;
const running: ServerProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.splice(0).map(({ exited }) => exited));
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Target extends ServerProcess {
  readonly url: string;
}

async function start(env: Record<string, string>): Promise<Target> {
  const server = runServer({ API_KEY: FAULTS_KEY, ...env });
  running.push(server);
  return { ...server, url: await urlOf(server) };
}

const PASSING = new Set(["200", "201", "503 ERR_UNAVAILABLE"]);

/** What every fault has to leave: honest answers, all that was acknowledged, and a server that works. */
async function expectUnharmed(server: Target, workload: Workload): Promise<void> {
  await workload.stop();
  expect(server.output().match(/.*request failed.*/g)).toBeNull();
  expect([...workload.answers.keys()].filter((answer) => !PASSING.has(answer))).toEqual([]);
  expect(server.child.exitCode).toBeNull();
  const stored = await storedPolicies(server.url);
  expect(workload.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(workload.acknowledged.length).toBeGreaterThan(10);
  expect(new Set(workload.acknowledged).size).toBe(workload.acknowledged.length);
}

async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(50);
}

describe("the embedded database", { timeout: 120_000 }, () => {
  let server: Target;
  let workload: Workload;
  const dataDir = () => path.join(folder, "data");
  beforeEach(async () => {
    server = await start({ DATA_DIR: dataDir() });
    workload = startWorkload(server.url);
    await workload.nextAnswers();
  });

  it.each(["SIGINT", "SIGKILL"] as const)(
    "is started again after %s, three times",
    async (signal) => {
      for (let times = 0; times < 3; times++) {
        const before = postmasterOf(dataDir());
        process.kill(before, signal);
        await expect.poll(() => server.output().match(/runs again/g)?.length, LATE).toBe(times + 1);
        await untilReady(server.url);
        expect(postmasterOf(dataDir())).not.toBe(before);
        await workload.nextAnswers();
      }
      await expectUnharmed(server, workload);
      expect(workload.answers.get("503 ERR_UNAVAILABLE")).toBeGreaterThan(0);
    },
  );

  it("that stalls leaves no request without an answer, and goes on", async () => {
    const stalled = serverProcessesOf(dataDir());
    for (const pid of stalled) process.kill(pid, "SIGSTOP");
    try {
      const started = performance.now();
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
      // Its limit is 2 seconds, and this machine may be slow.
      expect(performance.now() - started).toBeLessThan(5_000);
      await workload.nextAnswers();
      expect(workload.answers.get("503 ERR_UNAVAILABLE")).toBeGreaterThanOrEqual(32);
    } finally {
      for (const pid of stalled) process.kill(pid, "SIGCONT");
    }
    await untilReady(server.url);
    await workload.nextAnswers();
    await expectUnharmed(server, workload);
  });
});

const LATE = { timeout: 60_000, interval: 50 };

describe("a database server", { timeout: 120_000 }, () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let proxy: DatabaseProxy;
  let server: Target;
  let workload: Workload;
  beforeEach(async () => {
    database = await freshDatabase();
    proxy = await startDatabaseProxy(database.url);
    server = await start({
      DATABASE_URL: proxy.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    });
    workload = startWorkload(server.url);
    await workload.nextAnswers();
  });
  afterEach(async () => {
    server.child.kill("SIGKILL");
    await server.exited;
    await proxy.close();
    await database.stop();
  });

  it("whose connections are cut is connected to again", async () => {
    for (let times = 0; times < 20; times++) {
      proxy.cut();
      await sleep(50);
    }
    await untilReady(server.url);
    await workload.nextAnswers();
    await expectUnharmed(server, workload);
  });

  it("whose connections are half open leaves no request without an answer, and goes on", async () => {
    proxy.silence();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    await workload.nextAnswers();
    expect(workload.answers.get("503 ERR_UNAVAILABLE")).toBeGreaterThanOrEqual(32);
    proxy.speak();
    await untilReady(server.url);
    await workload.nextAnswers();
    await expectUnharmed(server, workload);
  });

  it("that ends all sessions, as in a restart, is connected to again", async () => {
    for (let times = 0; times < 5; times++) {
      await database.administer(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await workload.nextAnswers();
    }
    await expectUnharmed(server, workload);
  });
});
