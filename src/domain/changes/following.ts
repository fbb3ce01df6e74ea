import { setTimeout as delay } from "node:timers/promises";
import DataLoader from "dataloader";
import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { DomainError, invalidRequest } from "../core/errors.js";
import type { ResourceKind } from "../core/ids.js";
import type { PageRequest } from "../lists/pages.js";
import { readJsonRows } from "../storage/json-rows.js";
import type { Difference } from "./differences.js";
import { below, type LogView, passOn, SETTLE_MS, settledHorizon } from "./horizon.js";
import type { ChangeAction } from "./log.js";

/** One entry of the change log. */
export interface Change {
  /** Its place in the log, and the cursor to go on from. */
  readonly id: string;
  readonly at: Date;
  /** Of the request that made the change: the same as in its `Operation-Id` header and log line. */
  readonly operationId: string;
  /** The API key that made the change; null for the bootstrap key. */
  readonly actorId: string | null;
  readonly kind: ResourceKind;
  readonly resourceId: string;
  readonly action: ChangeAction;
  /** The version of the resource after the change, or the last one of a deleted resource. */
  readonly version: number;
  readonly differences: readonly Difference[];
}

/** Which changes; absent, null and an empty list mean all. */
export interface ChangeFilter {
  readonly kinds?: readonly ResourceKind[] | null | undefined;
  readonly ids?: readonly string[] | null | undefined;
}

/** Where in the log: see `logStatements` for the order. */
interface Position {
  readonly horizon: string;
  readonly id: string;
}

const BEGINNING: Position = { horizon: "0", id: "0" };

const COLUMNS = Prisma.sql`
  found.id::text, found.horizon::text, at, operation_id, actor_id, found.kind, found.resource_id, action, version,
  differences`;

/** A page of the log as `view` shows it, oldest first. Throws INVALID_REQUEST for a cursor that is none of the log. */
export async function listChanges(
  context: Context,
  { horizon }: LogView,
  { limit, after, before, fromEnd }: PageRequest,
  filter: ChangeFilter,
): Promise<Change[]> {
  const conditions = [below(horizon)];
  if (after !== undefined) conditions.push(Prisma.sql`${PLACE} > ${rowOf(placed(after, "after"))}`);
  if (before !== undefined)
    conditions.push(Prisma.sql`${PLACE} < ${rowOf(placed(before, "before"))}`);
  const direction = Prisma.raw(fromEnd ? "DESC" : "ASC");
  const order = (of: string) => {
    const [horizon, id] = [Prisma.raw(`${of}.horizon`), Prisma.raw(`${of}.id`)];
    return Prisma.sql`ORDER BY ${horizon} ${direction}, ${id} ${direction} LIMIT ${limit}`;
  };
  const page = (filters: readonly Prisma.Sql[]) => Prisma.sql`
    SELECT * FROM changes WHERE ${Prisma.join([...conditions, ...filters], " AND ")} ${order("changes")}`;
  const found = Prisma.sql`${pagesOf(filter, page)} AS found`;
  const rows = await readJsonRows(
    context,
    Prisma.sql`SELECT ${COLUMNS} FROM ${found} ${order("found")}`,
  );
  return rows.map(toChange);
}

/** A page of each resource, or of each kind: whoever asks for few of them reads no others. */
function pagesOf(
  { kinds, ids }: ChangeFilter,
  page: (filters: readonly Prisma.Sql[]) => Prisma.Sql,
): Prisma.Sql {
  const ofKinds = kinds?.length ? [Prisma.sql`kind = ANY(${[...kinds]}::text[])`] : [];
  if (ids?.length) {
    return Prisma.sql`unnest(${[...new Set(ids)]}::text[]) AS wanted(resource_id)
      CROSS JOIN LATERAL (
        ${page([Prisma.sql`resource_id = wanted.resource_id COLLATE "C"`, ...ofKinds])})`;
  }
  if (kinds?.length) {
    return Prisma.sql`unnest(${[...new Set(kinds)]}::text[]) AS wanted(kind)
      CROSS JOIN LATERAL (${page([Prisma.sql`kind = wanted.kind`])})`;
  }
  return Prisma.sql`(${page([])})`;
}

export async function countChanges(
  context: Context,
  { horizon }: LogView,
  filter: ChangeFilter,
): Promise<number> {
  const { kinds, ids } = filter;
  return context.db.change.count({
    where: {
      horizon: { lt: horizon },
      ...(kinds?.length ? { kind: { in: [...kinds] } } : {}),
      ...(ids?.length ? { resourceId: { in: [...ids] } } : {}),
    },
  });
}

/** Entries that one reading takes from the log while following it. */
const BATCH = 100;
/** Followers of one process. */
const MOST_FOLLOWERS = 1_000;

const followersByDatabase = new WeakMap<object, Set<AbortSignal>>();

/** The same object for all followers who have come equally far. */
export interface FollowedChange {
  readonly change: Change;
}

/** What a follower gets. */
export type Followed =
  | FollowedChange
  /** The log has been held up for seconds behind `after`, the cursor to go on from; null where it begins. */
  | { readonly heldUp: DomainError; readonly after: string | null };

/** How long the log may be held up before its followers are told. */
const HELD_UP_MS = 5_000;
/** The longest time between two looks at a log that is held up. */
const MOST_SETTLE_MS = 1_000;

/**
 * The changes that `filter` lets through, as they are committed, in the order of the log: from the one after
 * `after` on, or without it from now on. When the log is held up, that is told once, and what was held back follows
 * when it no longer is. Whatever `filter` says, the caller is told when its own key is deleted: it may be told nothing
 * more. Ends when the process stops, and, when `gone` is aborted, within two seconds. Throws
 * INVALID_REQUEST when `after` is no cursor of the log, GONE when the log no longer reaches back to it, and
 * UNAVAILABLE when too many follow already.
 */
export async function followChanges(
  context: Context,
  filter: ChangeFilter,
  after: string | null,
  gone: AbortSignal,
): Promise<AsyncGenerator<Followed, void>> {
  const followers = followersByDatabase.get(context.db) ?? new Set();
  followersByDatabase.set(context.db, followers);
  if (followers.size >= MOST_FOLLOWERS) {
    throw new DomainError(
      "UNAVAILABLE",
      `This process serves ${MOST_FOLLOWERS} subscriptions already. Try again in a moment.`,
    );
  }
  // One that has gone already is not told again.
  if (!gone.aborted) followers.add(gone);
  gone.addEventListener("abort", () => followers.delete(gone), { once: true });
  const start = await (after === null ? lastPosition(context) : heldPosition(context, after));
  return changesAfter(context, filter, start, gone);
}

async function* changesAfter(
  context: Context,
  filter: ChangeFilter,
  start: Position,
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
      if (passes(filter, entry.change) || isRevocation(context, entry.change)) yield entry;
    }
    if (entries.length > 0 || !unsettled) {
      heldSince = Number.POSITIVE_INFINITY;
      isTold = false;
    }
    if (entries.length === BATCH) continue;
    if (!unsettled) {
      await announced;
      announced = undefined;
      continue;
    }
    heldSince = Math.min(heldSince, performance.now());
    const held = performance.now() - heldSince;
    if (held >= HELD_UP_MS && !isTold) {
      isTold = true;
      yield { heldUp: heldUp(), after: position === BEGINNING ? null : idOf(position) };
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
    "The change log is held up by a database transaction that has written to it and does not end. Nothing is lost: what is held back follows here when it has ended, or after a new connection from the last event's id on.",
  );
}

interface Entry extends FollowedChange {
  readonly position: Position;
}

interface Reading {
  readonly entries: readonly Entry[];
  /** There are more, which have to wait for transactions that began before. */
  readonly unsettled: boolean;
  /** Until the next reading, so that those who share one share the next. */
  pause?: Promise<void>;
}

const readersByDatabase = new WeakMap<object, DataLoader<Position, Reading, string>>();

/** The next entries after `position`. Followers at the same place, as most are, share one reading. */
function readNext(context: Context, position: Position): Promise<Reading> {
  const reader =
    readersByDatabase.get(context.db) ??
    new DataLoader<Position, Reading, string>(
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

async function readAfter(context: Context, position: Position): Promise<Reading> {
  const isSettled = below(await settledHorizon(context));
  const rows = await readJsonRows(
    context,
    Prisma.sql`
      SELECT ${COLUMNS}, ${isSettled} AS settled FROM changes AS found WHERE ${PLACE} > ${rowOf(position)}
      ORDER BY found.horizon, found.id LIMIT ${BATCH}`,
  );
  const settled = rows.filter((row) => row.settled === true);
  const unsettled = settled.length < rows.length;
  if (unsettled) await passOn(context);
  return { entries: settled.map(toEntry), unsettled };
}

/** The end of the log as it stands. */
async function lastPosition(context: Context): Promise<Position> {
  const last = await context.db.change.findFirst({
    where: { horizon: { lt: await settledHorizon(context) } },
    orderBy: [{ horizon: "desc" }, { id: "desc" }],
    select: PLACE_COLUMNS,
  });
  return last ? toPosition(last) : BEGINNING;
}

/** The place of `cursor`, which the log must still hold, else what followed it may be gone too. */
async function heldPosition({ db }: Context, cursor: string): Promise<Position> {
  const { horizon, id } = placed(cursor, "after");
  const found = await db.change.findUnique({
    where: { horizon_id: { horizon: BigInt(horizon), id: BigInt(id) } },
    select: PLACE_COLUMNS,
  });
  if (found) return toPosition(found);
  throw new DomainError(
    "GONE",
    "The change log no longer reaches back to this cursor. Read the resources anew, and follow the log from now on.",
    [{ path: ["after"], message: "is older than the change log" }],
  );
}

/** Entries that one statement deletes. */
const PRUNE_BATCH = 5_000;

/** Deletes the entries from before `time`; returns how many. */
export async function pruneChanges({ db }: Pick<Context, "db">, time: Date): Promise<number> {
  for (let pruned = 0; ; ) {
    const count = await db.$executeRaw`
      DELETE FROM changes WHERE ${PLACE} IN (
        SELECT horizon, id FROM (
          SELECT horizon, id, at FROM changes ORDER BY horizon, id LIMIT ${PRUNE_BATCH}
        ) AS oldest WHERE at < ${time}
      )`;
    pruned += count;
    if (count < PRUNE_BATCH) return pruned;
  }
}

const PLACE = Prisma.sql`(horizon, id)`;
const PLACE_COLUMNS = { horizon: true, id: true } as const;

function toPosition({ horizon, id }: { horizon: bigint; id: bigint }): Position {
  return { horizon: horizon.toString(), id: id.toString() };
}

function rowOf({ horizon, id }: Position): Prisma.Sql {
  return Prisma.sql`(${horizon}::bigint, ${id}::bigint)`;
}

function placed(cursor: string, argument: string): Position {
  const position = positionOf(cursor);
  if (position) return position;
  throw invalidRequest([{ path: [argument], message: "is not a cursor of the change log" }]);
}

function passes({ kinds, ids }: ChangeFilter, { kind, resourceId }: Change): boolean {
  return (!kinds?.length || kinds.includes(kind)) && (!ids?.length || ids.includes(resourceId));
}

function isRevocation({ actor }: Context, { action, resourceId }: Change): boolean {
  return action === "deleted" && resourceId === actor.keyId;
}

/** Both numbers in base 36, so that a cursor looks like any other id. */
function idOf({ horizon, id }: Position): string {
  return `chg_${BigInt(horizon).toString(36)}Z${BigInt(id).toString(36)}`;
}

const CURSOR = /^chg_([0-9a-z]{1,12})Z([0-9a-z]{1,12})$/;

function positionOf(cursor: string): Position | null {
  const [, horizon, id] = CURSOR.exec(cursor) ?? [];
  if (horizon === undefined || id === undefined) return null;
  return { horizon: fromBase36(horizon), id: fromBase36(id) };
}

function fromBase36(digits: string): string {
  let value = 0n;
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value.toString();
}

interface ChangeColumns {
  readonly id: string;
  readonly horizon: string;
  readonly at: string;
  readonly operation_id: string;
  readonly actor_id: string | null;
  readonly kind: ResourceKind;
  readonly resource_id: string;
  readonly action: ChangeAction;
  readonly version: number;
  readonly differences: readonly Difference[];
}

function toChange(columns: Readonly<Record<string, unknown>>): Change {
  return toEntry(columns).change;
}

function toEntry(columns: Readonly<Record<string, unknown>>): Entry {
  // The very columns of `COLUMNS`, as `writeChanges` stores them.
  const row = columns as unknown as ChangeColumns;
  const change = {
    id: idOf(row),
    at: new Date(row.at),
    operationId: row.operation_id,
    actorId: row.actor_id,
    kind: row.kind,
    resourceId: row.resource_id,
    action: row.action,
    version: row.version,
    differences: row.differences,
  };
  return { change, position: { horizon: row.horizon, id: row.id } };
}
