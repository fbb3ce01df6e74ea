import { Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import type { PageRequest } from "./pages.js";

/**
 * What is related to a resource in one way, such as the routes that use a backend: for each of many
 * resources a page of ids, newest first, in one statement; and how many there are in all.
 */
export interface Related {
  pages(context: Context, of: readonly string[], page: PageRequest): Promise<Map<string, string[]>>;
  counts(context: Context, of: readonly string[]): Promise<Map<string, number>>;
}

/** Relates each value of the column `of` in `table` to those of the column `ids`. Both are indexed together. */
function related(table: string, of: string, ids = "id"): Related {
  const [from, parent, child] = [table, of, ids].map((name) => Prisma.raw(`"${name}"`));
  return {
    async pages({ db }, parents, { limit, after, before, fromEnd }) {
      const rows = await db.$queryRaw<{ parent: string; child: string }[]>`
        SELECT parent.id AS parent, page.id AS child
        FROM unnest(${[...parents]}::text[]) AS parent(id)
        CROSS JOIN LATERAL (
          SELECT ${child} AS id FROM ${from}
          WHERE ${parent} = parent.id COLLATE "C"
            ${after === undefined ? Prisma.empty : Prisma.sql`AND ${child} < ${after}`}
            ${before === undefined ? Prisma.empty : Prisma.sql`AND ${child} > ${before}`}
          ORDER BY ${child} ${Prisma.raw(fromEnd ? "ASC" : "DESC")}
          LIMIT ${limit}
        ) AS page`;
      const pages = new Map<string, string[]>(parents.map((id) => [id, []]));
      for (const row of rows) pages.get(row.parent)?.push(row.child);
      return pages;
    },
    async counts({ db }, parents) {
      const rows = await db.$queryRaw<{ parent: string; count: number }[]>`
        SELECT ${parent} AS parent, count(*)::integer AS count FROM ${from}
        WHERE ${parent} = ANY(${[...parents]}::text[]) GROUP BY ${parent}`;
      return new Map(rows.map(({ parent, count }) => [parent, count]));
    },
  };
}

export const routesOfHttpsEdge = related("https_edge_routes", "edge_id");
export const rulesOfIpPolicy = related("ip_policy_rules", "ip_policy_id");
export const certificatesOfSshAuthority = related(
  "ssh_user_certificates",
  "ssh_certificate_authority_id",
);

export const routesUsingBackend = related("https_edge_routes", "backend_id");
export const tlsEdgesUsingBackend = related("tls_edges", "backend_id");
export const parentsOfBackend = related("backend_children", "child_id", "parent_id");
export const routesUsingIpPolicy = related(
  "https_edge_route_ip_policies",
  "ip_policy_id",
  "owner_id",
);
export const tlsEdgesUsingIpPolicy = related("tls_edge_ip_policies", "ip_policy_id", "owner_id");
export const httpsEdgesUsingCertificateAuthority = related(
  "https_edge_certificate_authorities",
  "certificate_authority_id",
  "owner_id",
);
export const tlsEdgesUsingCertificateAuthority = related(
  "tls_edge_certificate_authorities",
  "certificate_authority_id",
  "owner_id",
);
export const addrsUsingEndpointConfiguration = related(
  "reserved_addrs",
  "endpoint_configuration_id",
);

/**
 * The ids, as an SQL array, of a backend and of the failover and weighted backends above it, at any depth: a
 * request that is sent to any of these can end at the backend.
 */
export function waysToBackend(id: string): Prisma.Sql {
  return Prisma.sql`ARRAY(
    WITH RECURSIVE above(id) AS (
      SELECT ${id}::text COLLATE "C"
      UNION SELECT link.parent_id FROM backend_children AS link
      JOIN above ON link.child_id = above.id
    ) SELECT id FROM above)`;
}

/** Up to `limit` ids of what is related to one resource in any of several ways. */
export async function firstRelated(
  context: Context,
  id: string,
  ways: readonly Related[],
  limit: number,
): Promise<string[]> {
  const pages = await Promise.all(ways.map((way) => way.pages(context, [id], { limit })));
  return pages.flatMap((page) => page.get(id) ?? []).slice(0, limit);
}
