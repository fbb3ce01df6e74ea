import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePassable, REMOVE } from "../disk/trees.js";
import type { Backup } from "./backup.js";
import { readManifest } from "./manifest.js";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A server that has just started has other things to do, and may soon be stopped again. */
const FIRST_LOOK_MS = 5 * MINUTE_MS;
const LOOK_EVERY_MS = 10 * MINUTE_MS;
const TRY_AGAIN_MS = 60 * MINUTE_MS;
/** A copy that takes longer to give up is left to the end of the process, and removed by the next one. */
const STOP_LIMIT_MS = 5_000;

const NAME = /^\d{8}T\d{6}Z$/;
const UNFINISHED = /^\d{8}T\d{6}Z\.new-/;

export interface DailyTimes {
  /** The milliseconds before the first look at what is there, and between looks. Default 5 and 10 minutes. */
  readonly firstLookMs?: number;
  readonly lookEveryMs?: number;
}

export interface DailyOptions extends DailyTimes {
  /** Where the copies are, each in a folder named by its time. */
  readonly folder: string;
  /** Copies that are kept: 1 or more. */
  readonly days: number;
  /** Of the database. Copies of others are left alone. */
  readonly systemIdentifier: string;
  /** Of those whose data it took over. */
  readonly earlierIdentifiers: readonly string[];
  make(target: string, signal: AbortSignal): Promise<Backup>;
  onMade(backup: Backup): void;
  /** The next try is an hour later. */
  onFailed(error: unknown): void;
}

export interface DailyBackups {
  stop(): Promise<void>;
}

/** A copy that is kept. */
interface Kept {
  readonly path: string;
  /** Of this database, not of one before it. */
  readonly isOwn: boolean;
  readonly madeAt: number;
}

/**
 * Makes a backup whenever the newest one in the folder is older than a day, and removes the oldest ones once a new one is
 * there. So it does not matter how often the process is started. Goes on until it is stopped.
 */
export function keepDailyBackups(options: DailyOptions): DailyBackups {
  const { firstLookMs = FIRST_LOOK_MS, lookEveryMs = LOOK_EVERY_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  const work = async () => {
    await wait(firstLookMs);
    while (!signal.aborted) {
      try {
        await makeWhenDue(options, signal);
        await wait(lookEveryMs);
      } catch (error) {
        if (signal.aborted) return;
        options.onFailed(error);
        await wait(TRY_AGAIN_MS);
      }
    }
  };
  const working = work();
  return {
    async stop() {
      stopping.abort(new Error("The server stops."));
      await Promise.race([working, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}

/** Makes a backup when the newest one is older than a day, and removes the oldest when it is there. */
export async function makeWhenDue(options: DailyOptions, signal: AbortSignal): Promise<void> {
  const before = await keptIn(options);
  if (!isDue(before)) return;
  await prepare(options.folder);
  const name = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  options.onMade(await options.make(path.join(options.folder, name), signal));
  const kept = await keptIn(options);
  for (const { path } of kept.slice(options.days)) {
    // One that is removed in part has not the name of a whole one.
    const removed = `${path}.new-removed`;
    await rename(path, removed);
    await rm(removed, REMOVE);
  }
}

function isDue(kept: readonly Kept[]): boolean {
  const newest = kept.find(({ isOwn }) => isOwn);
  return newest === undefined || Date.now() - newest.madeAt >= DAY_MS;
}

/** The backups of the database and of those before it, newest first. One of a time to come was made with a wrong clock, and counts as the oldest. */
async function keptIn({
  folder,
  systemIdentifier,
  earlierIdentifiers,
}: DailyOptions): Promise<Kept[]> {
  const known = [systemIdentifier, ...earlierIdentifiers];
  const names = await dailyNames(folder);
  const all = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      return { path: file, manifest: await readManifest(file).catch(() => null) };
    }),
  );
  return all
    .flatMap(({ path, manifest }) => {
      if (manifest === null || !known.includes(manifest.systemIdentifier)) return [];
      const isOwn = manifest.systemIdentifier === systemIdentifier;
      return [{ path, isOwn, madeAt: pastOf(Date.parse(manifest.madeAt)) }];
    })
    .sort((a, b) => b.madeAt - a.madeAt);
}

function pastOf(time: number): number {
  return time > Date.now() ? 0 : time;
}

/** The names of the backups in `folder`, newest first; none when the folder is not there. */
export async function dailyNames(folder: string): Promise<string[]> {
  return (await namesIn(folder))
    .filter((name) => NAME.test(name))
    .sort()
    .reverse();
}

/** Makes the folder, and removes what a killed process left in it. */
async function prepare(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await makePassable(folder);
  for (const name of await namesIn(folder)) {
    if (UNFINISHED.test(name)) await rm(path.join(folder, name), REMOVE);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
