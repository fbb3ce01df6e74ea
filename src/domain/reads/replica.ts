import { setTimeout as sleep } from "node:timers/promises";
import { type ReplicaConnection, sqlStateOf, within } from "../../database/index.js";
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
  let timer: NodeJS.Timeout | undefined;
  /** The highest that the log was shown up to without the replica: queries wait until it has that. */
  let shownAlone = 0n;
  /** Of those who wait for an answer of the replica. */
  const giveUps = new Set<() => void>();

  const use = (found: Known) => {
    known = found;
    if (isReported !== true) report(null);
    isReported = true;
  };

  const drop = (reason: unknown) => {
    known = null;
    for (const giveUp of giveUps) giveUp();
    if (isReported !== false && !connection.isClosed()) report(reason);
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
    watch();
  };

  /** Of no request: several wait for it, and those that only begin it do not. */
  const beginLook = (): Promise<void> => {
    looking ??= meter ? meter.sendShared(look) : look();
    return looking;
  };

  /** Looks on while somebody waits for an answer, who would wait long for one that does not come. */
  const watch = () => {
    if (timer || looking || giveUps.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        if (giveUps.size > 0) void beginLook();
      },
      Math.max(0, nextLook - performance.now()),
    ).unref();
  };

  const seen = (): Known | null => {
    const now = performance.now();
    if (now >= nextLook && !connection.isClosed()) void beginLook();
    const isSeen = known && now - known.at <= MOST_LAG_MS && known.losses === connection.losses();
    return isSeen ? known : null;
  };

  const usable = (): Known | null => {
    const found = seen();
    return found && found.horizon >= shownAlone ? found : null;
  };

  /** Null when the replica fails, or is dropped meanwhile: the database itself is asked then. */
  const fromReplica = (text: string, values: readonly unknown[]) =>
    new Promise<string[] | null>((resolve, reject) => {
      const giveUp = () => resolve(null);
      giveUps.add(giveUp);
      watch();
      connection
        .readTexts(text, values)
        .then(resolve, (error: unknown) => {
          if (sqlStateOf(error) === OUT_OF_TIME) reject(error);
          else resolve(null);
        })
        .finally(() => giveUps.delete(giveUp));
    });

  const readPrimaryTexts: Replica["readPrimaryTexts"] = (text, values) => {
    meter?.readFrom("primary");
    return readTexts(text, values);
  };

  return {
    horizon: () => usable()?.horizon ?? null,
    async shown(settled) {
      if (!seen() && isReported !== false) await beginLook();
      const found = seen();
      if (found) return found.horizon < settled ? found.horizon : settled;
      if (settled > shownAlone) shownAlone = settled;
      return settled;
    },
    async readTexts(text, values) {
      const from = usable();
      const found = from && (await fromReplica(text, values));
      const texts = from?.losses === connection.losses() ? found : null;
      if (!texts) return readPrimaryTexts(text, values);
      meter?.readFrom("replica");
      return texts;
    },
    readPrimaryTexts,
  };
}

/** PostgreSQL's code for a statement that took too long. It would take as long elsewhere. */
const OUT_OF_TIME = "57014";

/**
 * Resolves when the replica has all that was committed at the time of the call. Throws when it is no replica of the
 * database, cannot be reached, or is more than three seconds behind.
 */
export async function untilCaughtUp(
  { readTexts }: Pick<Services, "readTexts">,
  replica: Pick<ReplicaConnection, "lookTexts">,
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
  if (!replica) return services;
  const { readTexts, readPrimaryTexts } = replica;
  return { ...services, readTexts: isReplicated ? readTexts : readPrimaryTexts };
}

/** A state of the database. */
interface Position {
  /** Where the log of writes of its server ended. */
  readonly lsn: string;
  /** What all copies of it have in common. */
  readonly identity: string;
}

/** Of the server, of the database among all of that server, and of the tables among all of that database. */
const IDENTITY = `concat_ws(' ', system_identifier,
  (SELECT oid FROM pg_database WHERE datname = current_database()), to_regclass('changes')::oid)`;

async function positionOf(readTexts: Services["readTexts"]): Promise<Position> {
  const texts = await readTexts(
    `SELECT unnest(ARRAY[${END_OF_COMMITS}::text, ${IDENTITY}]) FROM pg_control_system()`,
    [],
  );
  const [lsn = "", identity = ""] = texts;
  return { lsn, identity };
}

/** A commit is flushed before anyone sees it, unless the operator of the database has said otherwise. */
const END_OF_COMMITS = `
  CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END`;

/** Resolves when the replica has this state of its primary. Throws when it does not until `end`. */
async function untilReplayed(
  { lookTexts }: Pick<ReplicaConnection, "lookTexts">,
  { lsn, identity }: Position,
  end: number,
): Promise<void> {
  while (performance.now() < end) {
    const [state] = await within(ANSWER_LIMIT_MS, lookTexts(STATE, [lsn, identity]));
    if (state === "replayed") return;
    if (state !== "behind") throw new Error(`DATABASE_READ_URL leads to ${state}.`);
    await sleep(POLL_EVERY_MS);
  }
  throw new Error(`The replica is more than ${MOST_LAG_MS / 1_000} seconds behind.`);
}

const STATE = `
  SELECT CASE
    WHEN ${IDENTITY} <> $2 THEN 'no replica of the database'
    WHEN NOT pg_is_in_recovery() THEN 'a server that takes changes itself'
    WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN 'replayed'
    ELSE 'behind'
  END FROM pg_control_system()`;
