import type { Context } from "../context.js";
import type { Table } from "../graph.js";
import type { ListRequest } from "../lists.js";
import {
  type Decode,
  decoderOf,
  type Json,
  type PageDecoder,
  pageDecoderOf,
  type ReadPage,
} from "./decode.js";
import type { GivenPage, Question } from "./shape.js";
import { type Asked, type Statement, statementOf } from "./statement.js";

// Asks a question: one statement, whose plan is kept with the question.

export type RowsQuestion = Extract<Question, { kind: "rows" }>;
export type PageQuestion = Extract<Question, { kind: "page" }>;
export type PagesQuestion = Extract<Question, { kind: "pages" }>;

/** The requests for the pages in a shape, whose numbers begin with 1; 0 is the page that is asked for itself. */
type NestedPages = readonly GivenPage[];

/** The rows with these ids, as far as they exist, oldest first; of their members those that the shape names. */
export async function askRows(
  context: Context,
  question: RowsQuestion,
  ids: readonly string[],
  nested: NestedPages = [],
): Promise<Json[]> {
  const given = { ids, pages: [null, ...nested] };
  const { statements, decode } = rowsPlan(question);
  const rows = await send(context, statements, given);
  for (const row of rows) decode(row, context, given);
  return rows;
}

/** The same, and what stood there before it was decoded: members as they are stored, such as sealed secrets. */
export async function askOriginals(
  context: Context,
  question: RowsQuestion,
  ids: readonly string[],
): Promise<{ readonly value: Json; readonly stored: Json }[]> {
  const given = { ids, pages: [] };
  const { statements, decode } = rowsPlan(question);
  const rows = await send(context, statements, given);
  return rows.map((stored) => {
    const value = { ...stored };
    decode(value, context, given);
    return { value, stored };
  });
}

/** A page of a list; of its rows the members that the shape names. */
export async function askPage(
  context: Context,
  question: PageQuestion,
  request: ListRequest,
  nested: NestedPages = [],
): Promise<ReadPage<Json>> {
  const given = { ids: [], pages: [{ key: "", request }, ...nested] };
  const { statements, decode } = pagePlan(question, question.sequence.table);
  const [page] = await send(context, statements, given);
  if (!page) throw new Error("There is always one page.");
  const { budget } = context;
  if (!budget?.isLarge) return decode.atOnce(page, context, given);
  return decode.inTurns(page, context, given, () => budget.turn(ROWS_BELOW));
}

/** The same page for each of several owners, by their ids. */
export async function askPages(
  context: Context,
  question: PagesQuestion,
  ids: readonly string[],
  request: ListRequest,
  nested: NestedPages = [],
): Promise<Map<string, ReadPage<Json>>> {
  const given = { ids, pages: [{ key: "", request }, ...nested] };
  const { statements, decode } = pagePlan(question, question.nested.sequence.table);
  const found = await send(context, statements, given);
  return new Map(
    found.map(({ id, page }) => [String(id), decode.atOnce(page as Json, context, given)]),
  );
}

// A plan lives as long as its question, which whoever asks it keeps.
const ROWS_PLANS = new WeakMap<RowsQuestion, { statements: Statements; decode: Decode }>();
const PAGE_PLANS = new WeakMap<Question, { statements: Statements; decode: PageDecoder }>();

/** The statement of a question, with and without a bound, each made when it is first sent. */
type Statements = (isBounded: boolean) => Statement;

function statementsOf(question: Question): Statements {
  const made = new Map<boolean, Statement>();
  return (isBounded) => {
    const statement = made.get(isBounded) ?? statementOf(question, isBounded);
    made.set(isBounded, statement);
    return statement;
  };
}

function rowsPlan(question: RowsQuestion) {
  const known = ROWS_PLANS.get(question);
  if (known) return known;
  const decode = decoderOf(question.table, question.shape);
  const plan = { statements: statementsOf(question), decode };
  ROWS_PLANS.set(question, plan);
  return plan;
}

function pagePlan(question: PageQuestion | PagesQuestion, table: Table) {
  const known = PAGE_PLANS.get(question);
  if (known) return known;
  const plan = { statements: statementsOf(question), decode: pageDecoderOf(table, question.page) };
  PAGE_PLANS.set(question, plan);
  return plan;
}

/** Rows that one of a large page is taken to have in it. */
const ROWS_BELOW = 100;

/** What a statement may answer where nothing else says it: PostgreSQL makes no longer text. */
const MOST_BYTES = 2 ** 30;

/** In a transaction over its connection, else over any. */
async function send(
  { db, changeSet, readTexts, signal, budget }: Context,
  statements: Statements,
  asked: Asked,
): Promise<Json[]> {
  signal?.throwIfAborted();
  const mostBytes = budget?.left ?? MOST_BYTES;
  const { text, values } = statements(budget !== undefined);
  const sent = values({ ...asked, mostBytes });
  const texts = changeSet
    ? (await db.$queryRawUnsafe<{ json: string }[]>(text, ...sent)).map(({ json }) => json)
    : await readTexts(text, sent);
  const isCut = texts.includes("");
  if (budget) {
    budget.take(isCut ? mostBytes + 1 : texts.reduce((sum, { length }) => sum + length, 0));
    const admitted = budget.admit();
    if (admitted) await admitted;
  }
  if (isCut) throw new Error("A statement answered more than can be read.");
  return texts.map((json) => JSON.parse(json));
}
