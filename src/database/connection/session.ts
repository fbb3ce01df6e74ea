import type { Pool } from "pg";

export const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * Many short statements: compiling one takes longer than running it. Pages of lists are in memory or on a disk
 * without a head to move, where following an index costs what reading in order costs. And who holds a row reads it
 * as it is then, not as it was when the transaction began.
 */
const SETTINGS = {
  jit: "off",
  random_page_cost: "1.1",
  default_transaction_isolation: "read committed",
} as const;

type Settings = Readonly<Record<string, string>>;

/** The option of a connection that gives its session the settings, and `others` besides. */
export function sessionOptions(others = ""): string {
  return [...Object.entries(SETTINGS).map(optionOf), others].join(" ").trim();
}

/** The same for what may take any time. */
export function patientOptions(others = ""): string {
  return sessionOptions(`${others} ${optionOf(["statement_timeout", "0"])}`);
}

function optionOf([name, value]: readonly [string, string]): string {
  return `-c ${name}=${value.replaceAll(" ", "\\ ")}`;
}

/** All settings that a session has, by their names. */
const OF_ROLE: Settings = { ...SETTINGS, statement_timeout: `${STATEMENT_TIMEOUT_MS}ms` };

/** Any number that nobody else takes. */
const LOCK = 7_203_114_986n;

/**
 * Makes the settings those of all sessions that the user begins in this database: a pooler does not pass on what a client
 * asks for. `pool` is connected to the server itself.
 */
export async function keepForRole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ database: string; kept: string[] }>(
    `SELECT current_database() AS database, coalesce((
       SELECT setconfig FROM pg_db_role_setting
       WHERE setrole = current_user::regrole
         AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
     ), '{}') AS kept`,
  );
  const { database = "", kept = [] } = rows[0] ?? {};
  const missing = Object.entries(OF_ROLE).filter(
    ([name, value]) => !kept.includes(`${name}=${value}`),
  );
  if (missing.length === 0) return;
  const place = `ALTER ROLE CURRENT_USER IN DATABASE "${database.replaceAll('"', '""')}"`;
  const changes = missing.map(([name, value]) => `${place} SET ${name} = '${value}'`);
  // Two processes that start at once would fail each other.
  await pool.query([`SELECT pg_advisory_xact_lock(${LOCK})`, ...changes].join(";\n"));
}

/** The settings that a session lacks, in words; the statement is sent by `pool`. */
export async function missingSettings(pool: Pick<Pool, "query">): Promise<string[]> {
  const names = Object.keys(OF_ROLE);
  const { rows } = await pool.query<{ name: string; value: string }>(
    "SELECT name, setting || coalesce(unit, '') AS value FROM pg_settings WHERE name = ANY($1)",
    [names],
  );
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return names.filter((name) => values.get(name) !== OF_ROLE[name]);
}
