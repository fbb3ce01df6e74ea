import type { Prisma } from "../../database/index.js";
import { isTransaction } from "../changes/transactions.js";
import type { Context } from "../core/context.js";

/**
 * The rows of `query`, which PostgreSQL puts together as JSON: in a transaction over its connection, else over any, where
 * a query of a caller may be read from the replica. `prefix` is the beginning of the statement, such as `PLANNED_ANEW`.
 */
export async function readRows<Row>(
  context: Context,
  { text, values }: Prisma.Sql,
  prefix = "",
): Promise<Row[]> {
  context.signal?.throwIfAborted();
  const statement = `${prefix}SELECT to_json(found)::text AS json FROM (${text}) AS found`;
  if (!isTransaction(context)) {
    const texts = await context.readTexts(statement, values);
    return texts.map((json) => JSON.parse(json));
  }
  const rows = await context.db.$queryRawUnsafe<{ json: string }[]>(statement, ...values);
  return rows.map(({ json }) => JSON.parse(json));
}
