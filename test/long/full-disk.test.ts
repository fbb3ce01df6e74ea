import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FAULTS_KEY, startWorkload, storedPolicies } from "../harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";

// The embedded database on a small file system of its own, which others fill.

const MIB = 1024 * 1024;
const IN_NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"];
/** Mounts a file system of 300 MiB on the folder that follows, and executes the rest. */
const ON_SMALL_DISK = [
  ...[...IN_NAMESPACE, "sh", "-c"],
  'mount -t tmpfs -o size=300m,mode=700 tmpfs "$0" && exec "$@"',
];

const canMount = spawnSync("unshare", [
  ...IN_NAMESPACE.slice(1),
  "mount",
  "-t",
  "tmpfs",
  "none",
  "/mnt",
]);
const isPossible = canMount.status === 0;
if (!isPossible) console.warn("NOT RUN: full disks, because no file system can be mounted here.");

describe.skipIf(!isPossible)("a disk that others fill", { timeout: 120_000 }, () => {
  let folder: string;
  let server: ServerProcess & { url: string };
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
    const disk = path.join(folder, "disk");
    await mkdir(disk);
    const env = { DATA_DIR: path.join(disk, "data"), API_KEY: FAULTS_KEY };
    const running = runServer(env, [...ON_SMALL_DISK, disk]);
    server = { ...running, url: await urlOf(running) };
  });
  afterEach(async () => {
    server.child.kill("SIGKILL");
    await server.exited;
    await rm(folder, { recursive: true, force: true });
  });

  /** A path on the disk, as this process reaches it. */
  const onDisk = (name: string) => `/proc/${server.child.pid}/root${folder}/disk/${name}`;
  const freeMiB = async () => {
    const { bavail, bsize } = await statfs(onDisk(""));
    return (bavail * bsize) / MIB;
  };

  /** Leaves so much room on the disk; 0 fills it to the last byte. */
  async function leave(mib: number): Promise<void> {
    const file = await open(onDisk("filler"), "w");
    const block = Buffer.alloc(MIB);
    try {
      while ((await freeMiB()) > mib) await file.write(block);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      await file.close();
    }
  }

  const request = (method: string) =>
    fetch(`${server.url}/ip_policies`, {
      method,
      headers: { Authorization: `Bearer ${FAULTS_KEY}`, "Service-Version": "2" },
    });
  const create = async () => (await request("POST")).status;
  const LATE = { timeout: 60_000, interval: 50 };

  it("refuses changes before PostgreSQL would stop, serves reads, and takes changes when there is room", async () => {
    expect(await create()).toBe(201);
    const client = new Client({ host: onDisk("data/run"), user: "postgres", database: "postgres" });
    await client.connect();
    await leave(50);
    await expect.poll(create, LATE).toBe(503);
    await leave(0);
    const refused = await request("POST");
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error_code: "ERR_UNAVAILABLE",
      msg: expect.stringContaining("disk of the database is full"),
    });
    // It fails when it has to make a file, such as the next one of the log: PostgreSQL has to go on all the same.
    await client.query("CHECKPOINT").catch(({ message }: Error) => {
      expect(message).toBe("checkpoint request failed");
    });
    await client.end();
    for (let i = 0; i < 50; i++) expect((await request("GET")).status).toBe(200);
    await rm(onDisk("filler"));
    await expect.poll(create, LATE).toBe(201);
    await expect.poll(server.output, LATE).toContain("has free space again");
    expect(server.output()).not.toContain("ended by itself");
  });

  it("loses nothing that was acknowledged when it is filled at once", async () => {
    const workload = startWorkload(server.url);
    await workload.nextAnswers();
    await leave(0);
    await workload.nextAnswers();
    await rm(onDisk("filler"));
    await expect.poll(create, LATE).toBe(201);
    await workload.nextAnswers();
    await workload.stop();
    const unexpected = [...workload.answers.keys()].filter((answer) => answer.startsWith("500"));
    expect(unexpected).toEqual([]);
    const stored = await storedPolicies(server.url);
    expect(workload.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(workload.acknowledged.length).toBeGreaterThan(10);
  });
});
