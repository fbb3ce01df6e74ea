import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import type { ResourceKind } from "../core/ids.js";
import { type CountChanges, changeCounts, storeCounts } from "../storage/counts.js";
import {
  changeHostports,
  type HostportChange,
  storeHostportClaims,
} from "../storage/hostport-claims.js";
import type { Resource } from "../storage/rows.js";
import { changeUses, noUseChanges, storeUseMarks, type UseChanges } from "../storage/use-marks.js";
import { type Difference, differencesOf } from "./differences.js";
import { HORIZON } from "./horizon.js";

// Each transaction writes its own changes to the log, so no change is missing and none was rolled back.

const CHANGE_ACTIONS = ["created", "updated", "deleted"] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

interface LoggedChange {
  readonly kind: ResourceKind;
  readonly resourceId: string;
  readonly action: ChangeAction;
  readonly version: number;
  /** A label for people, which is not kept. */
  readonly label: string;
  readonly differences: readonly Difference[];
}

/** The changes of one transaction, in order. They are written to the log as its last step. */
export interface ChangeSet {
  readonly entries: LoggedChange[];
  readonly counts: CountChanges;
  readonly hostports: HostportChange[];
  readonly uses: UseChanges;
}

export function emptyChangeSet(): ChangeSet {
  return { entries: [], counts: new Map(), hostports: [], uses: noUseChanges() };
}

/** A context that logs its changes: that of a transaction. */
interface Logged {
  readonly changeSet: ChangeSet;
}

/** Logs that `row` is new; returns it. */
export function created<Changed extends Resource>(
  { changeSet }: Logged,
  kind: ResourceKind,
  row: Changed,
): Changed {
  record(changeSet, kind, null, row);
  return row;
}

/** Logs the differences between `before` and `after`; returns `after`. */
export function updated<Changed extends Resource>(
  { changeSet }: Logged,
  kind: ResourceKind,
  before: Changed,
  after: Changed,
): Changed {
  record(changeSet, kind, before, after);
  return after;
}

/** Logs that `row` was deleted. */
export function deleted({ changeSet }: Logged, kind: ResourceKind, row: Resource): void {
  record(changeSet, kind, row, null);
}

/** Adds one change to `changeSet`. A state is null before creation and after deletion. */
export function record(
  { entries, counts, hostports, uses }: ChangeSet,
  kind: ResourceKind,
  before: Resource | null,
  after: Resource | null,
): void {
  const row = after ?? before;
  if (!row) return;
  const action = before === null ? "created" : after === null ? "deleted" : "updated";
  const differences = differencesOf(before, after);
  const { id: resourceId, version } = row;
  const label = labelOf(row) || (before ? labelOf(before) : "");
  entries.push({ kind, resourceId, action, version, label, differences });
  changeCounts(counts, kind, before, after);
  changeHostports(hostports, kind, before, after);
  changeUses(uses, kind, before, after);
}

type Labelled = Resource &
  Partial<
    Record<"matchType" | "match" | "action" | "cidr" | "address" | "addr" | "domain", string>
  > & {
    readonly hostports?: readonly string[];
  };

/** What tells a resource from others: a route by its match, a rule by its network, others by what people call them. */
function labelOf(row: Labelled): string {
  if (row.match !== undefined) return `${row.matchType} ${row.match}`;
  if (row.cidr !== undefined) return `${row.action} ${row.cidr}`;
  const { description, hostports, address, addr, domain } = row;
  return description || hostports?.[0] || address || addr || domain || "";
}

/**
 * The statements that write `changeSet`, as common table expressions. They have to run after every lock of the
 * transaction is taken.
 *
 * Readers take entries in the order of (`horizon`, `id`), and only those whose horizon nobody can write below any
 * more (`settledHorizon`). So nothing appears behind a reader's back, though transactions commit in another order
 * than they begin in. A horizon is never below the number of its own transaction, nor that of one that had ended
 * when the statement began, so the entries of one resource, whose row is locked, keep their order.
 */
function logStatements(context: Context, changeSet: ChangeSet): Prisma.Sql[] {
  const { actor, operationId } = context;
  const { entries, counts, hostports, uses } = changeSet;
  const log = Prisma.sql`
    INSERT INTO changes (horizon, at, operation_id, actor_id, kind, resource_id, action, version, differences)
    SELECT
      ${HORIZON}, now(), ${operationId}, ${actor.keyId}, kind, resource_id, action, version, differences::json
    FROM unnest(
      ${entries.map(({ kind }) => kind)}::text[],
      ${entries.map(({ resourceId }) => resourceId)}::text[],
      ${entries.map(({ action }) => action)}::text[],
      ${entries.map(({ version }) => version)}::integer[],
      ${entries.map(({ differences }) => JSON.stringify(differences))}::text[]
    ) WITH ORDINALITY AS entry(kind, resource_id, action, version, differences, position)
    ORDER BY position`;
  return [
    log,
    ...(counts.size > 0 ? [storeCounts(counts)] : []),
    ...(hostports.length > 0 ? [storeHostportClaims(hostports)] : []),
    ...storeUseMarks(uses),
  ];
}

/** Writes the changes of a transaction to the log, as its last statement. */
export async function writeChanges(transaction: Context & Logged): Promise<void> {
  const { db, changeSet } = transaction;
  if (changeSet.entries.length === 0) return;
  await db.$executeRaw`${inOneStatement(logStatements(transaction, changeSet))}`;
}

/** Runs `statement`, which makes the one change of `changeSet`, together with the statements that log it. */
export async function writeWithChanges(
  context: Context,
  statement: Prisma.Sql,
  changeSet: ChangeSet,
): Promise<void> {
  const { text, values } = inOneStatement([...logStatements(context, changeSet), statement]);
  await context.executeAlone(text, values);
}

/** One statement that runs all of them. */
function inOneStatement(statements: readonly Prisma.Sql[]): Prisma.Sql {
  const parts = statements.map((part, index) => {
    const name = Prisma.raw(`part${index}`);
    return Prisma.sql`${name} AS (${part})`;
  });
  return Prisma.sql`WITH ${Prisma.join(parts)} SELECT`;
}

/** Newer entries that a look for those of an actor takes; when there are more, some may be. */
const MOST_NEWER = 1_000;

/**
 * The condition that `actor` may have changed something at or above `horizon`; both are SQL. The horizon stands in a query
 * of its own: seeing its value, PostgreSQL would plan the statement anew each time, for ten times what it costs.
 */
export function changedSince(horizon: string, actor: string): string {
  return `(
    SELECT count(*) > ${MOST_NEWER} OR coalesce(bool_or(actor_id IS NOT DISTINCT FROM ${actor}), false) FROM (
      SELECT actor_id FROM changes WHERE horizon >= (SELECT ${horizon}::bigint)
      ORDER BY horizon, id LIMIT ${MOST_NEWER + 1}
    ) AS newer
  )`;
}

/** Entries that one statement deletes. */
const PRUNE_BATCH = 5_000;

/** Deletes the entries from before `time`; returns how many. */
export async function pruneChanges({ db }: Pick<Context, "db">, time: Date): Promise<number> {
  for (let pruned = 0; ; ) {
    const count = await db.$executeRaw`
      DELETE FROM changes WHERE (horizon, id) IN (
        SELECT horizon, id FROM (
          SELECT horizon, id, at FROM changes ORDER BY horizon, id LIMIT ${PRUNE_BATCH}
        ) AS oldest WHERE at < ${time}
      )`;
    pruned += count;
    if (count < PRUNE_BATCH) return pruned;
  }
}
