import type { Context } from "../../src/domain/core/context.js";
import { ALL_REFERENCES } from "../../src/domain/storage/graph.js";
import { keepAgain, wrongFacts } from "../../src/domain/storage/kept-facts.js";
import type { TestServer } from "./server.js";

/** Ids of everything that somebody uses, as SQL. */
const USED = ALL_REFERENCES.filter(({ isPart }) => !isPart)
  .map(
    ({ table, column }) => `SELECT "${column}" AS id FROM "${table}" WHERE "${column}" IS NOT NULL`,
  )
  .join(" UNION ALL ");

/** Ids of everything that somebody uses, by looking at all who could. */
export async function usedIds({ context }: TestServer): Promise<Set<string>> {
  const rows = await context.db.$queryRawUnsafe<{ id: string }[]>(USED);
  return new Set(rows.map(({ id }) => id));
}

/** Makes counts, claims and marks anew: for rows that were written past the services, which keep them. */
export async function markAgain({ context: { db } }: TestServer): Promise<void> {
  await keepAgain(db);
  await db.$executeRaw`ANALYZE counts, hostport_claims, possibly_used, possibly_unused`;
}

/** What is wrong with counts, claims and marks. */
export function wrongMarks({
  context,
}: {
  readonly context: Pick<Context, "db">;
}): Promise<string[]> {
  return wrongFacts(context.db);
}
