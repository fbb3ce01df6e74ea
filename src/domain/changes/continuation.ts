import { type Database, Prisma, type TransactionClient } from "../../database/index.js";

// The log is ordered by the numbers of transactions, and a database that takes over the rows of another one counts its own
// anew: one that was restored from a dump, or that follows one of another major version. So the function
// `earlier_transactions` of the database says what is added to each number that is compared with stored ones.

/**
 * Has the log go on where it ended, when the database has rows of another one that had counted further: otherwise new entries
 * would come before old ones, and the old ones would not be shown. Cursors of followers stay good. Returns whether that
 * was needed. `db` has no time limits. Safe when several processes start at once.
 */
export async function continueLog(db: Database): Promise<boolean> {
  if ((await entriesAhead(db)) === 0n) return false;
  return db.$transaction(async (inside) => {
    await inside.$executeRaw`LOCK TABLE changes IN SHARE ROW EXCLUSIVE MODE`;
    const ahead = await entriesAhead(inside);
    if (ahead === 0n) return false;
    const [now] = await inside.$queryRaw<
      { earlier: bigint }[]
    >`SELECT earlier_transactions() AS earlier`;
    const earlier = Prisma.raw(`${(now?.earlier ?? 0n) + ahead}`);
    await inside.$executeRaw`
      CREATE OR REPLACE FUNCTION earlier_transactions() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
      AS 'SELECT ${earlier}::bigint'`;
    return true;
  });
}

/**
 * What lacks to the numbers of transactions so that the next one comes after all entries: 0 in a database that wrote these
 * itself, since none has a horizon above the number that was next when it was written.
 */
export async function entriesAhead(db: TransactionClient): Promise<bigint> {
  const [found] = await db.$queryRaw<{ ahead: bigint | null }[]>`
    SELECT max(horizon) - pg_snapshot_xmax(pg_current_snapshot())::text::bigint - earlier_transactions() AS ahead
    FROM changes`;
  const ahead = found?.ahead ?? 0n;
  return ahead > 0n ? ahead + 1n : 0n;
}
