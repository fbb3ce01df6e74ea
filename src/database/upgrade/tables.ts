import { isDeepStrictEqual } from "node:util";
import type { ClientBase } from "pg";

/** A table, or what else holds rows. */
export interface Table {
  /** With its schema, quoted. */
  readonly name: string;
  /** The columns that are not generated, with their types, quoted, by name. */
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** The tables of everybody but PostgreSQL, by name. */
async function readTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: Column[] }>(
    `SELECT format('%I.%I', nspname, relname) AS name,
       coalesce(json_agg(
         json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod))
         ORDER BY attname COLLATE "C"
       ) FILTER (WHERE attname IS NOT NULL), '[]') AS columns
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     LEFT JOIN pg_attribute
       ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     WHERE relkind IN ('r', 'm', 'f') AND nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%'
     GROUP BY nspname, relname
     ORDER BY 1`,
  );
  return rows;
}

/** Throws unless `to` has the same tables as `from`, with the same columns, and `from` nothing besides. */
export async function requireSameTables(from: ClientBase, to: ClientBase): Promise<Table[]> {
  const { rows: databases } = await from.query<{ name: string }>(
    "SELECT datname AS name FROM pg_database WHERE datname <> current_database() AND NOT datistemplate",
  );
  const tables = await readTables(from);
  const others = new Map((await readTables(to)).map(({ name, columns }) => [name, columns]));
  const differing = tables
    .filter(({ name, columns }) => !isDeepStrictEqual(columns, others.get(name)))
    .map(({ name }) => `the table ${name}`);
  const there = new Set(tables.map(({ name }) => name));
  const missing = [...others.keys()].filter((name) => !there.has(name));
  const foreign = [
    ...databases.map(({ name }) => `the database ${name}`),
    ...differing,
    ...missing.map((name) => `no table ${name}`),
  ];
  if (foreign.length === 0) return tables;
  throw new Error(`it has what no version of Edgeplane made: ${foreign.join(", ")}`);
}

/** What is equal for tables with the same rows, in any order. */
export async function digestOf(client: ClientBase, { name, columns }: Table): Promise<unknown> {
  const row = columns.map((column) => column.name).join(", ");
  const half = (from: number) =>
    `coalesce(sum(('x' || substr(digest, ${from}, 16))::bit(64)::bigint), 0)::text`;
  const { rows } = await client.query(
    `SELECT count(*)::text AS rows, ${half(1)} AS first, ${half(17)} AS second
     FROM (SELECT md5(ROW(${row})::text) AS digest FROM ${name}) AS digests`,
  );
  return rows[0];
}

/** Where a sequence stands. */
interface Sequence {
  readonly name: string;
  readonly value: string;
  readonly called: boolean;
}

/** The sequences of everybody but PostgreSQL. */
export async function readSequences(client: ClientBase): Promise<Sequence[]> {
  const { rows: names } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind = 'S' AND nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%'
     ORDER BY 1`,
  );
  const sequences: Sequence[] = [];
  for (const { name } of names) {
    const { rows } = await client.query<Omit<Sequence, "name">>(
      `SELECT last_value::text AS value, is_called AS called FROM ${name}`,
    );
    sequences.push(...rows.map((row) => ({ name, ...row })));
  }
  return sequences;
}
