import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Backup } from "../src/database/backup/backup.js";
import { type DailyOptions, keepDailyBackups, makeWhenDue } from "../src/database/backup/daily.js";
import { type Manifest, writeManifest } from "../src/database/backup/manifest.js";

// When daily backups are made, and which are kept. What is in them does not matter here.

const HOUR_MS = 3_600_000;
const OWN = "7711014810391023315";
/** Of a database whose data this one took over. */
const EARLIER = "7711014810391023001";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(target: string, madeAt: Date, systemIdentifier = OWN): Promise<Backup> {
  await mkdir(target, { recursive: true });
  const manifest: Manifest = {
    format: 1,
    madeAt: madeAt.toISOString(),
    postgresql: 18,
    systemIdentifier,
    bytes: 1,
    encryptionKeys: [],
  };
  await writeManifest(target, manifest);
  return { ...manifest, path: target };
}

/** Writes backups that were made so many hours ago. Returns their names. */
function existing(...hours: number[]): Promise<string[]> {
  return Promise.all(hours.map((ago) => existingOf(ago, OWN)));
}

async function existingOf(hours: number, systemIdentifier: string): Promise<string> {
  const time = new Date(Date.now() - hours * HOUR_MS);
  const name = time.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  await write(path.join(folder, name), time, systemIdentifier);
  return name;
}

function optionsOf(days: number, make = (target: string) => write(target, new Date())) {
  const made: string[] = [];
  const failures: unknown[] = [];
  const options: DailyOptions = {
    folder,
    days,
    systemIdentifier: OWN,
    earlierIdentifiers: [EARLIER],
    firstLookMs: 0,
    lookEveryMs: 1,
    make: (target) => make(target),
    onMade: ({ path: place }) => made.push(path.basename(place)),
    onFailed: (error) => failures.push(error),
  };
  return { options, made, failures };
}

/** The names of the backups that a look makes. */
async function madeBy(days: number): Promise<string[]> {
  const { options, made } = optionsOf(days);
  await makeWhenDue(options, new AbortController().signal);
  return made;
}

const present = async () => (await readdir(folder)).sort();

describe("daily backups", () => {
  it("begin anew when another database took over, and its backups are removed when there is a new one", async () => {
    const [before] = await Promise.all([existingOf(1, EARLIER), existingOf(30, EARLIER)]);
    const made = await madeBy(2);
    expect(made).toHaveLength(1);
    expect(await present()).toEqual([before, ...made].sort());
    expect(await madeBy(2)).toEqual([]);
  });

  it("begin when there is none, also in a folder that is not there yet", async () => {
    folder = path.join(folder, "below", "backups");
    const made = await madeBy(1);
    expect(made).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z$/)]);
    expect(await present()).toEqual(made);
    expect(await madeBy(1)).toEqual([]);
    folder = path.resolve(folder, "../..");
  });

  it("come a day after the newest, whatever was started in between", async () => {
    const names = await existing(23.9, 48);
    expect(await madeBy(7)).toEqual([]);
    await rm(path.join(folder, names[0] ?? ""), { recursive: true });
    expect(await madeBy(7)).toHaveLength(1);
    expect(await madeBy(7)).toEqual([]);
  });

  it("are kept for as many days as is said, and the oldest go", async () => {
    const [newer] = await existing(24.1, 48.1, 72.1);
    const [made] = await madeBy(2);
    expect(await present()).toEqual([newer, made]);
  });

  it("keep the one from before until the new one is there", async () => {
    const names = await existing(25);
    const { options } = optionsOf(1, async (target) => {
      expect(await present()).toEqual(names);
      return write(target, new Date());
    });
    await makeWhenDue(options, new AbortController().signal);
    expect(await present()).toHaveLength(1);
    expect(await present()).not.toEqual(names);
  });

  it("leave alone what is no backup, and backups of other databases", async () => {
    await mkdir(path.join(folder, "mine"));
    await mkdir(path.join(folder, "20260101T000000Z"));
    const other = await existingOf(30, "1");
    const [made = ""] = await madeBy(1);
    expect(await present()).toEqual(["20260101T000000Z", other, made, "mine"].sort());
  });

  it("remove what a process that was killed has left", async () => {
    await mkdir(path.join(folder, "20260101T000000Z.new-0123456789ab"));
    await mkdir(path.join(folder, "20260101T000000Z.new-removed"));
    expect(await present()).not.toEqual(await madeBy(1));
    expect(await present()).toEqual([expect.stringMatching(/Z$/)]);
  });

  it("go on beside one that the clock says is of a time to come, which goes first", async () => {
    const [wrong] = await existing(-100);
    const made = await madeBy(1);
    expect(made).toHaveLength(1);
    expect(made).not.toEqual([wrong]);
    expect(await present()).toEqual(made);
    expect(await madeBy(1)).toEqual([]);
  });

  it("report a failure, keep what there is, and end when they are told to", async () => {
    const names = await existing(25);
    const failure = new Error("too little room");
    const { options, made, failures } = optionsOf(1, () => Promise.reject(failure));
    const daily = keepDailyBackups(options);
    await expect.poll(() => failures).toEqual([failure]);
    await daily.stop();
    expect(made).toEqual([]);
    expect(await present()).toEqual(names);
  });

  it("abort the one that is being made when they are told to end, which is no failure", async () => {
    const { options, failures } = optionsOf(1);
    let begun = false;
    const daily = keepDailyBackups({
      ...options,
      async make(_, signal) {
        begun = true;
        await new Promise((_, reject) => signal.addEventListener("abort", reject));
        throw new Error("never");
      },
    });
    await expect.poll(() => begun).toBe(true);
    await daily.stop();
    expect(failures).toEqual([]);
  });
});
