import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { invalidRequest } from "../core/errors.js";
import { EDGES, type EdgeKind, RESOURCES } from "../core/ids.js";
import { inRange, type Keyset, orderBy } from "../lists/keyset.js";
import type { PageRequest } from "../lists/pages.js";
import { readRows } from "../reads/rows.js";
import { identifier } from "../storage/graph.js";

/** A hostport that more than one edge has, of whatever kind. */
export interface HostportConflict {
  /** Its cursor. */
  readonly id: string;
  /** In lower case, an IPv6 address in its shortest form. */
  readonly hostport: string;
  /** Ids of edges that claim it: kind by kind, each oldest first; at most `MOST_EDGES_OF_CONFLICT`. */
  readonly edgeIds: readonly string[];
  readonly edgeCount: number;
}

export const MOST_EDGES_OF_CONFLICT = 20;

const BY_HOSTPORT: Keyset = { key: [Prisma.sql`conflict.hostport`], direction: "asc" };

/**
 * Lists conflicts in the order of the hostports, compared byte by byte. Throws INVALID_REQUEST for a cursor of another
 * list.
 */
export async function listHostportConflicts(
  context: Context,
  { limit, after, before, fromEnd }: PageRequest,
): Promise<HostportConflict[]> {
  const range = inRange(BY_HOSTPORT, {
    after: after === undefined ? null : [readCursor(after, "after")],
    before: before === undefined ? null : [readCursor(before, "before")],
  });
  const rows = await readRows<Omit<HostportConflict, "id">>(
    context,
    Prisma.sql`
    SELECT conflict.hostport, claimed."edgeIds", claimed."edgeCount" FROM (
      SELECT hostport FROM hostport_claims AS conflict
      WHERE ${Prisma.join([Prisma.sql`claims > 1`, ...range], " AND ")}
      ${orderBy(BY_HOSTPORT, fromEnd)} LIMIT ${limit}
    ) AS conflict CROSS JOIN LATERAL (
      SELECT (array_agg(edge_id ORDER BY kind, edge_id))[1:${MOST_EDGES_OF_CONFLICT}::integer] AS "edgeIds",
        count(*)::integer AS "edgeCount"
      FROM (${Prisma.join(EDGES.map(claimants), " UNION ALL ")}) AS claimant
    ) AS claimed ${orderBy(BY_HOSTPORT, fromEnd)}`,
  );
  return rows.map((row) => ({ ...row, id: cursorOf(row.hostport) }));
}

export async function countHostportConflicts({ db }: Context): Promise<number> {
  return db.hostportClaim.count({ where: { claims: { gt: 1 } } });
}

/** The edges of a kind that claim the hostport of `conflict`. Their index has the collation of the database. */
function claimants(kind: EdgeKind, place: number): Prisma.Sql {
  const table = identifier(RESOURCES[kind].table);
  return Prisma.sql`SELECT ${place}::integer AS kind, edge.id AS edge_id FROM ${table} AS edge
    WHERE hostport_keys(edge.hostports) && ARRAY[conflict.hostport COLLATE "default"]`;
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
