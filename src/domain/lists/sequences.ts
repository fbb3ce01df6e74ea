import type { z } from "zod";
import { Prisma } from "../../database/index.js";
import { BACKEND_KINDS, KSUID_LENGTH, RESOURCES, type ResourceKind } from "../core/ids.js";
import { countOf } from "../storage/counts.js";
import { hasIdOfKind, identifier, kindsIn, type Reference, type Table } from "../storage/graph.js";
import { inRange, type Keyset, orderBy } from "./keyset.js";
import type { CursorValue, Order, OrderField, OrderKey } from "./orders.js";
import type { PageRequest } from "./pages.js";

// Lists that can be filtered and ordered, as SQL. In it a row of a list is called `item`.

/** A condition on a row, as SQL about `item`. A value that is a function is called when the statement is sent. */
export type Condition = Prisma.Sql;

/** Rows of a table, in an order. */
export interface Sequence<Kind extends ResourceKind = ResourceKind> {
  readonly table: Table;
  /** The kinds of resources that stand in it. */
  readonly kinds: readonly [Kind, ...Kind[]];
  /** What its rows have in common, such as the kind of a backend: by their ids, as the order of creation has them. */
  readonly always: readonly Condition[];
  /** The same by what the indexes of all other orders begin with. */
  readonly alwaysInOtherOrders: readonly Condition[];
  /** What grows in creation order, of an id. */
  created(id: Prisma.Sql): Prisma.Sql;
  /** The same as the last column of the indexes of all other orders. */
  createdInOtherOrders(id: Prisma.Sql): Prisma.Sql;
}

/** A sequence that can be filtered, and ordered in several ways. */
export interface List<Kind extends ResourceKind = ResourceKind> extends Sequence<Kind> {
  readonly orders: readonly OrderField[];
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
  const isPart = kinds.length < kindsIn(table).length;
  const isShared = kindsIn(table).length > 1;
  // Ids of several kinds sort by their prefixes first.
  const ksuid = (id: Prisma.Sql) => Prisma.sql`right(${id}, ${Prisma.raw(String(KSUID_LENGTH))})`;
  const itself = (id: Prisma.Sql) => id;
  return {
    table,
    kinds,
    always: isPart ? [hasIdOfKinds(kinds)] : [],
    alwaysInOtherOrders: isPart ? [isOfKinds(kinds)] : [],
    created: others.length === 0 ? itself : ksuid,
    createdInOtherOrders: isShared ? ksuid : itself,
  };
}

function hasIdOfKinds(kinds: readonly ResourceKind[]): Condition {
  const id = Prisma.sql`item.id`;
  const conditions = kinds.map((kind) => hasIdOfKind(id, kind));
  return conditions.length === 1
    ? Prisma.join(conditions)
    : Prisma.sql`(${Prisma.join(conditions, " OR ")})`;
}

/** The kinds as the column says them. They are no parameters, since each kind has a plan of its own. */
function isOfKinds(kinds: readonly ResourceKind[]): Condition {
  const names = Object.entries(BACKEND_KINDS)
    .filter(([, kind]) => kinds.some((each) => each === kind))
    .map(([name]) => `'${name}'`);
  if (names.length === 0) throw new Error(`No kind of backend is one of ${kinds.join(", ")}.`);
  return Prisma.raw(`item.kind IN (${names.join(", ")})`);
}

/** A cursor: the position of a row in a list. It stays valid when the row changes or is deleted. */
export interface Cursor {
  readonly id: string;
  /** In an order by a value: what it was when the row was listed. Undefined in the order of creation. */
  readonly value?: CursorValue | undefined;
}

/** Selects a part of what is found in a list, newest first. */
export interface FilteredPageRequest extends PageRequest {
  readonly conditions?: readonly Condition[];
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
  readonly value: unknown;
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

/** The rows of a page, as a query. `own` is what belongs to the page besides its conditions. */
export function pageQuery(
  list: Sequence,
  page: BoundPage,
  own: readonly Condition[] = [],
): Prisma.Sql {
  const { order, limit, fromEnd, after, before, conditions } = page;
  const keyset = keysetOf(list, order, "item");
  const keyAt = ({ id, value }: BoundCursor) =>
    keyOf(list, order, Prisma.sql`${id}::text`, ({ type }) => Prisma.sql`${value}::${type}`);
  const range = inRange(keyset, { after: after && keyAt(after), before: before && keyAt(before) });
  const always = order.field.key ? list.alwaysInOtherOrders : list.always;
  return Prisma.sql`SELECT item.* FROM ${identifier(list.table)} AS item
    ${where([...own, ...always, ...conditions, ...range])}
    ${orderBy(keyset, fromEnd)} LIMIT ${limit}`;
}

/** What orders a list, of the rows that are called `row`. */
export function keysetOf(list: Sequence, order: Order, row: string): Keyset {
  const key = keyOf(list, order, Prisma.raw(`${row}.id`), ({ column }) => column(row));
  return { key, direction: order.direction };
}

function keyOf(
  list: Sequence,
  { field: { key } }: Order,
  id: Prisma.Sql,
  value: (key: OrderKey) => Prisma.Sql,
): Prisma.Sql[] {
  return key ? [key.compared(value(key)), list.createdInOtherOrders(id)] : [list.created(id)];
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
