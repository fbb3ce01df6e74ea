import { z } from "zod";
import { PLANNED_ANEW, Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import { withDefault } from "./fields.js";
import type { ResourceKind } from "./ids.js";
import { countOf } from "./tallies.js";

// Lists that can be filtered and ordered. A list finds the ids of a page; the rows are read by id after that,
// by what reads them anyway. In its SQL a row is called `item`.

/** What a row must meet to be found, as SQL about `item`. */
export type Condition = Prisma.Sql;

/** What can be listed. */
export interface List {
  /** The kinds of resources that stand in it. */
  readonly kinds: readonly [ResourceKind, ...ResourceKind[]];
  readonly table: Prisma.Sql;
  /** Parses a filter, in the caller's spelling, to what it demands: nothing for one without members. */
  readonly filter: z.ZodType<readonly Condition[]>;
  /** What the rows of this list have in common, such as the kind of a backend. */
  readonly always: readonly Condition[];
  /** What grows in creation order, of an id. */
  created(id: Prisma.Sql): Prisma.Sql;
}

export const order = z.strictObject({
  field: withDefault(z.enum(["created_at", "description"]), "created_at"),
  direction: withDefault(z.enum(["asc", "desc"]), "desc"),
});

export type Order = z.output<typeof order>;

/** Where a row stands in a list: what a cursor says of it. It is there also when the row is not any more. */
export interface Position {
  readonly id: string;
  /** In the order by description: what it was when the row was listed. */
  readonly description?: string | undefined;
}

/** Which part of a list, as in `PageRequest`, but in any order: `after` and `before` are meant in it. */
export interface ListRequest {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly limit: number;
  readonly after?: Position | undefined;
  readonly before?: Position | undefined;
  /** The last rows of the range instead of the first, from the last one on. */
  readonly fromEnd?: boolean | undefined;
}

/** The rows of a page, in one statement. */
export async function findOnPage(
  { db }: Context,
  list: List,
  request: ListRequest,
): Promise<Position[]> {
  return db.$queryRaw<Position[]>`${ANEW} ${onPage(list, request, request.conditions)}`;
}

/** How many rows meet `conditions`. */
export async function countFound(
  context: Context,
  list: List,
  conditions: readonly Condition[],
): Promise<number> {
  if (conditions.length === 0) return countOf(context, ...list.kinds);
  const kept = keptCount(conditions);
  const [found] = await context.db.$queryRaw<{ count: number }[]>`
    ${ANEW} ${kept ? Prisma.sql`SELECT ${kept} AS count` : counted(list, conditions)}`;
  return found?.count ?? 0;
}

function counted(list: List, conditions: readonly Condition[]): Prisma.Sql {
  return Prisma.sql`SELECT count(*)::integer AS count FROM ${list.table} AS item
    ${where([...list.always, ...conditions])}`;
}

const KEPT_COUNTS = new WeakMap<Condition, Prisma.Sql>();

/** `condition`, of which `count` tells quickly how many rows of its list meet it: an SQL expression. */
export function withKeptCount(condition: Condition, count: Prisma.Sql): Condition {
  KEPT_COUNTS.set(condition, count);
  return condition;
}

/** How many rows of the list meet all of `conditions`, where something tells that quickly. */
function keptCount([condition, ...others]: readonly Condition[]): Prisma.Sql | undefined {
  return condition && others.length === 0 ? KEPT_COUNTS.get(condition) : undefined;
}

/** The part of a list that refers to one row, which is in the column `parent`: for many such rows at once. */
export interface NestedList {
  readonly list: List;
  readonly parent: Prisma.Sql;
}

export function nestedList(list: List, column: string): NestedList {
  return { list, parent: Prisma.sql`item.${Prisma.raw(`"${column}"`)}` };
}

/** The same page for each of `parents`, in one statement. */
export async function findOnPagesOf(
  { db }: Context,
  { list, parent }: NestedList,
  parents: readonly string[],
  request: ListRequest,
): Promise<Map<string, Position[]>> {
  const own = Prisma.sql`${parent} = parent.id COLLATE "C"`;
  const rows = await db.$queryRaw<(Position & { readonly parent: string })[]>`
    ${ANEW} SELECT parent.id AS parent, page.* FROM unnest(${[...parents]}::text[]) AS parent(id)
    CROSS JOIN LATERAL (${onPage(list, request, [own, ...request.conditions])}) AS page`;
  const pages = new Map<string, Position[]>(parents.map((id) => [id, []]));
  for (const { parent, ...position } of rows) pages.get(parent)?.push(position);
  return pages;
}

/** For each of `parents`, how many rows meet `conditions`; nothing for one without. */
export async function countFoundOf(
  { db }: Context,
  { list, parent }: NestedList,
  parents: readonly string[],
  conditions: readonly Condition[],
): Promise<Map<string, number>> {
  const own = Prisma.sql`${parent} = ANY(${[...parents]}::text[])`;
  const rows = await db.$queryRaw<{ parent: string; count: number }[]>`
    ${ANEW} SELECT ${parent} AS parent, count(*)::integer AS count FROM ${list.table} AS item
    ${where([...list.always, own, ...conditions])} GROUP BY ${parent}`;
  return new Map(rows.map(({ parent, count }) => [parent, count]));
}

/** Each combination of conditions is a statement of its own, and its plan depends on how much they find. */
const ANEW = Prisma.raw(PLANNED_ANEW);

const ID = Prisma.sql`item.id`;

/** Bytewise but for the case of ASCII letters, whatever the collation of the database is. */
const folded = (description: Prisma.Sql) => Prisma.sql`lower(${description} COLLATE "C")`;

function onPage(list: List, request: ListRequest, conditions: readonly Condition[]): Prisma.Sql {
  const { order, limit, after, before, fromEnd = false } = request;
  const ascending = (order.direction === "asc") !== fromEnd;
  const direction = Prisma.raw(ascending ? "ASC" : "DESC");
  const [beyond, short] = (order.direction === "asc" ? [">", "<"] : ["<", ">"]).map(Prisma.raw);
  const byDescription = order.field === "description";
  const keyOf = ({ id, description }: Position) =>
    byDescription
      ? Prisma.sql`(${folded(Prisma.sql`${description ?? ""}::text`)}, ${id})`
      : list.created(Prisma.sql`${id}::text`);
  const description = folded(Prisma.sql`item.description`);
  const key = byDescription ? Prisma.sql`(${description}, ${ID})` : list.created(ID);
  const range = [
    ...(after ? [Prisma.sql`${key} ${beyond} ${keyOf(after)}`] : []),
    ...(before ? [Prisma.sql`${key} ${short} ${keyOf(before)}`] : []),
  ];
  const columns = byDescription ? Prisma.sql`${ID}, item.description` : ID;
  const ordered = byDescription
    ? Prisma.sql`${description} ${direction}, ${ID} ${direction}`
    : Prisma.sql`${key} ${direction}`;
  return Prisma.sql`SELECT ${columns} FROM ${list.table} AS item
    ${where([...list.always, ...conditions, ...range])} ORDER BY ${ordered} LIMIT ${limit}`;
}

function where(conditions: readonly Condition[]): Prisma.Sql {
  return conditions.length > 0
    ? Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}`
    : Prisma.empty;
}
