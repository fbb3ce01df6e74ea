import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import { list, reference, timestamp } from "../../core/fields.js";
import { type EdgeKind, lowestKsuidOf, RESOURCES, type ResourceKind } from "../../core/ids.js";
import { hostport } from "../../formats/networks.js";
import { identifier, type Reference, type Table } from "../../storage/graph.js";
import { COMMON_ORDERS, domainKey, hostportKey, type OrderField } from "../orders.js";
import { MAX_IDS } from "../pages.js";
import { type Condition, type List, type Sequence, sequenceOf } from "../sequences.js";
import { hasText, searchText } from "./search.js";

// What the filters of all lists share. A filter is a rule whose members turn what they are given into SQL.

/** A rule for each member: what it is given, as a condition; null when that demands nothing. */
type Members = Readonly<Record<string, z.ZodType<Condition | null>>>;

interface ListOptions<Kind extends ResourceKind> {
  readonly kinds: readonly [Kind, ...Kind[]];
  /** What the filter has besides what every filter has. */
  readonly members?: Members;
  /** What it can be ordered by besides what every list can be ordered by. */
  readonly orders?: readonly OrderField[];
}

/** The list of the resources of one kind, or of several that share a table. */
export function listOf<Kind extends ResourceKind>({
  kinds,
  members,
  orders = [],
}: ListOptions<Kind>): List<Kind> {
  const [kind, ...others] = kinds;
  const sequence = sequenceOf(kind, others);
  const made = madeIn(sequence);
  return {
    ...sequence,
    orders: [...COMMON_ORDERS, ...orders],
    filter: filterOf({
      ids: member(
        list(reference(...kinds), MAX_IDS),
        (ids) => Prisma.sql`item.id = ANY(${ids}::text[])`,
      ),
      search: member(searchText, hasText),
      createdAfter: member(timestamp, made.from),
      createdBefore: member(timestamp, made.before),
      updatedAfter: member(timestamp, (time) => Prisma.sql`item.updated_at >= ${time}`),
      // What was not made by then was not changed by then: so a list does not begin with what is newer.
      updatedBefore: member(
        timestamp,
        (time) =>
          Prisma.sql`item.updated_at < ${time} AND ${made.before(later(time, CLOCKS_DIFFER_BY))}`,
      ),
      ...members,
    }),
  };
}

/** The rows of a sequence that were made at a time or later, and those that were made before, by their ids. */
export function madeIn({ kinds, created }: Sequence) {
  const [kind, ...others] = kinds;
  const prefix = others.length === 0 ? `${RESOURCES[kind].prefix}_` : "";
  const madeAt = created(Prisma.sql`item.id`);
  const lowest = (time: Date) => prefix + lowestKsuidOf(time);
  return {
    from: (time: Date): Condition => Prisma.sql`${madeAt} >= ${lowest(time)}`,
    before: (time: Date): Condition => Prisma.sql`${madeAt} < ${lowest(time)}`,
  };
}

/** How much later a row may seem to be made than changed, by the clocks of two processes; in milliseconds. */
const CLOCKS_DIFFER_BY = 3_600_000;

function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds);
}

function filterOf(members: Members): List["filter"] {
  const shape = Object.entries(members).map(([name, rule]) => [name, unlessEmpty(rule)] as const);
  return z
    .strictObject(Object.fromEntries(shape))
    .transform((filter) => Object.values(filter).filter((condition) => condition != null));
}

/** Empty is not a value that something must have: a form sends it for what nobody filled in. */
function unlessEmpty<Rule extends z.ZodType>(rule: Rule) {
  return z.preprocess((value) => (isEmpty(value) ? undefined : value), rule.optional());
}

/** Null, an empty text or list, or an object with nothing in it but these. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

/** The rule of a filter's member, and the condition that it puts on a row. */
export function member<Rule extends z.ZodType>(
  rule: Rule,
  condition: (value: z.output<Rule>) => Condition | null,
): z.ZodType<Condition | null> {
  return rule.transform(condition);
}

/** A value of a condition that is the time at which the statement is sent: a condition may be kept for longer. */
export const now = (): Date => new Date();

/** The rows that have the given text in `column`. */
export function equals(column: string, rule: z.ZodType<string>): z.ZodType<Condition | null> {
  const name = Prisma.raw(`item."${column}"`);
  return member(rule, (value) => Prisma.sql`${name} = ${value}`);
}

/** The rows of `table` that have the given text in the list that `column` is. */
export function includes(
  table: Table,
  column: string,
  rule: z.ZodType<string>,
): z.ZodType<Condition | null> {
  return member(rule, (value) => listHas(table, column, value));
}

/** The rows of `table` whose list in `column` has the text `value`. */
export function listHas(table: Table, column: string, value: string): Condition {
  const list = Prisma.sql`found.${identifier(column)}`;
  return isFoundIn(table, Prisma.sql`${list} @> ARRAY[${value}]::text[]`);
}

/** The rows that have the given id in their list of references. */
export function refersTo(
  reference: Reference,
  rule: z.ZodType<string>,
): z.ZodType<Condition | null> {
  return member(rule, (id) => hasReferenceTo(reference, id));
}

/** The rows that have `id` in a list of references. */
export function hasReferenceTo({ table, owner, column }: Reference, id: string): Condition {
  return Prisma.sql`item.id = ANY(ARRAY(
    SELECT link.${identifier(owner)} FROM ${identifier(table)} AS link
    WHERE link.${identifier(column)} = ${id}))`;
}

/** The edges of a kind that have the given hostport, however it is written. */
export function hasHostport(kind: EdgeKind): z.ZodType<Condition | null> {
  return member(hostport, (value) => isServedOn(RESOURCES[kind].table, value));
}

/** The edges in `table` that have `value` among their hostports, however it is written. */
export function isServedOn(table: Table, value: string): Condition {
  return isFoundIn(
    table,
    Prisma.sql`hostport_keys(found.hostports) @> ARRAY[hostport_key(${value}::text)]`,
  );
}

/**
 * The rows of `table` that meet a condition on `found`. They are found by themselves first: PostgreSQL supposes many
 * rows where it has no statistics of a value, and would look for them along the order of the list.
 */
export function isFoundIn(table: Table, condition: Prisma.Sql): Condition {
  return Prisma.sql`item.id = ANY(ARRAY(
    SELECT id FROM ${identifier(table)} AS found WHERE ${condition}))`;
}

/** The rows with this domain, whatever its case. */
export function isDomain(value: string): Condition {
  return Prisma.sql`${domainKey(Prisma.sql`item.domain`)} = ${domainKey(Prisma.sql`${value}::text`)}`;
}

/** Whether an address in SQL is the given one, however both are written. */
export function isHostport(address: Prisma.Sql, value: string): Condition {
  return Prisma.sql`${hostportKey(address)} = ${hostportKey(Prisma.sql`${value}::text`)}`;
}
