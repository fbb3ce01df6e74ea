import { Prisma, type TransactionClient } from "../../database/index.js";
import { EDGES, RESOURCE_KINDS, RESOURCES } from "../core/ids.js";
import { MODULE_OWNERS } from "../modules/index.js";
import { ALL_REFERENCES, hasIdOfKind, identifier, type Table, usersOf } from "./graph.js";

// What changes keep besides the rows (counts, claims of hostports, marks of use), as it follows from the rows.

const TABLES: readonly Table[] = [...new Set(Object.values(RESOURCES).map(({ table }) => table))];

/** A condition on `resource.id`. */
type Rows = Prisma.Sql;

const ALL: Rows = Prisma.sql`true`;

/** The name of each count, once for each of `rows` that it counts. */
function countedNames(rows: Rows): Prisma.Sql {
  const kinds = RESOURCE_KINDS.map(
    (kind) => Prisma.sql`
      SELECT ${kind}::text AS name FROM ${identifier(RESOURCES[kind].table)} AS resource
      WHERE ${hasIdOfKind(Prisma.sql`resource.id`, kind)} AND ${rows}`,
  );
  const modules = MODULE_OWNERS.map(
    (owner) => Prisma.sql`
      SELECT replace(replace(${`${owner}.`}::text || word, ':true', '.enabled'), ':false', '.disabled')
      FROM ${identifier(RESOURCES[owner].table)} AS resource, unnest(modules) AS word
      WHERE word <> 'rare' AND ${rows}`,
  );
  return Prisma.join([...kinds, ...modules], " UNION ALL ");
}

/** Each hostport of each of the edges among `rows`. */
function claimedHostports(rows: Rows): Prisma.Sql {
  const edges = EDGES.map(
    (kind) => Prisma.sql`
      SELECT DISTINCT resource.id, hostport_key(given) AS hostport
      FROM ${identifier(RESOURCES[kind].table)} AS resource, unnest(hostports) AS given WHERE ${rows}`,
  );
  return Prisma.join(edges, " UNION ALL ");
}

/** The ids of everything that somebody uses. */
const USED = Prisma.join(
  ALL_REFERENCES.filter(({ isPart }) => !isPart).map(
    ({ table, column }) => Prisma.sql`
      SELECT ${identifier(column)} AS id FROM ${identifier(table)} WHERE ${identifier(column)} IS NOT NULL`,
  ),
  " UNION ALL ",
);

/** The ids of everything among `rows` that can be used. */
function usableIds(rows: Rows): Prisma.Sql {
  const tables = TABLES.filter((table) => usersOf(table).length > 0).map(
    (table) => Prisma.sql`SELECT resource.id FROM ${identifier(table)} AS resource WHERE ${rows}`,
  );
  return Prisma.join(tables, " UNION ALL ");
}

/** Adds what follows from `rows`, which were written past the services, in the transaction that has written them. */
export async function keepAlso(db: TransactionClient, rows: Rows): Promise<void> {
  await db.$executeRaw`
    INSERT INTO counts (name, slot, count)
    SELECT name, 0, count(*) FROM (${countedNames(rows)}) AS counted GROUP BY name ORDER BY name COLLATE "C"
    ON CONFLICT (name, slot) DO UPDATE SET count = counts.count + excluded.count`;
  await db.$executeRaw`
    INSERT INTO hostport_claims (hostport, claims)
    SELECT hostport, count(*) FROM (${claimedHostports(rows)}) AS claim GROUP BY hostport ORDER BY hostport COLLATE "C"
    ON CONFLICT (hostport) DO UPDATE SET claims = hostport_claims.claims + excluded.claims`;
  await db.$executeRaw`
    INSERT INTO possibly_used (id) SELECT DISTINCT id COLLATE "C" FROM (${USED}) AS used ORDER BY 1
    ON CONFLICT (id) DO NOTHING`;
  await db.$executeRaw`
    INSERT INTO possibly_unused (id)
    SELECT id FROM (${usableIds(rows)}) AS usable
    WHERE NOT EXISTS (SELECT FROM possibly_used AS used WHERE used.id = usable.id) ORDER BY id COLLATE "C"
    ON CONFLICT (id) DO NOTHING`;
}

/** Forgets what is kept and keeps it again, as it follows from all rows. Changes wait meanwhile. */
export async function keepAgain(db: TransactionClient): Promise<void> {
  await db.$executeRaw`TRUNCATE counts, hostport_claims, possibly_used, possibly_unused`;
  await keepAlso(db, ALL);
}

/** The counts that are not the numbers of rows, in words, as `problem`. */
export const WRONG_COUNTS = Prisma.sql`
  SELECT 'The count ' || name || ' is ' || coalesce(kept.count, 0) || ', and there are '
      || coalesce(counted.count, 0) || '.' AS problem
    FROM (SELECT name, sum(count) AS count FROM counts GROUP BY name) AS kept
    FULL JOIN (SELECT name, count(*) AS count FROM (${countedNames(ALL)}) AS counted GROUP BY name) AS counted
      USING (name)
    WHERE coalesce(kept.count, 0) <> coalesce(counted.count, 0)`;

/** What is kept and does not follow from the rows, in words. Read it in one snapshot. */
export async function wrongFacts(db: TransactionClient): Promise<string[]> {
  const rows = await db.$queryRaw<{ problem: string }[]>`
    WITH usable AS MATERIALIZED (${usableIds(ALL)}), used AS MATERIALIZED (${USED})
    ${WRONG_COUNTS}
    UNION ALL SELECT 'The hostport ' || hostport || ' has ' || coalesce(kept.claims, 0) || ' kept claims for '
        || coalesce(counted.claims, 0) || '.'
      FROM hostport_claims AS kept
      FULL JOIN (SELECT hostport, count(*) AS claims FROM (${claimedHostports(ALL)}) AS claim GROUP BY hostport)
        AS counted USING (hostport)
      WHERE coalesce(kept.claims, 0) <> coalesce(counted.claims, 0)
    UNION ALL SELECT id || ' is unused and not marked.' FROM usable
      WHERE id NOT IN (SELECT id FROM used) AND id NOT IN (SELECT id FROM possibly_unused)
    UNION ALL SELECT id || ' is used and not marked.' FROM usable
      WHERE id IN (SELECT id FROM used) AND id NOT IN (SELECT id FROM possibly_used)
    UNION ALL SELECT id || ' is gone and marked.'
      FROM (TABLE possibly_used UNION ALL TABLE possibly_unused) AS mark
      WHERE id NOT IN (SELECT id FROM usable)`;
  return rows.map(({ problem }) => problem);
}
