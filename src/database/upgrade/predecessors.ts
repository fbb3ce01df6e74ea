import type { ClientBase } from "pg";

const SYSTEMS = "edgeplane.earlier_systems";

/**
 * SQL for the system identifiers of the database and of those of other major versions whose data it took over, an array of
 * text, newest first. A setting of the database remembers them.
 */
export const SYSTEM_IDENTIFIERS = `(SELECT system_identifier::text FROM pg_control_system())
  || string_to_array(coalesce(current_setting('${SYSTEMS}', true), ''), ',')`;

/** Makes the database of `to` the successor of that of `from`. */
export async function succeed(from: ClientBase, to: ClientBase): Promise<void> {
  const { rows } = await from.query<{ systems: string[] }>(
    `SELECT ${SYSTEM_IDENTIFIERS} AS systems`,
  );
  const [{ systems } = { systems: [] }] = rows;
  await to.query(
    `DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET ${SYSTEMS} = %L', current_database(), '${systems.join(",")}');
     END $$`,
  );
}
