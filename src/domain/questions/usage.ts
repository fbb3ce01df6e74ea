import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { invalidRequest } from "../core/errors.js";
import { KSUID_LENGTH, RESOURCES, type ResourceKind } from "../core/ids.js";
import { inRange, type Keyset, orderBy } from "../lists/keyset.js";
import type { PageRequest } from "../lists/pages.js";
import type { ReferringModuleName } from "../modules/index.js";
import { readRows } from "../reads/rows.js";
import {
  enabledColumn,
  identifier,
  kindsIn,
  REFERENCES,
  type Reference,
  type Table,
  usersOf,
} from "../storage/graph.js";

/**
 * One use of a resource by a route, an edge, an endpoint configuration, an IP restriction, a reserved address or a
 * reserved domain.
 */
export interface Usage {
  /** The user's id and those of `via`, all but the first without `_`: its cursor. */
  readonly id: string;
  readonly userId: string;
  /** The module of the user that does; null for a user that has none for it, such as a reserved address. */
  readonly module: ReferringModuleName | null;
  /** Whether that module is enabled. */
  readonly enabled: boolean | null;
  /** The ids of the backends from the user's own down to the one asked about, without that; empty for a direct use. */
  readonly via: readonly string[];
}

/** For each of many resources: a page of its uses, the newest user first, in one statement; and how many there are. */
export interface Uses {
  /** Throws INVALID_REQUEST for a cursor of something else. */
  pages(context: Context, of: readonly string[], page: PageRequest): Promise<Map<string, Usage[]>>;
  counts(context: Context, of: readonly string[]): Promise<Map<string, number>>;
}

/** Those who may use a resource, as SQL: `of` is the column with the resource's id, `id` that with the user's. */
interface Users {
  readonly kind: ResourceKind;
  readonly from: Prisma.Sql;
  readonly of: Prisma.Sql;
  readonly id: Prisma.Sql;
  readonly module: ReferringModuleName | null;
  readonly enabled: Prisma.Sql;
}

/** Failover over weighted over leaf backends is the deepest that there is; what would be deeper is not followed. */
export const MOST_BACKENDS_ABOVE = 8;

/** The backend asked about, and every chain of backends above it. */
const CHAINS = chainsOf(REFERENCES.childrenOfBackend);

const NONE = Prisma.sql`NULL::boolean`;
const ITSELF = Prisma.sql`SELECT asked.id COLLATE "C" AS id, '' COLLATE "C" AS via`;

export const usesOfBackend = usesOf("backends");
export const usesOfIpPolicy = usesOf("ip_policies");
export const usesOfCertificateAuthority = usesOf("certificate_authorities");
export const usesOfEndpointConfiguration = usesOf("endpoint_configurations");
export const usesOfTlsCertificate = usesOf("tls_certificates");

/** The uses of the rows of `table`: those by backends are followed up to who uses these. */
function usesOf(table: Table): Uses {
  const users = usersOf(table).filter(({ from }) => from !== "backends");
  const chains = table === "backends" ? CHAINS : ITSELF;
  return uses(chains, users.map(usersBy));
}

function usersBy({ from, table, owner, column, isList, module }: Reference): Users {
  const [kind] = kindsIn(from);
  const enabled = module ? Prisma.sql`users.${identifier(enabledColumn(module))}` : NONE;
  if (!isList) {
    const rows = Prisma.sql`${identifier(from)} AS users`;
    const of = Prisma.sql`users.${identifier(column)}`;
    return { kind, from: rows, of, id: Prisma.sql`users.id`, module, enabled };
  }
  const id = Prisma.sql`link.${identifier(owner)}`;
  return {
    kind,
    from: Prisma.sql`${identifier(table)} AS link JOIN ${identifier(from)} AS users ON users.id = ${id}`,
    of: Prisma.sql`link.${identifier(column)}`,
    id,
    module,
    enabled,
  };
}

function chainsOf({ table, owner, column }: Reference): Prisma.Sql {
  const parent = Prisma.sql`link.${identifier(owner)}`;
  return Prisma.sql`
    SELECT asked.id COLLATE "C" AS id, '' COLLATE "C" AS via, 0 AS height
    UNION ALL
    SELECT ${parent}, ${parent} || ',' || chain.via, chain.height + 1
    FROM chain JOIN ${identifier(table)} AS link ON link.${identifier(column)} = chain.id
    WHERE chain.height < ${MOST_BACKENDS_ABOVE}`;
}

/** The uses by `users` of what `chains` yields, which is a query of one resource, `asked`. */
function uses(chains: Prisma.Sql, users: readonly Users[]): Uses {
  return {
    async pages(context, asked, page) {
      const rows = await readRows<UsageRow>(
        context,
        Prisma.sql`
        SELECT asked.id AS asked, page.* FROM unnest(${[...asked]}::text[]) AS asked(id)
        CROSS JOIN LATERAL (
          WITH RECURSIVE chain AS (${chains})
          SELECT found.id, found.module, found.enabled, chain.via
          FROM chain CROSS JOIN LATERAL (${unionAll(users.map((each) => onPage(each, page)))}) AS found
          ${within(page)}
        ) AS page`,
      );
      const pages = new Map<string, Usage[]>(asked.map((id) => [id, []]));
      for (const row of rows) pages.get(row.asked)?.push(toUsage(row));
      return pages;
    },
    async counts(context, asked) {
      const each = users.map(
        ({ from, of }) => Prisma.sql`(SELECT FROM ${from} WHERE ${of} = chain.id)`,
      );
      const rows = await readRows<{ asked: string; count: number }>(
        context,
        Prisma.sql`
        SELECT asked.id AS asked, (
          WITH RECURSIVE chain AS (${chains})
          SELECT count(*)::integer FROM chain CROSS JOIN LATERAL (${unionAll(each)}) AS found
        ) AS count FROM unnest(${[...asked]}::text[]) AS asked(id)`,
      );
      return new Map(rows.map(({ asked, count }) => [asked, count]));
    },
  };
}

function unionAll(queries: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.join([...queries], " UNION ALL ");
}

/**
 * As many of the users of one backend as a page may need of them, read from an index. One more than the page
 * has, since the very user that the cursor names may stand on either side of it, with another chain.
 */
function onPage({ kind, from, of, id, module, enabled }: Users, page: PageRequest): Prisma.Sql {
  const { after, before } = cursorsOf(page);
  const byId: Keyset = { key: [id], direction: "desc" };
  const idAt = ({ ksuid }: UsageCursor) => [`${RESOURCES[kind].prefix}_${ksuid}`];
  const range = inRange(
    byId,
    { after: after && idAt(after), before: before && idAt(before) },
    "inclusive",
  );
  return Prisma.sql`(
    SELECT ${id} AS id, ${module}::text AS module, ${enabled} AS enabled FROM ${from}
    WHERE ${Prisma.join([Prisma.sql`${of} = chain.id`, ...range], " AND ")}
    ${orderBy(byId, page.fromEnd)} LIMIT ${page.limit + 1}
  )`;
}

/** The creation of the user, whatever its kind, then the chain. */
const BY_USER: Keyset = {
  key: [
    Prisma.sql`right(found.id, ${KSUID_LENGTH}::integer)`,
    Prisma.sql`found.id`,
    Prisma.sql`chain.via`,
  ],
  direction: "desc",
};

/** The condition, order and limit of a page. */
function within(page: PageRequest): Prisma.Sql {
  const { after, before } = cursorsOf(page);
  const keyAt = ({ ksuid, userId, via }: UsageCursor) =>
    [ksuid, userId, via].map((part) => Prisma.sql`${part}::text`);
  const range = inRange(BY_USER, { after: after && keyAt(after), before: before && keyAt(before) });
  return Prisma.sql`${range.length > 0 ? Prisma.sql`WHERE ${Prisma.join(range, " AND ")}` : Prisma.empty}
    ${orderBy(BY_USER, page.fromEnd)} LIMIT ${page.limit}`;
}

interface UsageRow {
  readonly asked: string;
  readonly id: string;
  readonly module: ReferringModuleName | null;
  readonly enabled: boolean | null;
  /** Each id with a comma behind it. */
  readonly via: string;
}

function toUsage({ id, module, enabled, via }: UsageRow): Usage {
  const chain = via.split(",").slice(0, -1);
  return {
    id: [id, ...chain.map((backend) => backend.replace("_", ""))].join(""),
    userId: id,
    module,
    enabled,
    via: chain,
  };
}

/** Where a use stands in the order of a page. */
interface UsageCursor {
  readonly ksuid: string;
  readonly userId: string;
  readonly via: string;
}

function cursorsOf({ after, before }: PageRequest) {
  return {
    after: after === undefined ? undefined : readCursor(after, "after"),
    before: before === undefined ? undefined : readCursor(before, "before"),
  };
}

const CURSOR = /^([a-z]+_([0-9A-Za-z]{27}))((?:[a-z]{5}[0-9A-Za-z]{27})*)$/;
const BACKEND_OF_CURSOR = /([a-z]{5})([0-9A-Za-z]{27})/g;

function readCursor(cursor: string, argument: "after" | "before"): UsageCursor {
  const [, userId, ksuid, chain] = CURSOR.exec(cursor) ?? [];
  if (userId === undefined || ksuid === undefined || chain === undefined) {
    throw invalidRequest([{ path: [argument], message: "is not a cursor of this list" }]);
  }
  return { ksuid, userId, via: chain.replace(BACKEND_OF_CURSOR, "$1_$2,") };
}
