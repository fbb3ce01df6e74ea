import { Prisma } from "../../database/index.js";
import { invalidRequest } from "../core/errors.js";
import type { ResourceKind } from "../core/ids.js";
import type { Keyset } from "../lists/keyset.js";
import type { Difference } from "./differences.js";
import type { ChangeAction } from "./log.js";

// The entries of the change log as they are read, and where they stand in it.

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

/** Selects changes; absent, null and an empty list mean all. */
export interface ChangeFilter {
  readonly kinds?: readonly ResourceKind[] | null | undefined;
  readonly ids?: readonly string[] | null | undefined;
  /** The API keys that made the changes; null among them stands for the bootstrap key. */
  readonly actorIds?: readonly (string | null)[] | null | undefined;
}

/** A change and its place in the log. */
export interface Entry {
  readonly change: Change;
  readonly position: LogPosition;
}

/** The position in the log; see `logStatements` for the order. */
export interface LogPosition {
  readonly horizon: string;
  readonly id: string;
}

export const BEGINNING: LogPosition = { horizon: "0", id: "0" };

/** Where an empty log begins. No entry has this horizon, so the cursor says in place of the id when the log was empty. */
export function beginningAt(time: Date): LogPosition {
  return { ...BEGINNING, id: String(time.getTime()) };
}

/** Entries are kept for a day at least, so none that came after an empty log is gone before that. */
const BEGINNING_KEPT_MS = 24 * 60 * 60 * 1000;

/** Whether `position` is where a log began that was empty less than a day ago. */
export function isBeginning({ horizon, id }: LogPosition): boolean {
  return horizon === BEGINNING.horizon && Date.now() - Number(id) < BEGINNING_KEPT_MS;
}

export const ENTRY_COLUMNS = Prisma.sql`
  found.id::text, found.horizon::text, at, operation_id, actor_id, found.kind, found.resource_id, action, version,
  differences`;

/** The order of the log, whose rows are called `row`. */
export function inLog(row: string): Keyset {
  return { key: [Prisma.raw(`${row}.horizon`), Prisma.raw(`${row}.id`)], direction: "asc" };
}

export function keyAt({ horizon, id }: LogPosition): Prisma.Sql[] {
  return [Prisma.sql`${horizon}::bigint`, Prisma.sql`${id}::bigint`];
}

export function readCursor(cursor: string, argument: string): LogPosition {
  const position = positionOf(cursor);
  if (position) return position;
  throw invalidRequest([{ path: [argument], message: "is not a cursor of the change log" }]);
}

/** Both numbers in base 36, so that a cursor looks like any other id. */
export function cursorOf({ horizon, id }: LogPosition): string {
  return `chg_${BigInt(horizon).toString(36)}Z${BigInt(id).toString(36)}`;
}

const CURSOR = /^chg_([0-9a-z]{1,12})Z([0-9a-z]{1,12})$/;

function positionOf(cursor: string): LogPosition | null {
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

export function toEntry(columns: Readonly<Record<string, unknown>>): Entry {
  // The same columns as `ENTRY_COLUMNS`, as `writeChanges` stores them.
  const row = columns as unknown as ChangeColumns;
  const change = {
    id: cursorOf(row),
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
