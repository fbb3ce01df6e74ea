import type { Pool } from "pg";

/** Sends a statement and returns the texts of its one column. */
export type SendForTexts = (text: string, values: readonly unknown[]) => Promise<string[]>;

/** The name that a connection keeps a statement under; "" for none. */
export type StatementNames = (query: { sql: string; args: unknown[] }) => string;

/** Sends statements on any connection of `pool`. Costs half of what the same costs through Prisma. */
export function textsFrom(pool: Pool, nameOf: StatementNames): SendForTexts {
  return async (text, values) => {
    const args = [...values];
    const name = nameOf({ sql: text, args });
    const { rows } = await pool.query<[string]>({ name, text, values: args, rowMode: "array" });
    return rows.map(([text]) => text);
  };
}
