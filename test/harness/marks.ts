import { EDGES, RESOURCES } from "../../src/domain/core/ids.js";
import { ALL_REFERENCES, usersOf } from "../../src/domain/storage/graph.js";
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

/** Ids of everything that can be used, as SQL. */
const USABLE = [...new Set(Object.values(RESOURCES).map(({ table }) => table))]
  .filter((table) => usersOf(table).length > 0)
  .map((table) => `SELECT id FROM "${table}"`)
  .join(" UNION ALL ");

/** Every hostport that each edge claims, as SQL. */
const CLAIMS = EDGES.map(
  (kind) =>
    `SELECT DISTINCT id, hostport_key(given) AS hostport
       FROM ${RESOURCES[kind].table}, unnest(hostports) AS given`,
).join(" UNION ALL ");

/** Marks what is there, and counts claims: for rows that were written past the services, which do so. */
export async function markAgain({ context: { db } }: TestServer): Promise<void> {
  await db.$executeRaw`TRUNCATE hostport_claims, possibly_used, possibly_unused`;
  for (const statement of [
    `INSERT INTO hostport_claims (hostport, claims)
       SELECT hostport, count(*) FROM (${CLAIMS}) AS claim GROUP BY hostport`,
    `INSERT INTO possibly_used (id) SELECT DISTINCT id FROM (${USED}) AS used`,
    `INSERT INTO possibly_unused (id) SELECT id FROM (${USABLE}) AS resource
      WHERE NOT EXISTS (SELECT FROM possibly_used AS used WHERE used.id = resource.id)`,
    "ANALYZE hostport_claims, possibly_used, possibly_unused",
  ]) {
    await db.$executeRawUnsafe(statement);
  }
}

/**
 * What is wrong with what changes keep for the lists of what is unused and of hostports in conflict: resources
 * without the mark that finds them, marks of what is gone, and counts of claims that differ from the edges.
 */
export async function wrongMarks({ context }: TestServer): Promise<string[]> {
  const rows = await context.db.$queryRawUnsafe<{ problem: string }[]>(`
    WITH resource AS (${USABLE}), used AS (${USED}), claim AS (${CLAIMS})
    SELECT id || ' is unused and not marked' AS problem FROM resource
     WHERE id NOT IN (SELECT id FROM used) AND id NOT IN (SELECT id FROM possibly_unused)
    UNION ALL SELECT id || ' is used and not marked' FROM resource
     WHERE id IN (SELECT id FROM used) AND id NOT IN (SELECT id FROM possibly_used)
    UNION ALL SELECT id || ' is gone and marked' FROM (TABLE possibly_used UNION ALL TABLE possibly_unused) AS mark
     WHERE id NOT IN (SELECT id FROM resource)
    UNION ALL SELECT hostport || ' has ' || kept.claims || ' claims for ' || counted.claims
      FROM hostport_claims AS kept
      FULL JOIN (SELECT hostport, count(*) AS claims FROM claim GROUP BY hostport) AS counted USING (hostport)
     WHERE coalesce(kept.claims, 0) <> coalesce(counted.claims, 0)`);
  return rows.map(({ problem }) => problem);
}
