import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import { list, reference, timestamp } from "../../core/fields.js";
import { lowestKsuidOf, RESOURCES, type ResourceKind } from "../../core/ids.js";
import { MAX_IDS } from "../pages.js";
import { type Condition, type List, sequenceOf } from "../sequences.js";

// What the filters of all lists share. A filter is a rule whose members turn what they are given into SQL.

/** The maximum number of characters of a search text. */
export const MAX_SEARCH_LENGTH = 100;
/** A shorter text is searched for at the beginnings of lines: the index knows three characters in a row. */
const MIN_SUBSTRING_LENGTH = 3;

type Members = Readonly<Record<string, z.ZodType<Condition>>>;

interface ListOptions<Kind extends ResourceKind> {
  readonly kinds: readonly [Kind, ...Kind[]];
  /** What the filter has besides what every filter has. */
  readonly members?: Members;
}

/** The list of the resources of one kind, or of several that share a table. */
export function listOf<Kind extends ResourceKind>({
  kinds,
  members,
}: ListOptions<Kind>): List<Kind> {
  const [kind, ...others] = kinds;
  const sequence = sequenceOf(kind, others);
  const prefix = others.length === 0 ? `${RESOURCES[kind].prefix}_` : "";
  const madeAt = sequence.created(Prisma.sql`item.id`);
  const lowest = (time: Date) => prefix + lowestKsuidOf(time);
  return {
    ...sequence,
    filter: filterOf({
      ids: member(
        list(reference(...kinds), MAX_IDS),
        (ids) => Prisma.sql`item.id = ANY(${ids}::text[])`,
      ),
      search: member(searchText, hasText),
      createdAfter: member(timestamp, (time) => Prisma.sql`${madeAt} >= ${lowest(time)}`),
      createdBefore: member(timestamp, (time) => Prisma.sql`${madeAt} < ${lowest(time)}`),
      ...members,
    }),
  };
}

function filterOf(members: Members): List["filter"] {
  const shape = Object.entries(members).map(([name, rule]) => [name, rule.nullish()] as const);
  return z
    .strictObject(Object.fromEntries(shape))
    .transform((filter) => Object.values(filter).filter((condition) => condition != null));
}

/** The rule of a filter's member, and the condition that it puts on a row. */
export function member<Rule extends z.ZodType>(
  rule: Rule,
  condition: (value: z.output<Rule>) => Condition,
): z.ZodType<Condition> {
  return rule.transform(condition);
}

/** A value of a condition that is the time at which the statement is sent: a condition may be kept for longer. */
export const now = (): Date => new Date();

/** The rows that have the given text in `column`. */
export function equals(column: string, rule: z.ZodType<string>): z.ZodType<Condition> {
  const name = Prisma.raw(`item."${column}"`);
  return member(rule, (value) => Prisma.sql`${name} = ${value}`);
}

/** The rows of `table` that have the given text in the list that `column` is. */
export function includes(
  table: string,
  column: string,
  rule: z.ZodType<string>,
): z.ZodType<Condition> {
  const [from, list] = [Prisma.raw(`"${table}"`), Prisma.raw(`"${column}"`)];
  // Found by themselves first: PostgreSQL supposes many rows where it has no statistics of a value, and would
  // look for them along the order of the list.
  return member(
    rule,
    (value) => Prisma.sql`item.id = ANY(ARRAY(
      SELECT id FROM ${from} AS found WHERE found.${list} @> ARRAY[${value}]::text[]))`,
  );
}

/** A text as `LIKE` takes it literally. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Trimmed; 1 to 100 characters without control characters, which cannot be typed into a search box. */
const searchText = z
  .string()
  .transform((text) => text.trim())
  .superRefine((text, ctx) => {
    const { length } = [...text];
    if (length < 1 || length > MAX_SEARCH_LENGTH) {
      ctx.addIssue(`must have 1 to ${MAX_SEARCH_LENGTH} characters, and has ${length}`);
    }
    if (/\p{Cc}/u.test(text)) ctx.addIssue("must not contain control characters");
    if (!text.isWellFormed()) ctx.addIssue("must not contain unpaired surrogates");
  });

/** Begins each line of `search_text`, in which it is doubled where it is part of a text: see `search_lines`. */
const LINE_START = "ᚠ";

/** Description and metadata and more stand in a column that is made for this, a line each and in lower case. */
function hasText(text: string): Condition {
  const start = [...text].length < MIN_SUBSTRING_LENGTH ? `\n${LINE_START}` : "";
  const kept = literally(text.replaceAll(LINE_START, LINE_START.repeat(2)));
  return Prisma.sql`item.search_text LIKE lower(${`%${start}${kept}%`}::text)`;
}
