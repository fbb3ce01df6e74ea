import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FAULTS_KEY, storedPolicies } from "../harness/faults.js";
import { differences, type Folder, readFolder } from "../harness/power-cut/disk.js";
import { type Recording, record } from "../harness/power-cut/recording.js";
import { faultsOf } from "../harness/power-cut/recovery.js";
import { replayOn } from "../harness/power-cut/replay.js";
import { canTrace } from "../harness/power-cut/strace.js";
import { none, type Survivors, some, writeFolder } from "../harness/power-cut/survivors.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";

// A server is traced while clients change resources. From its system calls comes what a power cut at any moment may
// leave on the disk, and on that the database is started.

const isTraceable = canTrace();
if (!isTraceable) {
  console.warn("NOT RUN: power cuts, because strace is not installed or may not trace.");
}

let folder: string;
let disk: string;
let dataDir: string;
const running: ServerProcess[] = [];
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "edgeplane-test-")));
  await chmod(folder, 0o755);
  disk = path.join(folder, "disk");
  dataDir = path.join(disk, "data");
  await mkdir(disk);
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.splice(0).map(({ exited }) => exited));
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function start(directory: string) {
  const server = runServer({ DATA_DIR: directory, API_KEY: FAULTS_KEY });
  running.push(server);
  return { ...server, url: await urlOf(server) };
}

/** A disk with a database that was made and stopped. */
async function usedDisk(): Promise<void> {
  const { child, exited } = await start(dataDir);
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
}

const CHANGING = new Set(["pwrite64", "rename", "fsync", "fdatasync"]);

/**
 * Where to cut: `count` times while an answer is on its way, which is where the write-ahead log has just been written;
 * and as often after something else was changed or synced, which is mostly in checkpoints.
 */
function cutsOf({ answers, moments }: Recording, count: number): number[] {
  const changes = moments.flatMap(({ call, phase }, moment) => {
    const isElsewhere = call.descriptors.every(
      (file) => file.startsWith(dataDir) && !file.includes("/pg_wal/"),
    );
    return phase === "ends" && CHANGING.has(call.name) && isElsewhere ? [moment] : [];
  });
  const cuts = [spread([...answers.values()], count), spread(changes, count)].flat();
  return [...new Set(cuts)].map((moment) => moment + 1).sort((a, b) => a - b);
}

/** `count` of them at equal distances, the last among them. */
function spread(values: readonly number[], count: number): number[] {
  const places = Array.from({ length: count }, (_, index) => (index + 1) / count);
  return places.map((place) => values[Math.ceil(place * values.length) - 1] ?? 0);
}

/** Does to `base`, the disk before the recording, what happened before one moment after another. */
function replayer({ moments }: Recording, base: Folder): (until: number) => void {
  // What each start makes anew.
  const ignored = ["run", "libraries"].map((name) => path.join(dataDir, name));
  const replay = replayOn(base, disk, ignored);
  let past = 0;
  return (until) => {
    for (const moment of moments.slice(past, until)) replay(moment);
    past = until;
  };
}

/** Makes the disk `name` as a power cut now may leave it. Returns the data directory on it. */
async function diskAfter(now: Folder, name: string, survivors: Survivors): Promise<string> {
  const target = path.join(folder, name);
  const directory = path.join(target, "data");
  const database = path.join(directory, "postgresql");
  writeFolder(now, target, survivors);
  await chmod(target, 0o755);
  if (!existsSync(directory)) return directory;
  await chmod(directory, (await stat(dataDir)).mode);
  // As root the server may run under another account, which owns its files.
  const { uid, gid } = await stat(path.join(dataDir, "postgresql"));
  if (uid !== process.geteuid?.() && existsSync(database)) {
    spawnSync("chown", ["-R", `${uid}:${gid}`, database]);
  }
  return directory;
}

/** What is lost or damaged when the power is cut now, at the moment `cut`. */
async function faultsAt(
  cut: number,
  { answers, histories }: Recording,
  now: Folder,
  survivors: Readonly<Record<string, Survivors>>,
): Promise<string[]> {
  const given = [...answers].filter(([, moment]) => moment < cut).map(([id]) => id);
  const outcomes = Object.entries(survivors).map(async ([name, surviving]) => {
    const directory = await diskAfter(now, `${cut}-${name}`, surviving);
    const faults = await faultsOf(directory, histories, new Set(given));
    await rm(path.dirname(directory), { recursive: true });
    return faults.map((fault) => `${cut} ${name}: ${fault}`);
  });
  return (await Promise.all(outcomes)).flat();
}

async function expectNothingLost(base: Folder, recording: Recording, count: number) {
  const replayUntil = replayer(recording, base);
  const faults: string[] = [];
  for (const cut of cutsOf(recording, count)) {
    replayUntil(cut);
    faults.push(...(await faultsAt(cut, recording, base, { none, some: some(cut) })));
  }
  expect(faults).toEqual([]);
  replayUntil(recording.moments.length);
  // What was replayed is what the server did.
  expect(differences(base, readFolder(disk))).toEqual([]);
}

describe.skipIf(!isTraceable)("a power cut", { timeout: 600_000 }, () => {
  const trace = () => path.join(folder, "trace");

  it("loses nothing that was acknowledged", async () => {
    await usedDisk();
    const base = readFolder(disk);
    const recording = await record(dataDir, trace(), { rounds: 3, policies: 5 });
    await expectNothingLost(base, recording, 12);
  });

  it("leaves a directory that the server goes on with", async () => {
    await usedDisk();
    const base = readFolder(disk);
    const recording = await record(dataDir, trace(), { rounds: 1, policies: 2 });
    const cut = Math.max(...recording.answers.values());
    replayer(recording, base)(cut);
    const server = await start(await diskAfter(base, "cut", some(cut)));
    const stored = await storedPolicies(server.url);
    const kept = [...recording.histories].filter(([, changes]) => changes.at(-1)?.description);
    expect(kept.map(([id]) => id).filter((id) => !stored.has(id))).toEqual([]);
  });

  it("loses what a database acknowledged that does not sync, so this would be seen", async () => {
    await usedDisk();
    await appendFile(path.join(dataDir, "postgresql", "postgresql.auto.conf"), "fsync = off\n");
    const base = readFolder(disk);
    const recording = await record(dataDir, trace(), { rounds: 1, policies: 1 });
    const cut = Math.max(...recording.answers.values()) + 1;
    replayer(recording, base)(cut);
    const faults = await faultsAt(cut, recording, base, { none });
    expect(faults).toHaveLength(recording.histories.size);
  });

  it("loses nothing in the first run of a directory", async () => {
    const base = readFolder(disk);
    const recording = await record(dataDir, trace(), { rounds: 1, policies: 2 });
    await expectNothingLost(base, recording, 6);
  });
});
