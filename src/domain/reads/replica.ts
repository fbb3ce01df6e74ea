import { setTimeout as sleep } from "node:timers/promises";
import {
  isConnectionError,
  type ReplicaConnection,
  sqlStateOf,
  within,
} from "../../database/index.js";
import { settledHorizon } from "../changes/horizon.js";
import type { Replica, Services } from "../core/context.js";

// Queries read from a replica what it has: what the primary had a little earlier.

/** The minimum time between two looks at how far the replica has come. There are none while nobody reads. */
const LOOK_EVERY_MS = 50;
/** The same after a look that failed. */
const LOOK_AGAIN_AFTER_MS = 1_000;
const POLL_EVERY_MS = 5;
/** The time that a look may wait for an answer. */
const ANSWER_LIMIT_MS = 1_000;
/** The maximum age of the state that queries read. */
const MOST_LAG_MS = 3_000;

/** What the last look found: the replica has all that was committed at a time. */
interface Known {
  /** All entries of the change log below it are among that. */
  readonly horizon: bigint;
  /** The time, as `performance.now()` tells it. */
  readonly at: number;
  /** The connections that had been lost. */
  readonly losses: number;
}

/**
 * The replica behind `connection`. While it cannot be reached, is no replica of the database, or has a state that is more
 * than three seconds old, queries read from the database itself. `report` gets the reason when that begins, and null
 * when it ends, or the replica is used for the first time.
 */
export function createReplica(
  { db, readTexts, meter }: Pick<Services, "db" | "readTexts" | "meter">,
  connection: ReplicaConnection,
  report: (reason: unknown) => void,
): Replica {
  let known: Known | null = null;
  let isReported: boolean | null = null;
  let looking: Promise<void> | null = null;
  let nextLook = 0;
  /** Of those who wait for an answer of the replica. */
  const giveUps = new Set<() => void>();

  const use = (found: Known) => {
    known = found;
    if (isReported !== true) report(null);
    isReported = true;
  };

  const drop = (reason: unknown) => {
    if (connection.isClosed()) return;
    known = null;
    for (const giveUp of giveUps) giveUp();
    if (isReported !== false) report(reason);
    isReported = false;
  };

  const look = async () => {
    const at = performance.now();
    nextLook = at + LOOK_EVERY_MS;
    try {
      const losses = connection.losses();
      const horizon = await settledHorizon({ db });
      await untilCaughtUp({ readTexts }, connection);
      use({ horizon, at, losses });
    } catch (error) {
      drop(error);
      nextLook = performance.now() + LOOK_AGAIN_AFTER_MS;
    }
    looking = null;
  };

  /** Of no request: several wait for it, and those that only begin it do not. */
  const beginLook = (): Promise<void> => {
    looking ??= meter ? meter.sendShared(look) : look();
    return looking;
  };

  const usable = (): Known | null => {
    const now = performance.now();
    if (now >= nextLook) void beginLook();
    const isUsable = known && now - known.at <= MOST_LAG_MS && known.losses === connection.losses();
    return isUsable ? known : null;
  };

  /** Null when the replica fails, or is dropped meanwhile. */
  const fromReplica = (text: string, values: readonly unknown[]) =>
    new Promise<string[] | null>((resolve, reject) => {
      const giveUp = () => resolve(null);
      giveUps.add(giveUp);
      connection
        .readTexts(text, values)
        .then(resolve, (error: unknown) => {
          if (!isOfReplica(error)) return reject(error);
          if (!isConflict(error)) drop(error);
          resolve(null);
        })
        .finally(() => giveUps.delete(giveUp));
    });

  return {
    horizon: () => usable()?.horizon ?? null,
    async seenHorizon() {
      if (!usable() && isReported !== false) await beginLook();
      return usable()?.horizon ?? null;
    },
    async readTexts(text, values) {
      const from = usable();
      const found = from && (await fromReplica(text, values));
      const texts = from?.losses === connection.losses() ? found : null;
      meter?.readFrom(texts ? "replica" : "primary");
      return texts ?? readTexts(text, values);
    },
  };
}

/**
 * Resolves when the replica has all that was committed at the time of the call. Throws when it is no replica of the
 * database, cannot be reached, or is more than three seconds behind.
 */
export async function untilCaughtUp(
  { readTexts }: Pick<Services, "readTexts">,
  replica: Pick<ReplicaConnection, "readTexts">,
): Promise<void> {
  const end = performance.now() + MOST_LAG_MS;
  await untilReplayed(replica, await positionOf(readTexts), end);
}

/** The services for queries of this caller, who is shown all that their key has changed. */
export function servicesForQueries(
  services: Services,
  { isReplicated }: { readonly isReplicated: boolean },
): Services {
  const { replica } = services;
  return replica && isReplicated ? { ...services, readTexts: replica.readTexts } : services;
}

/**
 * Whether an error is none of the statement itself: the connection, a restart, or the replay of a change that needs what
 * the statement reads.
 */
function isOfReplica(error: unknown): boolean {
  const state = sqlStateOf(error) ?? "";
  return isConnectionError(error) || OF_REPLICA.some((begin) => state.startsWith(begin));
}

const OF_REPLICA = ["08", "40", "53", "57P"];

/** Whether the replica cancelled the statement for the sake of its replay. */
function isConflict(error: unknown): boolean {
  return sqlStateOf(error)?.startsWith("40") ?? false;
}

/** A state of the primary. */
interface Position {
  /** Where its log of writes ended. */
  readonly lsn: string;
  /** What all copies of a server have in common. */
  readonly system: string;
}

async function positionOf(readTexts: Services["readTexts"]): Promise<Position> {
  const texts = await readTexts(
    `SELECT unnest(ARRAY[${END_OF_COMMITS}::text, system_identifier::text])
     FROM pg_control_system()`,
    [],
  );
  const [lsn = "", system = ""] = texts;
  return { lsn, system };
}

/** A commit is flushed before anyone sees it, unless the operator of the database has said otherwise. */
const END_OF_COMMITS = `
  CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END`;

/** Resolves when the replica has this state of its primary. Throws when it does not until `end`. */
async function untilReplayed(
  { readTexts }: Pick<ReplicaConnection, "readTexts">,
  { lsn, system }: Position,
  end: number,
): Promise<void> {
  while (performance.now() < end) {
    const [state] = await within(ANSWER_LIMIT_MS, readTexts(STATE, [lsn, system]));
    if (state === "replayed") return;
    if (state !== "behind") throw new Error(`DATABASE_READ_URL leads to ${state}.`);
    await sleep(POLL_EVERY_MS);
  }
  throw new Error(`The replica is more than ${MOST_LAG_MS / 1_000} seconds behind.`);
}

const STATE = `
  SELECT CASE
    WHEN system_identifier::text <> $2 THEN 'no replica of the database'
    WHEN NOT pg_is_in_recovery() THEN 'a server that takes changes itself'
    WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN 'replayed'
    ELSE 'behind'
  END FROM pg_control_system()`;
