import { afterAll, beforeAll, expect, it } from "vitest";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.js";
import { FAULTS_KEY, startWorkload, storedPolicies } from "../harness/faults.js";
import { followChanges } from "../harness/followers.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { type Replication, startReplication } from "../harness/replicas.js";

// A server process under 32 clients, whose database is lost and whose replica takes its place.

let replication: Replication;
/** The address of the database, which leads to another server after a failover. */
let address: DatabaseProxy;
let server: ServerProcess;
let url: string;
beforeAll(async () => {
  replication = await startReplication();
  const { primary, replica } = replication;
  // A commit is acknowledged once the replica has it on disk.
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
  await primary.query("SELECT pg_reload_conf()");
  address = await startDatabaseProxy(primary.url);
  server = runServer({
    DATABASE_URL: address.url,
    DATABASE_READ_URL: replica.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    API_KEY: FAULTS_KEY,
  });
  url = await urlOf(server);
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exited;
  await address.close();
  await replication.stop();
});

const EXPECTED = ["200", "200 ERR_UNAVAILABLE", "201", "503 ERR_UNAVAILABLE"];

async function readiness(): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

it("leaves a server that takes no changes when its address leads to another", async () => {
  const workload = startWorkload(url);
  await workload.nextAnswers();
  address.leadTo(replication.replica.url);
  address.cut();
  const refused = () => workload.answers.get("503 ERR_UNAVAILABLE") ?? 0;
  await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThan(0);
  await workload.nextAnswers();
  address.leadTo(replication.primary.url);
  const acknowledged = workload.acknowledged.length;
  await expect
    .poll(() => workload.acknowledged.length, { timeout: 20_000 })
    .toBeGreaterThan(acknowledged + 100);
  const before = refused();
  await workload.nextAnswers();
  await workload.stop();
  expect(refused()).toBe(before);
  expect([...workload.answers.keys()].filter((answer) => !EXPECTED.includes(answer))).toEqual([]);
});

it("goes on with the promoted replica, with every acknowledged change and no event missed", async () => {
  const { primary, replica } = replication;
  const workload = startWorkload(url);
  await workload.nextAnswers();
  const follower = await followChanges(url);
  await workload.nextAnswers();

  address.refuse();
  process.kill(await primary.postmaster(), "SIGKILL");
  await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
  await workload.nextAnswers();

  // It still takes no changes: reads work, and a connection that was refused a change is not kept.
  address.leadTo(replica.url);
  address.accept();
  await expect.poll(readiness, { timeout: 10_000 }).toBe(200);
  await workload.nextAnswers();
  await replica.query("SELECT pg_promote()");
  const acknowledged = workload.acknowledged.length;
  await expect
    .poll(() => workload.acknowledged.length, { timeout: 20_000 })
    .toBeGreaterThan(acknowledged);
  await workload.nextAnswers();
  await workload.stop();

  expect([...workload.answers.keys()].filter((answer) => !EXPECTED.includes(answer))).toEqual([]);
  const stored = await storedPolicies(url);
  expect(workload.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  const afterwards = workload.acknowledged.slice(acknowledged);
  const { seen } = follower;
  await expect
    .poll(() => afterwards.filter((id) => !seen.includes(id)), { timeout: 20_000 })
    .toEqual([]);
  expect(new Set(seen).size).toBe(seen.length);
  follower.stop();
});
