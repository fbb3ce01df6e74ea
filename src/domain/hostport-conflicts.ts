import { Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import { invalidRequest } from "./errors.js";
import type { PageRequest } from "./pages.js";

/** A hostport that more than one edge claims, of whichever kind. */
export interface HostportConflict {
  /** Its cursor. */
  readonly id: string;
  /** In lower case, an IPv6 address in its shortest form. */
  readonly hostport: string;
  /** Ids of edges that claim it: HTTPS edges, then TLS edges, each oldest first; at most `MOST_EDGES_OF_CONFLICT`. */
  readonly edgeIds: readonly string[];
  readonly edgeCount: number;
}

export const MOST_EDGES_OF_CONFLICT = 20;

/** In the order of the hostports, compared bytewise. Throws INVALID_REQUEST for a cursor of something else. */
export async function listHostportConflicts(
  { db }: Context,
  { limit, after, before, fromEnd }: PageRequest,
): Promise<HostportConflict[]> {
  const rows = await db.$queryRaw<Omit<HostportConflict, "id">[]>`
    SELECT hostport, "edgeIds", "edgeCount" FROM (
      ${conflicts(
        Prisma.sql`(array_agg(edge_id ORDER BY kind, edge_id))[1:${MOST_EDGES_OF_CONFLICT}::integer] AS "edgeIds",
          count(*)::integer AS "edgeCount"`,
        [
          ...(after === undefined ? [] : [beyond(">", readCursor(after, "after"))]),
          ...(before === undefined ? [] : [beyond("<", readCursor(before, "before"))]),
        ],
      )}
    ) AS conflict ORDER BY hostport COLLATE "C" ${Prisma.raw(fromEnd ? "DESC" : "ASC")} LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, id: cursorOf(row.hostport) }));
}

export async function countHostportConflicts({ db }: Context): Promise<number> {
  const [found] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM (${conflicts(Prisma.sql`1`, [])}) AS conflict`;
  return found?.count ?? 0;
}

/** All hostports of all edges, each edge's once, by hostport. */
function conflicts(columns: Prisma.Sql, conditions: readonly Prisma.Sql[]): Prisma.Sql {
  const claims = (table: string, kind: number) => Prisma.sql`
    SELECT DISTINCT hostport_key(given.hostport) AS hostport, ${kind}::integer AS kind, edge.id AS edge_id
    FROM ${Prisma.raw(`"${table}"`)} AS edge, unnest(edge.hostports) AS given(hostport)
    ${conditions.length > 0 ? Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}` : Prisma.empty}`;
  return Prisma.sql`
    SELECT hostport, ${columns}
    FROM (${claims("https_edges", 1)} UNION ALL ${claims("tls_edges", 2)}) AS claim
    GROUP BY hostport HAVING count(*) > 1`;
}

function beyond(operator: "<" | ">", hostport: string): Prisma.Sql {
  return Prisma.sql`hostport_key(given.hostport) ${Prisma.raw(operator)} ${hostport} COLLATE "C"`;
}

const PREFIX = "hostport_";

function cursorOf(hostport: string): string {
  return PREFIX + Buffer.from(hostport).toString("hex");
}

function readCursor(cursor: string, argument: "after" | "before"): string {
  if (!/^hostport_(?:2[1-9a-f]|[3-6][0-9a-f]|7[0-9a-e])+$/.test(cursor)) {
    throw invalidRequest([{ path: [argument], message: "is not a cursor of this list" }]);
  }
  return Buffer.from(cursor.slice(PREFIX.length), "hex").toString("latin1");
}
