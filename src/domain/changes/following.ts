import { setTimeout as delay } from "node:timers/promises";
import DataLoader from "dataloader";
import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { DomainError } from "../core/errors.js";
import { inRange, orderBy } from "../lists/keyset.js";
import { readJsonRows } from "../storage/json-rows.js";
import {
  BEGINNING,
  type Change,
  type ChangeFilter,
  cursorOf,
  ENTRY_COLUMNS,
  type Entry,
  inLog,
  isBeginning,
  keyAt,
  type LogPosition,
  readCursor,
  toEntry,
} from "./entries.js";
import { below, passOn, SETTLE_MS, shownHorizon } from "./horizon.js";
import { lastPosition } from "./listing.js";

/** Entries that one reading takes from the log while following it. */
const BATCH = 100;
/** Followers of one process. */
const MOST_FOLLOWERS = 1_000;

/** How far a follower has come. */
interface Progress {
  /** The time of the last change that it was given, or since when the log is held up; null when it has all. */
  behindSince: number | null;
}

const followersByDatabase = new WeakMap<object, Map<AbortSignal, Progress>>();

/** The followers of the log of one database, in this process. */
export interface FollowersState {
  readonly count: number;
  /** Milliseconds by which the slowest is behind; 0 when all have all. */
  readonly lagMs: number;
}

export function followersState({ db }: Pick<Context, "db">): FollowersState {
  const followers = [...(followersByDatabase.get(db)?.values() ?? [])];
  const now = Date.now();
  // The clock of the database is not ours.
  const lags = followers.map(({ behindSince }) => Math.max(0, now - (behindSince ?? now)));
  return { count: followers.length, lagMs: Math.max(0, ...lags) };
}

/** The item that a follower gets. Followers at the same position get the same object. */
export type Followed =
  | Entry
  /** The log has been held up for seconds behind `after`, the cursor to go on from; null where it begins. */
  | { readonly heldUp: DomainError; readonly after: string | null };

/** Where to begin. */
export interface Start {
  /** The last change that the follower has seen. */
  readonly cursor: string;
  /** What the caller gave it in, for refusals. */
  readonly name: string;
}

/** The time that the log may be delayed before its followers get a notice. */
const HELD_UP_MS = 5_000;
/** The maximum time between two reads of a delayed log. */
const MOST_SETTLE_MS = 1_000;

/**
 * Follows the changes that match `filter`, in the order of the log, after they are committed. Starts after `after`, or
 * now when it is null. When the log is delayed, the follower gets one notice, and the delayed changes later. The
 * follower always gets the deletion of the caller's own key, since it may get nothing after it. Ends when the process
 * stops, and within two seconds after `gone` is aborted. Throws INVALID_REQUEST when `after` is not a cursor of the
 * log, GONE when the log no longer has it, and UNAVAILABLE when there are too many followers.
 */
export async function followChanges(
  context: Context,
  filter: ChangeFilter,
  after: Start | null,
  gone: AbortSignal,
): Promise<AsyncGenerator<Followed, void>> {
  const followers = followersByDatabase.get(context.db) ?? new Map();
  followersByDatabase.set(context.db, followers);
  if (followers.size >= MOST_FOLLOWERS) {
    throw new DomainError(
      "UNAVAILABLE",
      `This process already serves ${MOST_FOLLOWERS} subscriptions. Try again in a moment.`,
    );
  }
  // A client that has already disconnected gets no further call.
  const progress: Progress = { behindSince: null };
  if (!gone.aborted) followers.set(gone, progress);
  gone.addEventListener("abort", () => followers.delete(gone), { once: true });
  const start = await (after === null ? presentEnd(context) : heldPosition(context, after));
  return changesAfter(context, filter, start, progress, gone);
}

async function* changesAfter(
  context: Context,
  filter: ChangeFilter,
  start: LogPosition,
  progress: Progress,
  gone: AbortSignal,
): AsyncGenerator<Followed, void> {
  const { changeSignal } = context;
  let position = start;
  let heldSince = Number.POSITIVE_INFINITY;
  let isTold = false;
  let announced: Promise<void> | undefined;
  while (!changeSignal.closed && !gone.aborted) {
    // Before the reading, so that no announcement falls in between.
    announced ??= changeSignal.next();
    const reading = await readNext(context, position);
    const { entries, unsettled } = reading;
    for (const entry of entries) {
      position = entry.position;
      progress.behindSince = entry.change.at.getTime();
      if (passes(filter, entry.change) || isRevocation(context, entry.change)) yield entry;
    }
    if (entries.length > 0 || !unsettled) {
      heldSince = Number.POSITIVE_INFINITY;
      isTold = false;
    }
    if (entries.length === BATCH) continue;
    if (!unsettled) {
      progress.behindSince = null;
      await announced;
      announced = undefined;
      continue;
    }
    heldSince = Math.min(heldSince, performance.now());
    const held = performance.now() - heldSince;
    progress.behindSince = Date.now() - held;
    if (held >= HELD_UP_MS && !isTold) {
      isTold = true;
      yield { heldUp: heldUp(), after: position === BEGINNING ? null : cursorOf(position) };
    }
    // The longer it lasts, the less often it is looked at.
    const wait = Math.max(SETTLE_MS, Math.min(held / 10, MOST_SETTLE_MS));
    reading.pause ??= delay(wait, undefined, { ref: false });
    await reading.pause;
  }
}

function heldUp(): DomainError {
  return new DomainError(
    "UNAVAILABLE",
    "A database transaction that wrote to the change log stays open and delays the log. No change is lost: the delayed changes follow here when the transaction ends, or after you reconnect with the id of the last event.",
  );
}

interface Reading {
  readonly entries: readonly Entry[];
  /** There are more, which have to wait for transactions that began before. */
  readonly unsettled: boolean;
  /** Until the next reading, so that those who share one share the next. */
  pause?: Promise<void>;
}

const readersByDatabase = new WeakMap<object, DataLoader<LogPosition, Reading, string>>();

/** The next entries after `position`. Followers at the same place, as most are, share one reading. */
function readNext(context: Context, position: LogPosition): Promise<Reading> {
  const reader =
    readersByDatabase.get(context.db) ??
    new DataLoader<LogPosition, Reading, string>(
      (positions) => {
        reader.clearAll();
        return Promise.all(positions.map((position) => readAfter(context, position)));
      },
      {
        cacheKeyFn: ({ horizon, id }) => `${horizon} ${id}`,
        batchScheduleFn: (dispatch) => setImmediate(dispatch),
      },
    );
  readersByDatabase.set(context.db, reader);
  return reader.load(position);
}

async function readAfter(context: Context, position: LogPosition): Promise<Reading> {
  const { horizon, isOfReplica } = await shownHorizon(context);
  const isSettled = below(horizon);
  const rows = await readJsonRows(
    context,
    Prisma.sql`
      SELECT ${ENTRY_COLUMNS}, ${isSettled} AS settled FROM changes AS found
      WHERE ${Prisma.join(inRange(inLog("found"), { after: keyAt(position) }))}
      ${orderBy(inLog("found"))} LIMIT ${BATCH}`,
  );
  const settled = rows.filter((row) => row.settled === true);
  const unsettled = settled.length < rows.length;
  if (unsettled && !isOfReplica) await passOn(context);
  return { entries: settled.map(toEntry), unsettled };
}

/** The end of the log as it stands. */
async function presentEnd(context: Context): Promise<LogPosition> {
  const { horizon } = await shownHorizon(context);
  return (await lastPosition(context, horizon)) ?? BEGINNING;
}

/** The place of `cursor`, which the log must still hold, else what followed it may be gone too. */
async function heldPosition({ db }: Context, { cursor, name }: Start): Promise<LogPosition> {
  const position = readCursor(cursor, name);
  if (isBeginning(position)) return BEGINNING;
  const [horizon, id] = [BigInt(position.horizon), BigInt(position.id)];
  const found = await db.change.count({ where: { horizon, id } });
  if (found > 0) return position;
  throw new DomainError(
    "GONE",
    "The change log no longer has this cursor. Read the resources again, and follow the log from now.",
    [{ path: [name], message: "is older than the change log" }],
  );
}

function passes({ kinds, ids, actorIds }: ChangeFilter, change: Change): boolean {
  return (
    (!kinds?.length || kinds.includes(change.kind)) &&
    (!ids?.length || ids.includes(change.resourceId)) &&
    (!actorIds?.length || actorIds.includes(change.actorId))
  );
}

function isRevocation({ actor }: Context, { action, resourceId }: Change): boolean {
  return action === "deleted" && resourceId === actor.keyId;
}
