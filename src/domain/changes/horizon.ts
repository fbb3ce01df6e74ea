import { setTimeout as delay } from "node:timers/promises";
import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";

// The position up to which the change log can be read; see `logStatements` for its order.

/** The same as `HORIZON`, in a database that has written all of its entries itself. */
export const HORIZON_OF_NEW = Prisma.sql`greatest(
  pg_current_xact_id()::text::bigint,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint
)`;

/** The horizon of an entry that a statement writes: see `settledHorizon`. */
export const HORIZON = Prisma.sql`${HORIZON_OF_NEW} + earlier_transactions()`;

/**
 * The horizon of the log: nobody can write below it any more, so the log is complete there. Read it before the entries,
 * with a separate statement: a transaction that ends in between is then seen.
 *
 * An entry's horizon is not below what the next transaction's number was when the statement that writes it began, and
 * before that the statement took its lock of the table, which its transaction holds to its end. So only transactions
 * that hold this lock now can write below what the next number is now, and none below its own number. All others,
 * whatever they write and however long they stay open, delay nobody.
 */
export async function settledHorizon({ db }: Pick<Context, "db">): Promise<bigint> {
  const [now] = await db.$queryRaw<{ horizon: bigint }[]>`
    WITH next AS (
      SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS number
    ), locks AS MATERIALIZED (
      SELECT * FROM pg_locks WHERE granted
    ), writing AS (
      -- The number of a transaction has 32 bits here: it is the one that is nearest to the next.
      SELECT number + (
        (own.transactionid::text::bigint - number % 4294967296 + 6442450944) % 4294967296 - 2147483648
      ) AS number
      FROM next, locks AS log JOIN locks AS own USING (virtualtransaction)
      WHERE log.relation = 'changes'::regclass AND log.mode = 'RowExclusiveLock'
        AND log.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock'
    )
    SELECT least(min(next.number), min(writing.number)) + earlier_transactions() AS horizon
    FROM next LEFT JOIN writing ON true`;
  return BigInt(now?.horizon ?? 0);
}

/**
 * Ends a transaction that has taken a number. The number that counts is one past the last that has ended: so an
 * entry whose transaction was overtaken by the last one before it can be read only after another. A commit's
 * announcement takes a number too, but may be lost.
 */
export async function passOn({ db }: Pick<Context, "db">): Promise<void> {
  await db.$queryRaw`SELECT pg_current_xact_id()::text`;
}

/** Up to where the log is shown. */
export interface ShownHorizon {
  readonly horizon: bigint;
  /** Whether it is that of the replica, which is behind the settled one. */
  readonly isOfReplica: boolean;
}

/** The settled horizon, or that of the replica: whoever is told of a change may ask for it at once. */
export async function shownHorizon({
  db,
  replica,
}: Pick<Context, "db" | "replica">): Promise<ShownHorizon> {
  const settled = await settledHorizon({ db });
  const horizon = replica ? await replica.shown(settled) : settled;
  return { horizon, isOfReplica: horizon < settled };
}

/** The condition that an entry can be read. */
export const below = (horizon: bigint) => Prisma.sql`horizon < ${horizon}::bigint`;

/** The interval of checks whether transactions that write to the log have ended. */
export const SETTLE_MS = 20;
/** The maximum time that a reader of pages waits for them. */
const SETTLE_LIMIT_MS = 2_000;

/** A view of the log: the position up to which it could be read at one time. */
export interface LogView {
  readonly horizon: bigint;
  /** Whether all is there that was committed before `at`. */
  readonly isComplete: boolean;
  readonly at: Date;
}

/**
 * Waits until all changes that are committed now can be read, at most two seconds, and returns the view at that time.
 */
export async function viewLog(context: Context): Promise<LogView> {
  const [now] = await context.db.$queryRaw<{ at: Date; newest: string | null }[]>`
    SELECT statement_timestamp() AS at, (SELECT max(horizon)::text FROM changes) AS newest`;
  const { at, newest } = now ?? { at: new Date(), newest: null };
  const end = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    context.signal?.throwIfAborted();
    const { horizon, isOfReplica } = await shownHorizon(context);
    const isComplete = newest === null || BigInt(newest) < horizon;
    if (isComplete || performance.now() >= end) return { horizon, isComplete, at };
    await delay(SETTLE_MS);
    if (!isOfReplica) await passOn(context);
  }
}

/** The time up to which `view` is complete: it has every change that was committed before. */
export async function completeUntil({ db }: Context, view: LogView): Promise<Date> {
  if (view.isComplete) return view.at;
  // What was committed was made before, hence it was not committed before that.
  const [hidden] = await db.$queryRaw<{ at: Date | null }[]>`
    SELECT min(at) AS at FROM changes WHERE NOT ${below(view.horizon)}`;
  return hidden?.at && hidden.at < view.at ? hidden.at : view.at;
}
