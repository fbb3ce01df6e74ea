import DataLoader from "dataloader";
import { Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import type { PageRequest } from "./pages.js";

/** A row by the names of its columns. */
export type Columns = Readonly<Record<string, unknown>>;

/**
 * The rows of `query`, each as one JSON text that PostgreSQL puts together with what it links to. Reading
 * them takes less than half of the time of reading the same column by column.
 */
export async function readJsonRows({ db, signal }: Context, query: Prisma.Sql): Promise<Columns[]> {
  signal?.throwIfAborted();
  // As text, since Prisma would walk through every value of a JSON column.
  const rows = await db.$queryRaw<{ json: string }[]>`
    SELECT to_json(found)::text AS json FROM (${query}) AS found`;
  return rows.map(({ json }) => JSON.parse(json));
}

type Batches = Map<string, DataLoader<readonly string[], Columns[]>>;

const batchesByDatabase = new WeakMap<object, Batches>();

/**
 * The rows that `query` finds for `ids`, in any order, read in one statement with what other requests want of
 * the same `source` in the same turn of the event loop; under load that is several. `source` must determine
 * the query. Nothing is kept, and what was committed before the call is seen. In a transaction it reads alone.
 */
export async function readTogether(
  context: Context,
  source: string,
  query: (ids: readonly string[]) => Prisma.Sql,
  ids: readonly string[],
  idOf: (row: Columns) => unknown = (row) => row.id,
): Promise<Columns[]> {
  if (context.changeSet) return readJsonRows(context, query(ids));
  context.signal?.throwIfAborted();
  const batches: Batches = batchesByDatabase.get(context.db) ?? new Map();
  batchesByDatabase.set(context.db, batches);
  const batch =
    batches.get(source) ??
    new DataLoader<readonly string[], Columns[]>(
      async (wanted) => {
        batches.delete(source);
        // Others wait for these rows as well, so one who stopped waiting does not stop the reading.
        const { signal: _, ...shared } = context;
        const rows = await readJsonRows(shared, query([...new Set(wanted.flat())]));
        if (wanted.length === 1) return [rows];
        return wanted.map((ids) => rows.filter((row) => ids.some((id) => id === idOf(row))));
      },
      { cache: false, batchScheduleFn: (dispatch) => setImmediate(dispatch) },
    );
  batches.set(source, batch);
  return batch.load(ids);
}

/** The rows with these ids. `id` is the column, as SQL. */
export function withIds(id: Prisma.Sql, ids: readonly string[]): Prisma.Sql {
  return Prisma.sql`WHERE ${id} = ANY(${[...ids]}::text[])`;
}

/** The rows of a page that meet `conditions`. `id` is the column, as SQL. */
export function onPage(
  id: Prisma.Sql,
  { limit, after, before, fromEnd }: PageRequest,
  conditions: readonly Prisma.Sql[] = [],
): Prisma.Sql {
  const all = [
    ...conditions,
    ...(after === undefined ? [] : [Prisma.sql`${id} < ${after}`]),
    ...(before === undefined ? [] : [Prisma.sql`${id} > ${before}`]),
  ];
  const where = all.length > 0 ? Prisma.sql`WHERE ${Prisma.join(all, " AND ")}` : Prisma.empty;
  return Prisma.sql`${where} ORDER BY ${id} ${Prisma.raw(fromEnd ? "ASC" : "DESC")} LIMIT ${limit}`;
}

const FIELDS = new Map<string, string>();

/**
 * The row as Prisma shows it: fields for columns, and dates for those that end in `_at`. What a column
 * holds stays as it is.
 */
export function toRow<Row>(columns: Columns): Row {
  const row: Record<string, unknown> = {};
  for (const column in columns) {
    let field = FIELDS.get(column);
    if (field === undefined) {
      field = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      FIELDS.set(column, field);
    }
    const value = columns[column];
    row[field] = column.endsWith("_at") && typeof value === "string" ? new Date(value) : value;
  }
  // The same columns of the same table as Prisma's own row has.
  return row as Row;
}

/** The reverse of `toRow`, as JSON text. */
export function toColumns(row: object): string {
  const columns = Object.entries(row).map(([field, value]) => [columnOf(field), value]);
  return JSON.stringify(Object.fromEntries(columns));
}

/** The name of the column that a field is kept in. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
