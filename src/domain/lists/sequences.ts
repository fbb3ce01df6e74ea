import { z } from "zod";
import { Prisma } from "../../database/index.js";
import { withDefault } from "../core/fields.js";
import { KSUID_LENGTH, RESOURCES, type ResourceKind } from "../core/ids.js";
import { countOf } from "../storage/counts.js";
import { hasIdOfKind, identifier, kindsIn, type Reference, type Table } from "../storage/graph.js";
import { inRange, type Keyset, orderBy } from "./keyset.js";

// Lists that can be filtered and ordered, as SQL. In it a row of a list is called `item`.

/** A condition on a row, as SQL about `item`. A value that is a function is called when the statement is sent. */
export type Condition = Prisma.Sql;

/** Rows of a table, in an order. */
export interface Sequence<Kind extends ResourceKind = ResourceKind> {
  readonly table: Table;
  /** The kinds of resources that stand in it. */
  readonly kinds: readonly [Kind, ...Kind[]];
  /** What its rows have in common, such as the kind of a backend. */
  readonly always: readonly Condition[];
  /** What grows in creation order, of an id. */
  created(id: Prisma.Sql): Prisma.Sql;
}

/** A sequence that can be filtered. */
export interface List<Kind extends ResourceKind = ResourceKind> extends Sequence<Kind> {
  /** Parses a filter, in the caller's spelling, to what it demands: nothing for one without members. */
  readonly filter: z.ZodType<readonly Condition[]>;
}

/** Those of a sequence that refer to one row. */
export interface Nested<Of extends Sequence = Sequence> {
  readonly sequence: Of;
  readonly reference: Reference;
}

/** The resources of one kind, or of several that share a table. */
export function sequenceOf<Kind extends ResourceKind>(
  kind: Kind,
  others: readonly Kind[] = [],
): Sequence<Kind> {
  const { table } = RESOURCES[kind];
  const kinds = [kind, ...others] as const;
  const always = kinds.length < kindsIn(table).length ? [isOfKinds(kinds)] : [];
  // Ids of several kinds sort by their prefixes first.
  const created = (id: Prisma.Sql) =>
    others.length === 0 ? id : Prisma.sql`right(${id}, ${Prisma.raw(String(KSUID_LENGTH))})`;
  return { table, kinds, always, created };
}

function isOfKinds(kinds: readonly ResourceKind[]): Condition {
  const id = Prisma.sql`item.id`;
  const conditions = kinds.map((kind) => hasIdOfKind(id, kind));
  return conditions.length === 1
    ? Prisma.join(conditions)
    : Prisma.sql`(${Prisma.join(conditions, " OR ")})`;
}

export const order = z.strictObject({
  field: withDefault(z.enum(["created_at", "description"]), "created_at"),
  direction: withDefault(z.enum(["asc", "desc"]), "desc"),
});

export type Order = z.output<typeof order>;

export const NEWEST_FIRST: Order = { field: "created_at", direction: "desc" };
export const OLDEST_FIRST: Order = { field: "created_at", direction: "asc" };

/** A cursor: the position of a row in a list. It stays valid when the row changes or is deleted. */
export interface Cursor {
  readonly id: string;
  /** In the order by description: what it was when the row was listed. */
  readonly description?: string | undefined;
}

/** Selects a part of a list, as in `PageRequest`, but in any order; `after` and `before` refer to that order. */
export interface ListRequest {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly limit: number;
  readonly after?: Cursor | undefined;
  readonly before?: Cursor | undefined;
  /** The last rows of the range instead of the first, from the last one on. */
  readonly fromEnd?: boolean | undefined;
}

/** A cursor whose parts are values of SQL: what they are is said when the statement is sent. */
interface BoundCursor {
  readonly id: unknown;
  readonly description: unknown;
}

/** A page in SQL. */
export interface BoundPage {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly fromEnd: boolean;
  readonly limit: Prisma.Sql;
  readonly after: BoundCursor | null;
  readonly before: BoundCursor | null;
}

/** Compared byte by byte, ignoring the case of ASCII letters, independent of the collation of the database. */
const folded = (description: Prisma.Sql) => Prisma.sql`lower(${description} COLLATE "C")`;

/** The rows of a page, as a query. `own` is what belongs to the page besides its conditions. */
export function pageQuery(
  list: Sequence,
  page: BoundPage,
  own: readonly Condition[] = [],
): Prisma.Sql {
  const { order, limit, fromEnd, after, before, conditions } = page;
  const keyset = keysetOf(list, order, "item");
  const keyAt = ({ id, description }: BoundCursor) =>
    keyOf(list, order, Prisma.sql`${id}::text`, Prisma.sql`${description}::text`);
  const range = inRange(keyset, { after: after && keyAt(after), before: before && keyAt(before) });
  return Prisma.sql`SELECT item.* FROM ${identifier(list.table)} AS item
    ${where([...own, ...list.always, ...conditions, ...range])}
    ${orderBy(keyset, fromEnd)} LIMIT ${limit}`;
}

/** What orders a list, of the rows that are called `row`. */
export function keysetOf(list: Sequence, order: Order, row: string): Keyset {
  const [id, description] = [Prisma.raw(`${row}.id`), Prisma.raw(`${row}.description`)];
  return { key: keyOf(list, order, id, description), direction: order.direction };
}

function keyOf(list: Sequence, { field }: Order, id: Prisma.Sql, description: Prisma.Sql) {
  return field === "description" ? [folded(description), id] : [list.created(id)];
}

const KEPT_COUNTS = new WeakMap<Condition, Prisma.Sql>();

/** `condition`, of which `count` tells quickly how many rows of its list meet it: an SQL expression. */
export function withKeptCount(condition: Condition, count: Prisma.Sql): Condition {
  KEPT_COUNTS.set(condition, count);
  return condition;
}

/**
 * The number of rows of the whole sequence that meet `conditions`, as an SQL expression. It uses stored counts where
 * they exist.
 */
export function countOfAll(list: Sequence, conditions: readonly Condition[]): Prisma.Sql {
  const [condition, ...others] = conditions;
  if (!condition) return countOf(...list.kinds);
  const kept = others.length === 0 ? KEPT_COUNTS.get(condition) : undefined;
  return kept ?? Prisma.sql`(${countQuery(list, conditions)})`;
}

/** The number of rows that meet `conditions`, as a query. */
export function countQuery(list: Sequence, conditions: readonly Condition[]): Prisma.Sql {
  return Prisma.sql`SELECT count(*) FROM ${identifier(list.table)} AS item
    ${where([...list.always, ...conditions])}`;
}

function where(conditions: readonly Condition[]): Prisma.Sql {
  return conditions.length > 0
    ? Prisma.sql`WHERE ${Prisma.join([...conditions], " AND ")}`
    : Prisma.empty;
}
