import type { ClientBase } from "pg";

// A database that took over the data of one of another major version counts its transactions anew, and has another system
// identifier. So it remembers what its predecessors had come to, in settings of its own.

const TRANSACTIONS = "edgeplane.earlier_transactions";
const SYSTEMS = "edgeplane.earlier_systems";

/**
 * SQL for the number of the transactions of all predecessors, which is to be added to each number of a transaction that is
 * compared with stored ones: 0 for a database that began as it is.
 */
export const EARLIER_TRANSACTIONS = `coalesce(nullif(current_setting('${TRANSACTIONS}', true), ''), '0')::bigint`;

/** SQL for the system identifiers of the database and of its predecessors, an array of text, newest first. */
export const SYSTEM_IDENTIFIERS = `(SELECT system_identifier::text FROM pg_control_system())
  || string_to_array(coalesce(current_setting('${SYSTEMS}', true), ''), ',')`;

/** Makes the database of `to` the successor of that of `from`, which nobody changes any more. */
export async function succeed(from: ClientBase, to: ClientBase): Promise<void> {
  const { rows } = await from.query<{ transactions: string; systems: string[] }>(
    `SELECT (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ${EARLIER_TRANSACTIONS})::text AS transactions,
       ${SYSTEM_IDENTIFIERS} AS systems`,
  );
  const [{ transactions, systems } = { transactions: "0", systems: [] }] = rows;
  await to.query(
    `DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET ${TRANSACTIONS} = %L', current_database(), '${transactions}');
       EXECUTE format('ALTER DATABASE %I SET ${SYSTEMS} = %L', current_database(), '${systems.join(",")}');
     END $$`,
  );
}
