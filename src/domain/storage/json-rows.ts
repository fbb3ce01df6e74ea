import type { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";

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
