import { Prisma, type TransactionClient } from "../../database/index.js";
import type { Keyring } from "../core/keyring.js";
import { identifier } from "../storage/graph.js";
import { withReadableSecrets, withSealedSecrets } from "./secrets.js";
import type { TableColumns } from "./tables.js";

interface ImportedTable extends TableColumns {
  readonly name: string;
}

interface Stored {
  readonly added: number;
  /** Rows that are there already and differ, in words. */
  readonly conflicts: readonly string[];
}

/** Stores rows that are JSON; notes the ids of those that are new in the temporary table `imported`. */
export async function storeRows(
  db: TransactionClient,
  keyring: Keyring,
  table: ImportedTable,
  given: readonly string[],
): Promise<Stored> {
  const rows = given.map((row) => withSealedSecrets(table.name, row, keyring));
  const added = await insert(db, table, rows);
  if (added.size === rows.length) return { added: added.size, conflicts: [] };
  const others = rows.filter((row) => !added.has(keyIn(row, table)));
  const there = await readSame(db, table, others);
  const conflicts = others.flatMap((row) => {
    const problem = problemOf(row, there.get(keyIn(row, table)), table.name, keyring);
    return problem === null ? [] : [`${table.name} ${keyIn(row, table)} ${problem}`];
  });
  return { added: added.size, conflicts };
}

/** Returns the keys of the rows that were not there. */
async function insert(
  db: TransactionClient,
  { name, columns, key }: ImportedTable,
  rows: readonly string[],
): Promise<ReadonlySet<string>> {
  const isById = key.length === 1 && key[0] === "id";
  const noted = Prisma.sql`, noted AS (INSERT INTO imported (id) SELECT id FROM added)`;
  const added = await db.$queryRaw<{ key: string[] }[]>`
    WITH added AS (
      INSERT INTO ${identifier(name)} (${list(columns)})
      SELECT ${list(columns)} FROM json_populate_recordset(NULL::${identifier(name)}, ${arrayOf(rows)}::json)
      ON CONFLICT DO NOTHING RETURNING ${list(key)}
    )${isById ? noted : Prisma.empty}
    SELECT ARRAY[${Prisma.join(key.map((column) => Prisma.sql`${identifier(column)}::text`))}] AS key FROM added`;
  return new Set(added.map(({ key }) => key.join(" ")));
}

/** The rows that are there with the same keys, by these. */
async function readSame(
  db: TransactionClient,
  table: ImportedTable,
  rows: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { name, columns, key } = table;
  const there = await db.$queryRaw<{ row: string }[]>`
    SELECT row_to_json(there)::text AS row FROM (
      SELECT ${list(columns)} FROM ${identifier(name)} WHERE (${list(key)}) IN (
        SELECT ${list(key)} FROM json_populate_recordset(NULL::${identifier(name)}, ${arrayOf(rows)}::json)
      )
    ) AS there`;
  return new Map(there.map(({ row }) => [keyIn(row, table), row]));
}

/** Why a row cannot be stored; null when it is there just so. A secret is sealed differently each time. */
function problemOf(
  row: string,
  there: string | undefined,
  table: string,
  keyring: Keyring,
): string | null {
  if (there === undefined) return "has a value that another one has already";
  if (row === there) return null;
  const [one, other] = [row, there].map((each) => withReadableSecrets(table, each, keyring));
  return one === other ? null : "is there with other values";
}

function keyIn(row: string, { key }: TableColumns): string {
  const values: Readonly<Record<string, unknown>> = JSON.parse(row);
  return key.map((column) => String(values[column])).join(" ");
}

function arrayOf(rows: readonly string[]): string {
  return `[${rows.join(",")}]`;
}

function list(columns: readonly string[]): Prisma.Sql {
  return Prisma.join(columns.map(identifier));
}
