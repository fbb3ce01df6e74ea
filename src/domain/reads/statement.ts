import { PLANNED_ANEW, Prisma } from "../../database/index.js";
import { inRange, type Keyset, orderBy } from "../lists/keyset.js";
import {
  type BoundPage,
  countOfAll,
  countQuery,
  keysetOf,
  pageQuery,
  type Sequence,
} from "../lists/sequences.js";
import { identifier, type Reference, type Table } from "../storage/graph.js";
import { type Detail, detailed, type Field } from "./fields.js";
import type { GivenPage, NestedPage, PageShape, Question, Shape, Target } from "./shape.js";
import { fieldsOf } from "./tables.js";
import { inSlot, SLOTS } from "./together.js";

// Turns a question into the one statement that answers it. What is nested in the shape is nested in the statement,
// and its answer is one JSON text. This is the only place with SQL for reading resources.

/** The values of a statement that change each time that it is sent. */
export interface Asked {
  /** Of the rows, or of the owners of the pages, that are asked for. */
  readonly ids: readonly string[];
  /** By their numbers in the shape. */
  readonly pages: readonly (GivenPage | null)[];
}

/** The same, and how much the answer may be: longer ones are cut. */
interface Given extends Asked {
  readonly mostBytes: number;
}

export interface Statement {
  readonly text: string;
  /** The values of its parameters. */
  values(given: Given): unknown[];
}

/** A value that is known when the statement is sent. */
type Bound = (given: Given) => unknown;

/** The key under which an object has what its field refers to. */
export function targetKey(field: string): string {
  return `@${field}`;
}

/** The key under which a row's JSON has a page; what it is in the end is said with the request. */
export function pageKey(number: number): string {
  return `#${number}`;
}

/** Where one literal ends and the next begins: as one, PostgreSQL has half as much to put together. */
const BETWEEN_LITERALS = "' || '";

/** The statement that answers a question. For a context with a budget, its result is limited. */
export function statementOf(question: Question, isBounded: boolean): Statement {
  const query = isBounded ? bounded(question, queryOf(question)) : queryOf(question);
  const anew = hasConditions(question) ? PLANNED_ANEW : "";
  const { values } = query;
  return {
    text: anew + query.text.replaceAll(BETWEEN_LITERALS, ""),
    values: (given) =>
      values.map((value) => (typeof value === "function" ? (value as Bound)(given) : value)),
  };
}

/** The plan of a statement with conditions depends on how much their values find. */
function hasConditions(question: Question): boolean {
  const inPage = ({ conditions, rows }: PageShape): boolean =>
    conditions.length > 0 || (rows !== null && inShape(rows));
  const inShape = ({ targets, pages }: Shape): boolean =>
    targets.some(({ shape }) => inShape(shape)) || pages.some(({ page }) => inPage(page));
  return question.kind === "rows" ? inShape(question.shape) : inPage(question.page);
}

/** The end mark of an answer that was cut because it is too long. The JSON of an object never ends with it. */
export const CUT = "!";

/** The answers of a query, or the beginning of each when they are too long together. One of single rows bounds each. */
function bounded(question: Question, query: Prisma.Sql): Prisma.Sql {
  const most: Bound = ({ mostBytes }) => mostBytes;
  const own = Prisma.sql`octet_length(answer.json)`;
  const isSingle = question.kind === "page" || (question.kind === "rows" && question.isOne);
  const bytes = isSingle ? own : Prisma.sql`sum(${own}) OVER ()`;
  // The offset has PostgreSQL put each answer together once. What is left of it has the id of a row.
  return Prisma.sql`SELECT CASE WHEN ${bytes} <= ${most}::bigint THEN answer.json
    ELSE left(answer.json, 64) || ${Prisma.raw(`'${CUT}'`)} END AS json
    FROM (${query} OFFSET 0) AS answer`;
}

function queryOf(question: Question): Prisma.Sql {
  const aliases = newAliases();
  const ids: Bound = ({ ids }) => [...ids];
  if (question.kind === "rows") {
    const row = aliases();
    const wanted = question.isOne ? IN_SLOTS : Prisma.sql`= ANY(${ids}::text[])`;
    return Prisma.sql`SELECT ${rowText(aliases, row, question.table, question.shape)} AS json
      FROM ${identifier(question.table)} AS ${row} WHERE ${row}.${identifier(question.by)} ${wanted}
      ORDER BY ${row}.id`;
  }
  const { page } = question;
  if (question.kind === "page") {
    const { sequence } = question;
    return Prisma.sql`SELECT ${pageText(aliases, sequence, page, pageQuery(sequence, bound(page)), countOfAll(sequence, page.conditions))} AS json`;
  }
  const owner = aliases();
  const text = nestedText(aliases, owner, { nested: question.nested, page });
  return Prisma.sql`SELECT '{"id":"' || ${owner}.id || '","page":' || ${text} || '}' AS json
    FROM (SELECT given.id COLLATE "C" AS id FROM unnest(${ids}::text[]) AS given(id)) AS ${owner}`;
}

/** The one id that is asked for, and those of others who ask the same. */
const IN_SLOTS = Prisma.sql`IN (${Prisma.join(
  SLOTS.map(
    (slot): Bound =>
      ({ ids }) =>
        inSlot(ids, slot),
  ),
)})`;

type Aliases = () => Prisma.Sql;

function newAliases(): Aliases {
  let last = 0;
  return () => {
    last += 1;
    return Prisma.raw(`t${last}`);
  };
}

/** A row as JSON text. */
function rowText(aliases: Aliases, row: Prisma.Sql, table: Table, shape: Shape): Prisma.Sql {
  const fields = fieldsOf(table);
  const targets = new Map(shape.targets.map((target) => [target.field, target]));
  const members: [string, Prisma.Sql][] = [];
  for (const name of new Set(["id", ...shape.fields.keys(), ...targets.keys()])) {
    const field = fieldOf(fields, name, shape.fields.get(name) ?? "outline");
    const target = targets.get(name);
    const found = target && targetText(aliases, row, referenceOf(field, name), target);
    const isInside = found !== undefined && field.reference?.module != null;
    const linked = isInside ? Prisma.sql`|| ${key(targetKey(name))} || ${found}` : Prisma.empty;
    members.push([name, field.text(row, linked)]);
    if (found && !isInside) members.push([targetKey(name), found]);
  }
  for (const { nested, page } of shape.pages) {
    members.push([pageKey(page.number), nestedText(aliases, row, { nested, page })]);
  }
  const texts = members.map(([name, text], index) =>
    index === 0
      ? Prisma.sql`${Prisma.raw(`'{"${name}":'`)} || ${text}`
      : Prisma.sql`${key(name)} || ${text}`,
  );
  return Prisma.sql`${Prisma.join(texts, " || ")} || '}'`;
}

/** The name of a member that is not the first. */
function key(name: string): Prisma.Sql {
  return Prisma.raw(`',"${name}":'`);
}

function fieldOf(fields: Readonly<Record<string, Field>>, name: string, detail: Detail): Field {
  const field = fields[name];
  if (!field) throw new Error(`There is no field ${name}.`);
  return detailed(field, detail);
}

function referenceOf({ reference }: Field, name: string): Reference {
  if (reference) return reference;
  throw new Error(`The field ${name} refers to nothing.`);
}

/** The resources to which the row refers, as JSON text: one row or null, or an array. */
function targetText(
  aliases: Aliases,
  row: Prisma.Sql,
  { to, table, owner, column, isList }: Reference,
  { shape }: Target,
): Prisma.Sql {
  const target = aliases();
  const text = rowText(aliases, target, to, shape);
  const from = Prisma.sql`FROM ${identifier(to)} AS ${target}`;
  if (!isList) {
    return Prisma.sql`coalesce((SELECT ${text} ${from} WHERE ${target}.id = ${row}.${identifier(column)}), 'null')`;
  }
  const link = aliases();
  return Prisma.sql`(SELECT ${arrayOf(text, Prisma.sql`ORDER BY ${link}.position`)} ${from}
    JOIN ${identifier(table)} AS ${link} ON ${target}.id = ${link}.${identifier(column)}
    WHERE ${link}.${identifier(owner)} = ${row}.id)`;
}

function arrayOf(text: Prisma.Sql, order: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`'[' || coalesce(string_agg(${text}, ',' ${order}), '') || ']'`;
}

/** A page of the resources that refer to the row, as JSON text. */
function nestedText(aliases: Aliases, row: Prisma.Sql, { nested, page }: NestedPage): Prisma.Sql {
  const { sequence, reference } = nested;
  const { table, owner, column, isList } = reference;
  const ofRow = Prisma.sql`${row}.id`;
  if (!isList) {
    const own = Prisma.sql`item.${identifier(column)} = ${ofRow}`;
    const count = Prisma.sql`(${countQuery(sequence, [own, ...page.conditions])})`;
    return pageText(aliases, sequence, page, pageQuery(sequence, bound(page), [own]), count);
  }
  const link = Prisma.sql`link.${identifier(owner)}`;
  const own = Prisma.sql`link.${identifier(column)} = ${ofRow}`;
  const { limit, after, before, fromEnd } = bound(page);
  const keyset: Keyset = { key: [link], direction: "desc" };
  const range = inRange(keyset, { after: after && [after.id], before: before && [before.id] });
  const rows = Prisma.sql`SELECT item.* FROM (
      SELECT ${link} AS id FROM ${identifier(table)} AS link
      WHERE ${Prisma.join([own, ...range], " AND ")} ${orderBy(keyset, fromEnd)} LIMIT ${limit}
    ) AS found JOIN ${identifier(reference.from)} AS item ON item.id = found.id`;
  const count = Prisma.sql`(SELECT count(*) FROM ${identifier(table)} AS link WHERE ${own})`;
  return pageText(aliases, byId(sequence), page, rows, count);
}

/** Links are indexed by the full ids of the owners, for every kind. */
function byId(sequence: Sequence): Sequence {
  return { ...sequence, created: (id) => id };
}

/** A page as JSON text: its rows, and how many there are in all if that is asked. */
function pageText(
  aliases: Aliases,
  sequence: Sequence,
  page: PageShape,
  query: Prisma.Sql,
  count: Prisma.Sql,
): Prisma.Sql {
  const counted = page.count ? Prisma.sql`|| ',"count":' || ${count}` : Prisma.empty;
  if (!page.rows) return Prisma.sql`'{"rows":[]' ${counted} || '}'`;
  const row = aliases();
  const text = rowText(aliases, row, sequence.table, page.rows);
  const rows = arrayOf(text, orderBy(keysetOf(sequence, page.order, row.sql), page.fromEnd));
  return Prisma.sql`(SELECT '{"rows":' || ${rows} FROM (${query}) AS ${row}) ${counted} || '}'`;
}

/** The page with its values left open. */
function bound({
  number,
  conditions,
  order,
  limit,
  fromEnd,
  isAfter,
  isBefore,
  more,
}: PageShape): BoundPage {
  const requested = ({ pages }: Given) => {
    const page = pages[number];
    if (!page) throw new Error(`Page ${number} was not given.`);
    return page.request;
  };
  const place = (name: "after" | "before") => {
    const id: Bound = (given) => requested(given)[name]?.id;
    const value: Bound = (given) => requested(given)[name]?.value ?? null;
    return { id, value };
  };
  return {
    conditions,
    order,
    fromEnd,
    // Not a parameter, of which PostgreSQL would suppose that it takes in a tenth of the table, and plan anew for less.
    limit: Prisma.raw(String(limit + (more ? 1 : 0))),
    after: isAfter ? place("after") : null,
    before: isBefore ? place("before") : null,
  };
}
