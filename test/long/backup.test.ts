import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readConfig } from "../../src/config.js";
import { startDailyBackups } from "../../src/installation/backups.js";
import { damage, fileOf, namesWith, onSocket } from "../harness/embedded.js";
import { FAULTS_KEY, postmasterOf, startWorkload, storedPolicies } from "../harness/faults.js";
import {
  countPolicies,
  createPolicies,
  installations,
  isRunning,
  kill,
  says,
  stop,
} from "../harness/installations.js";

// Backups of the embedded database, and what is restored from them.

const own = installations();
let backup: string;
beforeEach(() => {
  backup = path.join(own.folder, "backup");
});

const made = z.object({ path: z.string(), bytes: z.int(), encryptionKeys: z.array(z.string()) });

/** Slots of replication and their number; a backup that goes on has one. */
const slots = () =>
  onSocket(own.dataDir, async (client) => {
    const { rows } = await client.query("SELECT slot_name FROM pg_replication_slots");
    return rows.length;
  });

/** Goes on with another data directory, into which the backup is restored. */
async function restoreElsewhere(from = backup): Promise<void> {
  own.dataDir = path.join(own.folder, "restored");
  await own.done(["restore", from]);
}

async function isBegun(): Promise<void> {
  while ((await namesWith(own.folder, "backup.new-")).length === 0) await sleep(5);
}

describe("a backup", { timeout: 180_000 }, () => {
  it("has all that was acknowledged before it, while clients write, tables come and go, and checkpoints run", async () => {
    const server = await own.start();
    const workload = startWorkload(server.url);
    await workload.nextAnswers();
    let finished = false;
    const upheaval = onSocket(own.dataDir, async (client) => {
      for (let i = 0; !finished; i++) {
        await client.query(`CREATE TABLE passing_${i} AS SELECT generate_series(1, 5000) AS n`);
        if (i > 2) await client.query(`DROP TABLE passing_${i - 3}`);
        await client.query("CHECKPOINT");
      }
    });
    await workload.nextAnswers();
    const before = [...workload.acknowledged];
    const output = await own.done(["backup", backup, "--json"]);
    finished = true;
    await upheaval;
    await workload.nextAnswers();
    await workload.stop();
    expect([...workload.answers.keys()].sort()).toEqual(["200", "201"]);
    expect(await slots()).toBe(0);
    expect(made.parse(JSON.parse(output)).path).toBe(backup);
    await stop(server);
    await restoreElsewhere();
    const restored = await own.start();
    const stored = await storedPolicies(restored.url);
    expect(before.length).toBeGreaterThan(10);
    expect(before.filter((id) => !stored.has(id))).toEqual([]);
    expect(await countPolicies(restored)).toBe(stored.size);
    const later = new Set(workload.acknowledged);
    expect([...stored].filter((id) => !later.has(id))).toEqual([]);
    await createPolicies(restored, 1);
    await stop(restored);
    expect(restored.output()).not.toMatch(/recovered|killed/);
  });

  it("is made without a server too, is private, and has the key", async () => {
    const server = await own.start();
    await createPolicies(server, 3);
    await stop(server);
    const output = await own.done(["backup", backup]);
    expect(output).toMatch(/^made and verified \S+: \d{8,} bytes \(\d+\.\d MiB\)\n$/);
    const data = ["encryption.key", "postgresql", "programs"];
    expect((await readdir(own.dataDir)).sort()).toEqual(data);
    expect((await readdir(backup)).sort()).toEqual(["backup.json", "encryption.key", "postgresql"]);
    const modes = await Promise.all(
      ["", "postgresql", "postgresql/base", "encryption.key", "postgresql/PG_VERSION"].map(
        async (name) => ((await stat(path.join(backup, name))).mode & 0o777).toString(8),
      ),
    );
    expect(modes).toEqual(["700", "700", "700", "600", "600"]);
    expect(await readdir(path.join(backup, "postgresql"))).not.toContain("postmaster.pid");
    const key = await readFile(path.join(own.dataDir, "encryption.key"), "utf8");
    await restoreElsewhere();
    expect(await readFile(path.join(own.dataDir, "encryption.key"), "utf8")).toBe(key);
    const restored = await own.start();
    expect(await countPolicies(restored)).toBe(3);
    await stop(restored);
  });

  it("removes what it has made when it is interrupted; what a killed one has left goes with the next", async () => {
    const server = await own.start();
    await createPolicies(server, 2);
    const interrupted = own.runCommand("backup", backup);
    await isBegun();
    interrupted.child.kill("SIGINT");
    expect(await interrupted.exited).toBe(1);
    expect(interrupted.output()).toBe("Interrupted by SIGINT.\n");
    expect(await namesWith(own.folder, "backup")).toEqual([]);
    expect(await slots()).toBe(0);
    const killed = own.runCommand("backup", backup);
    await isBegun();
    await kill(killed);
    await expect.poll(slots, { timeout: 30_000 }).toBe(0);
    expect(await namesWith(own.folder, "backup")).toEqual([expect.stringMatching(/^backup\.new-/)]);
    await createPolicies(server, 1);
    await own.done(["backup", backup]);
    expect(await namesWith(own.folder, "backup")).toEqual(["backup"]);
    await stop(server);
  });

  it("is refused where there is something, in DATA_DIR, and for what is not embedded", async () => {
    expect(await own.done(["backup", backup], 1)).toContain("There is no database in");
    await stop(await own.start());
    await mkdir(backup);
    expect(await own.done(["backup", backup], 1)).toContain("There is something at");
    expect(await readdir(backup)).toEqual([]);
    const inside = path.join(own.dataDir, "backups", "mine");
    expect(await own.done(["backup", inside], 1)).toContain("lies in DATA_DIR");
    const elsewhere = {
      DATABASE_URL: "postgresql://db.example/edgeplane",
      ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
    };
    for (const name of ["backup", "restore"]) {
      expect(await own.done([name, backup], 1, elsewhere)).toContain("such as pg_dump");
    }
    expect(await own.done(["backup"], 2)).toContain("missing required argument");
  });

  it("says which key is needed when the keys were in the environment", async () => {
    const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
    await stop(await own.start({ ENCRYPTION_KEY }));
    const output = await own.done(["backup", backup, "--json"], 0, { ENCRYPTION_KEY });
    const [fingerprint] = made.parse(JSON.parse(output)).encryptionKeys;
    own.dataDir = path.join(own.folder, "restored");
    expect(await own.done(["restore", backup])).toContain(
      `the backup has not the encryption key ${fingerprint}: set ENCRYPTION_KEY to it`,
    );
  });
});

describe("restoring", { timeout: 180_000 }, () => {
  it("is refused while a server runs and beside a database; with --replace that one is kept", async () => {
    const server = await own.start();
    await createPolicies(server, 1);
    await own.done(["backup", backup]);
    await createPolicies(server, 1);
    expect(await own.done(["restore", backup, "--replace"], 1)).toContain("is in use by another");
    expect(await countPolicies(server)).toBe(2);
    // Its database is still there when it is gone, and has to end before another one takes its place.
    const postmaster = postmasterOf(own.dataDir);
    process.kill(postmaster, "SIGSTOP");
    await kill(server);
    process.kill(postmaster, "SIGCONT");
    expect(await own.done(["restore", backup], 1)).toContain("With --replace it is kept there");
    const output = await own.done(["restore", backup, "--replace"]);
    expect(isRunning(postmaster)).toBe(false);
    const [kept = ""] = await namesWith(own.dataDir, "replaced-");
    expect(output).toContain(`what was there before is kept in ${path.join(own.dataDir, kept)}\n`);
    const restored = await own.start();
    expect(await countPolicies(restored)).toBe(1);
    await stop(restored);
    own.dataDir = path.join(own.dataDir, kept);
    const before = await own.start();
    expect(await countPolicies(before)).toBe(2);
    await stop(before);
  });

  it("refuses what is no backup, one of another PostgreSQL, and one that is damaged; nothing is changed", async () => {
    const server = await own.start();
    await createPolicies(server, 1);
    const file = await fileOf(own.dataDir, "ip_policies");
    await own.done(["backup", backup]);
    await writeFile(path.join(own.folder, "file"), "");
    const below = path.join(own.folder, "file", "backup");
    expect(await own.done(["backup", below], 1)).toMatch(
      /^The folder .*file for the backup cannot/m,
    );
    await stop(server);
    expect(await own.done(["restore", below], 1)).toMatch(
      /^There is no backup at .*file\/backup /m,
    );
    const others = path.join(own.folder, "others");
    await mkdir(others);
    expect(await own.done(["restore", others, "--replace"], 1)).toContain("is no backup");
    const manifest = path.join(backup, "backup.json");
    const text = await readFile(manifest, "utf8");
    await writeFile(manifest, text.replace('"postgresql": 18', '"postgresql": 17'));
    expect(await own.done(["restore", backup, "--replace"], 1)).toMatch(
      /made by PostgreSQL 17\. .* PostgreSQL 18, .* edgeplane export .* edgeplane import/,
    );
    await writeFile(manifest, text);
    await damage(path.join(backup, "postgresql", file));
    expect(await own.done(["restore", backup, "--replace"], 1)).toMatch(
      new RegExp(`is damaged, and nothing was changed: checksum verification failed .*${file}`),
    );
    const data = ["encryption.key", "postgresql", "programs"];
    expect((await readdir(own.dataDir)).sort()).toEqual(data);
  });
});

describe("the daily backup", { timeout: 180_000 }, () => {
  it("is made beside the server, and mends a table that a disk has damaged", async () => {
    const server = await own.start();
    await createPolicies(server, 3);
    const directory = await realpath(own.dataDir);
    const connection = {
      host: path.join(directory, "run"),
      user: "postgres",
      database: "postgres",
    };
    const log = pino({ level: "silent" });
    const config = readConfig({ DATA_DIR: directory });
    const daily = await startDailyBackups(config, { connection, directory }, log, {
      firstLookMs: 0,
    });
    const folder = path.join(directory, "backups");
    const backups = async () =>
      (await readdir(folder).catch(() => [])).filter((name) => name.endsWith("Z"));
    await expect.poll(backups, { timeout: 60_000 }).toHaveLength(1);
    await daily.stop();
    const [name = ""] = await backups();
    expect((await stat(folder)).mode & 0o066).toBe(0);
    const file = await fileOf(directory, "ip_policies");
    await stop(server);
    await damage(path.join(directory, "postgresql", file));
    const damaged = await own.start();
    const headers = { Authorization: `Bearer ${FAULTS_KEY}`, "Service-Version": "2" };
    const answer = await fetch(`${damaged.url}/ip_policies`, { headers });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      error_code: "ERR_UNAVAILABLE",
      msg: expect.stringContaining("damaged"),
    });
    await says(damaged, `invalid page in block 0 of relation`);
    expect(await own.done(["backup", backup], 1)).toMatch(
      new RegExp(
        `could not be verified, so it was removed: checksum verification failed .*${file}`,
      ),
    );
    expect(await namesWith(own.folder, "backup")).toEqual([]);
    await stop(damaged);
    await own.done(["restore", path.join(folder, name), "--replace"]);
    const mended = await own.start();
    expect(await storedPolicies(mended.url)).toHaveProperty("size", 3);
    expect(await backups()).toEqual([name]);
  });
});
