import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import { list, reference, timestamp } from "../../core/fields.js";
import { type EdgeKind, lowestKsuidOf, RESOURCES, type ResourceKind } from "../../core/ids.js";
import { hostport } from "../../formats/networks.js";
import { identifier, type Reference, type Table } from "../../storage/graph.js";
import { COMMON_ORDERS, hostportKey, type OrderField } from "../orders.js";
import { MAX_IDS } from "../pages.js";
import { type Condition, type List, sequenceOf } from "../sequences.js";

// What the filters of all lists share. A filter is a rule whose members turn what they are given into SQL.

/** The maximum number of characters of a search text. */
export const MAX_SEARCH_LENGTH = 100;

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
  const prefix = others.length === 0 ? `${RESOURCES[kind].prefix}_` : "";
  const madeAt = sequence.created(Prisma.sql`item.id`);
  const lowest = (time: Date) => prefix + lowestKsuidOf(time);
  return {
    ...sequence,
    orders: [...COMMON_ORDERS, ...orders],
    filter: filterOf({
      ids: member(
        list(reference(...kinds), MAX_IDS),
        (ids) => Prisma.sql`item.id = ANY(${ids}::text[])`,
      ),
      search: member(searchText, hasText),
      createdAfter: member(timestamp, (time) => Prisma.sql`${madeAt} >= ${lowest(time)}`),
      createdBefore: member(timestamp, (time) => Prisma.sql`${madeAt} < ${lowest(time)}`),
      updatedAfter: member(timestamp, (time) => Prisma.sql`item.updated_at >= ${time}`),
      // What was not made by then was not changed by then: so a list does not begin with what is newer.
      updatedBefore: member(
        timestamp,
        (time) =>
          Prisma.sql`item.updated_at < ${time} AND ${madeAt} < ${lowest(later(time, CLOCKS_DIFFER_BY))}`,
      ),
      ...members,
    }),
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
  const list = Prisma.sql`found.${identifier(column)}`;
  return member(rule, (value) => isFoundIn(table, Prisma.sql`${list} @> ARRAY[${value}]::text[]`));
}

/** The rows that have the given id in their list of references. */
export function refersTo(
  { table, owner, column }: Reference,
  rule: z.ZodType<string>,
): z.ZodType<Condition | null> {
  return member(
    rule,
    (id) => Prisma.sql`item.id = ANY(ARRAY(
      SELECT link.${identifier(owner)} FROM ${identifier(table)} AS link
      WHERE link.${identifier(column)} = ${id}))`,
  );
}

/** The edges of a kind that have the given hostport, however it is written. */
export function hasHostport(kind: EdgeKind): z.ZodType<Condition | null> {
  return member(hostport, (value) =>
    isFoundIn(
      RESOURCES[kind].table,
      Prisma.sql`hostport_keys(found.hostports) @> ARRAY[hostport_key(${value}::text)]`,
    ),
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

/** Whether an address in SQL is the given one, however both are written. */
export function isHostport(address: Prisma.Sql, value: string): Condition {
  return Prisma.sql`${hostportKey(address)} = ${hostportKey(Prisma.sql`${value}::text`)}`;
}

/** A text as `LIKE` takes it literally. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Trimmed; at most 100 characters without control characters, which cannot be typed into a search box. */
const searchText = z
  .string()
  .transform((text) => text.trim())
  .superRefine((text, ctx) => {
    const { length } = [...text];
    if (length > MAX_SEARCH_LENGTH) {
      ctx.addIssue(`must have at most ${MAX_SEARCH_LENGTH} characters, and has ${length}`);
    }
    if (/\p{Cc}/u.test(text)) ctx.addIssue("must not contain control characters");
    if (!text.isWellFormed()) ctx.addIssue("must not contain unpaired surrogates");
  });

/** Begins each line of `search_text`, in which it is doubled where it is part of a text: see `search_lines`. */
const LINE_START = "ᚠ";

/** What the index of three characters in a row finds a text by. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/**
 * Description and metadata and more stand in a column that is made for this, a line each and in lower case. A single
 * character is found where a line begins. What is found by `LIKE` is exact; the pairs only lead there.
 */
function hasText(text: string): Condition | null {
  if (text === "") return null;
  const kept = text.replaceAll(LINE_START, LINE_START.repeat(2));
  const found = (text: string) =>
    Prisma.sql`item.search_text LIKE lower(${`%${literally(text)}%`}::text)`;
  if ([...text].length === 1) return found(`\n${LINE_START}${kept}`);
  if (THREE_IN_A_ROW.test(text)) return found(kept);
  return Prisma.sql`(${found(kept)}
    AND item.search_pairs @> search_pairs(lower(${kept}::text)))`;
}
