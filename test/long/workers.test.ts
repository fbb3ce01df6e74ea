import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import type { Agent } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EventReader, endOfLog, openEvents } from "../harness/event-streams.js";
import { FAULTS_KEY, startWorkload, storedPolicies } from "../harness/faults.js";
import { type ServerProcess, urlOf } from "../harness/processes.js";
import { send } from "../harness/rates.js";
import { freshDatabase } from "../harness/server.js";
import {
  agentOf,
  get,
  isRunning,
  linesOf,
  metricsOf,
  runWorkers,
  sendHalf,
  stall,
  sumOf,
  whileAlone,
  workersOf,
} from "../harness/workers.js";

// One command that serves with several processes.

const REQUESTS = "edgeplane_http_requests_total";
/** A worker that hears nothing looks for itself after this time. */
const WAKE_MS = 2_000;
const CHANGES = 12;
/** Of a machine that does much else. */
const TIMEOUT_MS = 90_000;

let database: Awaited<ReturnType<typeof freshDatabase>>;
const servers: ServerProcess[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const server of servers) {
    server.child.kill("SIGKILL");
    await server.exited;
  }
  await database.stop();
});

function start(env: Readonly<Record<string, string>> = {}): ServerProcess {
  const server = runWorkers(database.url, env);
  servers.push(server);
  return server;
}

/** The numbers of the workers that have answered requests at `path`. */
function answeredBy(server: ServerProcess, path: string): (number | undefined)[] {
  const numbers = linesOf(server).flatMap((line) => (line.path === path ? [line.worker] : []));
  return [...new Set(numbers)].sort();
}

describe("a command with two workers", { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  let manifest: string;
  let server: ServerProcess;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "edgeplane-workers-"));
    manifest = path.join(folder, "operations.json");
    await writeFile(manifest, "{}");
    server = start({ DRAIN_SECONDS: "1", PERSISTED_OPERATIONS: manifest });
    url = await urlOf(server);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("tells the followers at each worker at once of changes by all processes, with one listener", async () => {
    const other = start({ WORKERS: "1" });
    const otherUrl = await urlOf(other);
    await create(otherUrl);
    const position = await endOfLog({ url, writeKey: FAULTS_KEY });
    const query = { query: "subscription { changes { resourceId } }" };
    const follow = (from: string) => openEvents({ url: from }, FAULTS_KEY, query, position);
    const events: EventReader[] = [await follow(otherUrl)];
    for (const pid of workersOf(server)) {
      await whileAlone(server, pid, async () => {
        for (let count = 0; count < 3; count++) events.push(await follow(url));
      });
    }
    const places: [url: string, agent?: Agent][] = [[otherUrl]];
    for (const pid of workersOf(server)) places.push([url, await agentOf(server, url, pid)]);
    const began = performance.now();
    for (let change = 0; change < CHANGES; change++) {
      const id = await create(...(places[change % places.length] ?? [otherUrl]));
      for (const each of events) {
        expect((await each.next())?.result.data.changes.resourceId).toBe(id);
      }
    }
    // Where nobody tells them, most wait for so long by themselves.
    expect(performance.now() - began).toBeLessThan((CHANGES * WAKE_MS) / 6);
    expect(await listeners()).toBe(2);
    expect(sumOf(await metricsOf(server), "edgeplane_followers")).toBe(6);
    for (const each of events) each.close();
    await expect.poll(() => answeredBy(server, "/graphql")).toEqual([1, 2]);
    await expect.poll(() => answeredBy(server, "/ip_policies")).toEqual([1, 2]);
    other.child.kill("SIGTERM");
    expect(await other.exited).toBe(0);
  });

  it("replaces a worker that is killed, until it serves again, and loses no acknowledged change", async () => {
    const workload = startWorkload(url);
    await workload.nextAnswers();
    const counted = sumOf(await metricsOf(server), REQUESTS);
    const [killed = 0] = workersOf(server);
    const number = linesOf(server).find(({ pid }) => pid === killed)?.worker;
    // What replaces it fails first.
    await rename(manifest, `${manifest}.away`);
    process.kill(killed, "SIGKILL");
    const ends = () => linesOf(server).filter(({ msg }) => msg === "a worker has ended");
    await expect.poll(() => ends().length, { timeout: 20_000 }).toBeGreaterThan(1);
    await rename(`${manifest}.away`, manifest);
    const [end, failure] = ends();
    expect(end).toMatchObject({ endedWorker: number, endedPid: killed });
    expect(end).toMatchObject({ reason: "it ended with SIGKILL" });
    expect(failure).toMatchObject({ endedWorker: number, reason: expect.stringMatching(/ENOENT/) });
    // Connections stay with their worker, and new ones come to the new one too.
    const isAnswering = async () => {
      await get(`${url}/livez`);
      return linesOf(server).some(({ pid, worker }) => worker === number && pid !== killed);
    };
    await expect.poll(isAnswering, { timeout: 20_000 }).toBe(true);
    await workload.nextAnswers();
    await workload.stop();
    const stored = await storedPolicies(url);
    expect(workload.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    const after = await metricsOf(server);
    expect(sumOf(after, REQUESTS)).toBeGreaterThan(counted);
    expect(sumOf(after, "edgeplane_worker_ends_total")).toBe(ends().length);
    expect(sumOf(after, "edgeplane_workers")).toBe(2);
  });

  it("shows its metrics while a worker is stalled, with what that one has counted", async () => {
    const before = await metricsOf(server);
    const [stalled = 0] = workersOf(server);
    await stall(stalled);
    const metrics = await metricsOf(server);
    process.kill(stalled, "SIGCONT");
    expect(sumOf(metrics, "edgeplane_workers")).toBe(1);
    expect(sumOf(metrics, REQUESTS)).toBeGreaterThanOrEqual(sumOf(before, REQUESTS));
    expect(sumOf(metrics, "edgeplane_ready")).toBe(1);
  });

  it("answers the requests that run when Ctrl-C reaches all processes, and ends with 0", async () => {
    const halves = await Promise.all([1, 2, 3, 4].map(() => sendHalf(url)));
    process.kill(-(server.child.pid ?? 0), "SIGINT");
    await expect.poll(() => get(`${url}/readyz`), { interval: 20 }).toBe(503);
    const answers = await Promise.all(halves.map(({ complete }) => complete()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await server.exited).toBe(0);
    const stopping = linesOf(server).filter(({ msg }) => msg === "stopping");
    expect(stopping.map(({ worker }) => worker ?? 0).sort()).toEqual([0, 1, 2]);
  });
});

describe("the primary of two workers", { timeout: TIMEOUT_MS }, () => {
  it("counts requests for both, and both end when it is killed", async () => {
    const server = start({ RATE_LIMIT_REQUESTS: "25", RATE_LIMIT_SECONDS: "600" });
    const url = await urlOf(server);
    const { body } = await send(`${url}/api_keys`, { key: FAULTS_KEY }, { scope: "read" });
    const agents: Agent[] = [];
    for (const pid of workersOf(server)) agents.push(await agentOf(server, url, pid));
    // Keys that are not known are refused while their network is over its limit.
    const later: string = (await send(`${url}/api_keys`, { key: FAULTS_KEY }, {})).body.token;
    /** How many requests that key has left, after one to each worker and again. */
    const leftOf = async () => {
      const left: string[] = [];
      for (const agent of [...agents, ...agents]) {
        const { limit } = await send(url, { key: later, agent });
        left.push(limit?.replace(/;t=.*/, "") ?? "");
      }
      return left;
    };
    expect(await leftOf()).toEqual(["r=24", "r=23", "r=22", "r=21"]);
    for (const [key, passed] of [
      [String(body.token), 200],
      ["no-key-of-this-server", 401],
    ] as const) {
      const asked = Array.from({ length: 80 }, (_, index) =>
        get(`${url}/ip_policies`, agents[index % 2], key),
      );
      const statuses = await Promise.all(asked);
      expect(statuses.filter((status) => status === passed)).toHaveLength(25);
      expect(statuses.filter((status) => status === 429)).toHaveLength(55);
    }
    const sent = async () => sumOf(await metricsOf(server), REQUESTS, /route="\/ip_policies"/);
    await expect.poll(sent).toBe(160);
    await expect.poll(() => answeredBy(server, "/ip_policies")).toEqual([1, 2]);
    // Nobody follows the log.
    expect(await listeners()).toBe(0);

    // A worker whose primary does not answer counts by itself.
    const [agent] = agents;
    const half = await sendHalf(url);
    const workers = workersOf(server);
    server.child.kill("SIGSTOP");
    expect(await get(`${url}/ip_policies`, agent)).toBe(200);
    await expect.poll(() => server.output()).toContain("counts requests by itself");
    server.child.kill("SIGCONT");
    expect(await leftOf()).toEqual(["r=20", "r=19", "r=18", "r=17"]);

    server.child.kill("SIGKILL");
    await expect.poll(() => server.output()).toContain("the primary has gone");
    expect(workers.some(isRunning)).toBe(true);
    expect((await half.complete()).status).toBe(201);
    await expect.poll(() => workers.filter(isRunning), { timeout: 10_000 }).toEqual([]);
  });

  it("ends with the reason when no worker can start", async () => {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as AddressInfo;
    const server = start({ PORT: String(port) });
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain(`\nbind EADDRINUSE 127.0.0.1:${port}`);
    expect(server.output()).not.toContain("listens on");
    listener.close();
  });

  it("ends well when it is told to stop before its workers serve", async () => {
    const server = start();
    await expect.poll(() => workersOf(server).length, { timeout: 20_000, interval: 5 }).toBe(2);
    const workers = workersOf(server);
    server.child.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(server.output()).not.toContain("listens on");
  });
});

/** Creates an IP policy. Returns its id. */
async function create(url: string, agent: Agent | false = false): Promise<string> {
  const half = await sendHalf(url, agent);
  const { status, body } = await half.complete();
  expect(status).toBe(201);
  return body.id;
}

/** Sessions that listen for changes. */
async function listeners(): Promise<number> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
  );
  await client.end();
  return rows[0]?.count ?? 0;
}
