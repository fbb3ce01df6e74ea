import { Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import { identifier, REFERENCES, type Reference } from "./graph.js";
import type { PageRequest } from "./pages.js";

/**
 * What is related to a resource in one way, such as the routes that use a backend: for each of many
 * resources a page of ids, newest first, in one statement; and how many there are in all.
 */
export interface Related {
  pages(context: Context, of: readonly string[], page: PageRequest): Promise<Map<string, string[]>>;
  counts(context: Context, of: readonly string[]): Promise<Map<string, number>>;
}

/** Those who refer to a resource in one way. */
function referringBy({ table, column, owner }: Reference): Related {
  const [from, parent, child] = [table, column, owner].map(identifier);
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

export const routesOfHttpsEdge = referringBy(REFERENCES.edgeOfRoute);
export const rulesOfIpPolicy = referringBy(REFERENCES.policyOfRule);
export const certificatesOfSshAuthority = referringBy(REFERENCES.authorityOfCertificate);
export const routesUsingBackend = referringBy(REFERENCES.backendOfRoute);
export const tlsEdgesUsingBackend = referringBy(REFERENCES.backendOfTlsEdge);
export const parentsOfBackend = referringBy(REFERENCES.childrenOfBackend);
export const routesUsingIpPolicy = referringBy(REFERENCES.ipPoliciesOfRoute);
export const tlsEdgesUsingIpPolicy = referringBy(REFERENCES.ipPoliciesOfTlsEdge);
export const httpsEdgesUsingCertificateAuthority = referringBy(
  REFERENCES.certificateAuthoritiesOfHttpsEdge,
);
export const tlsEdgesUsingCertificateAuthority = referringBy(
  REFERENCES.certificateAuthoritiesOfTlsEdge,
);
export const addrsUsingEndpointConfiguration = referringBy(REFERENCES.configurationOfAddr);
