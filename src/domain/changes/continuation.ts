import { type Database, Prisma, sqlStateOf, type TransactionClient } from "../../database/index.js";

// The log is ordered by the numbers of transactions, and each server counts its own: so in a database with the rows of another
// one, restored from a dump or taken over from an earlier major version, new entries would come before old ones. The function
// `earlier_transactions` of the database says what is added to each number that is stored or compared with stored ones.

const TIMEOUT_MS = 600_000;
const INSUFFICIENT_PRIVILEGE = "42501";

/** What is to be added so that a new entry comes after the last one. 0 for a database that has written all entries itself. */
interface Gap {
  readonly transactions: bigint;
  readonly ids: bigint;
}

/** Whether new entries come after all that are there. */
export async function isLogInOrder(db: TransactionClient): Promise<boolean> {
  const { transactions, ids } = await gapOf(db);
  return transactions === 0n && ids === 0n;
}

/**
 * Has the log go on after its last entry where it would not. Cursors of followers stay good. Returns whether that was
 * needed. `db` has no time limits. Safe when several processes do so at once. Throws an Error that says what to do when the
 * user of the database may not.
 */
export async function continueLog(db: Database): Promise<boolean> {
  if (await isLogInOrder(db)) return false;
  try {
    return await db.$transaction(closeGap, { timeout: TIMEOUT_MS });
  } catch (error) {
    if (sqlStateOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(
      "The database has the change log of another server, and only the owner of its tables can have it go on: run edgeplane migrate with that user in DATABASE_URL.",
    );
  }
}

async function closeGap(db: TransactionClient): Promise<boolean> {
  await db.$executeRaw`LOCK TABLE changes IN SHARE ROW EXCLUSIVE MODE`;
  const gap = await gapOf(db);
  if (gap.transactions > 0n) await addEarlier(db, gap.transactions);
  if (gap.ids > 0n) {
    await db.$executeRaw`
      SELECT setval('changes_id_seq', greatest(last_value, (SELECT max(id) FROM changes)))
      FROM changes_id_seq`;
  }
  return gap.transactions > 0n || gap.ids > 0n;
}

async function addEarlier(db: TransactionClient, more: bigint): Promise<void> {
  const [now] = await db.$queryRaw<{ earlier: bigint; schema: string }[]>`
    SELECT earlier_transactions() AS earlier, quote_ident(nspname) AS schema
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE pg_proc.oid = 'earlier_transactions()'::regprocedure`;
  if (!now) throw new Error("The database has no function earlier_transactions.");
  const earlier = Prisma.raw(`${now.earlier + more}`);
  await db.$executeRaw`
    CREATE OR REPLACE FUNCTION ${Prisma.raw(now.schema)}.earlier_transactions() RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT ${earlier}::bigint'`;
}

/** No entry has a horizon above the number of the transaction that was next when it was written, nor an id above the last. */
async function gapOf(db: TransactionClient): Promise<Gap> {
  const [last] = await db.$queryRaw<Gap[]>`
    SELECT horizon - pg_snapshot_xmax(pg_current_snapshot())::text::bigint - earlier_transactions() AS transactions,
      id - (SELECT last_value FROM changes_id_seq) AS ids
    FROM changes ORDER BY horizon DESC, id DESC LIMIT 1`;
  const { transactions, ids } = last ?? { transactions: 0n, ids: 0n };
  return { transactions: transactions > 0n ? transactions + 1n : 0n, ids: ids > 0n ? ids : 0n };
}
