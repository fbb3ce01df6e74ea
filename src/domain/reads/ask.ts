import { LRUCache } from "lru-cache";
import { isTransaction } from "../changes/transactions.js";
import type { Context } from "../core/context.js";
import type { ListRequest } from "../lists/sequences.js";
import type { Table } from "../storage/graph.js";
import {
  type Decode,
  decoderOf,
  type Json,
  type PageDecoder,
  pageDecoderOf,
  type ReadPage,
} from "./decode.js";
import { type GivenPage, pageWithoutSecrets, type Question, withoutSecrets } from "./shape.js";
import { type Asked, CUT, type Statement, statementOf } from "./statement.js";
import { SLOTS, together } from "./together.js";

// Runs a question as one statement; its plan is kept with the question.

export type RowsQuestion = Extract<Question, { kind: "rows" }>;
export type PageQuestion = Extract<Question, { kind: "page" }>;
export type PagesQuestion = Extract<Question, { kind: "pages" }>;

/** Kinds of requests for the pages of a shape that are looked up together, each by itself. */
const MOST_ALIKE = 20;

/** The requests for the pages in a shape, whose numbers begin with 1; 0 is the page that is asked for itself. */
type NestedPages = readonly GivenPage[];

/** Reads the rows with these ids that exist, oldest first, with the members that the shape names. */
export async function askRows(
  context: Context,
  question: RowsQuestion,
  ids: readonly string[],
  nested: NestedPages = [],
): Promise<Json[]> {
  const given = { ids, pages: [null, ...nested] };
  const { statements, decode } = rowsPlan(context, question);
  const rows = await send(context, statements, given);
  for (const row of rows) decode(row, context, given);
  return rows;
}

/**
 * The same for one id, together with what other requests ask alike at that time. In a transaction it reads alone.
 */
export async function askRow(
  context: Context,
  question: RowsQuestion,
  id: string,
  nested: NestedPages = [],
): Promise<Json | null> {
  const { signal, readTexts, budget, meter } = context;
  if (isTransaction(context)) return (await askRows(context, question, [id], nested))[0] ?? null;
  signal?.throwIfAborted();
  const { statements, decode, alike } = rowsPlan(context, question);
  const pages = [null, ...nested];
  const statement = statements(budget !== undefined);
  // Where the requests for the pages have the same keys, they are the same.
  const kind = [statement.text, ...nested.map(({ key }) => key)].join("\n");
  const find = alikeIn(readTexts, alike).get(kind) ?? finder(context, statement, pages);
  alikeIn(readTexts, alike).set(kind, find);
  const [text] = await counted(context, async (mostBytes) => {
    const found = find({ id, mostBytes });
    const done = meter?.awaitShared();
    const text = await found.finally(done);
    return text === null ? [] : [text];
  });
  if (text === undefined) return null;
  const row: Json = JSON.parse(text);
  decode(row, context, { ids: [id], pages });
  return row;
}

interface Wanted {
  readonly id: string;
  readonly mostBytes: number;
}
type Find = (wanted: Wanted) => Promise<string | null>;

/** What finds the text of a row, together with others; they go on when one of those who wait does not any more. */
function finder(
  { readTexts, meter }: Pick<Context, "readTexts" | "meter">,
  { text, values }: Statement,
  pages: Asked["pages"],
): Find {
  const send = (given: Parameters<typeof values>[0]) => {
    const read = () => readTexts(text, values(given));
    return meter ? meter.sendShared(read) : read();
  };
  return together(async (wanted: readonly Wanted[]) => {
    const mostBytes = Math.max(...wanted.map(({ mostBytes }) => mostBytes));
    const ids = wanted.map(({ id }) => id);
    const found = new Map<string, string>();
    for (const row of await send({ ids, pages, mostBytes })) {
      found.set(idOf(row), row);
    }
    return ids.map((id) => found.get(id) ?? null);
  }, SLOTS.length);
}

/** The finders of one database. */
function alikeIn(
  readTexts: Context["readTexts"],
  alike: RowsPlan["alike"],
): LRUCache<string, Find> {
  const finders = alike.get(readTexts) ?? new LRUCache<string, Find>({ max: MOST_ALIKE });
  alike.set(readTexts, finders);
  return finders;
}

/** The id of a row whose text begins with it, as all do. */
function idOf(text: string): string {
  const start = '{"id":"'.length;
  return text.slice(start, text.indexOf('"', start));
}

/** The same, and what stood there before it was decoded: members as they are stored, such as sealed secrets. */
export async function askOriginals(
  context: Context,
  question: RowsQuestion,
  ids: readonly string[],
): Promise<{ readonly value: Json; readonly stored: Json }[]> {
  const given = { ids, pages: [] };
  const { statements, decode } = rowsPlan(context, question);
  const rows = await send(context, statements, given);
  return rows.map((stored) => {
    const value = { ...stored };
    decode(value, context, given);
    return { value, stored };
  });
}

/** Reads a page of a list, with the members that the shape names. */
export async function askPage(
  context: Context,
  question: PageQuestion,
  request: ListRequest,
  nested: NestedPages = [],
): Promise<ReadPage<Json>> {
  const given = { ids: [], pages: [{ key: "", request }, ...nested] };
  const { statements, decode } = pagePlan(context, question, question.sequence.table);
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
  const { statements, decode } = pagePlan(context, question, question.nested.sequence.table);
  const found = await send(context, statements, given);
  return new Map(
    found.map(({ id, page }) => [String(id), decode.atOnce(page as Json, context, given)]),
  );
}

// A plan lives as long as its question, which whoever asks it keeps. A key that may only read has its own: it is shown
// no secrets, so none are read for it.
type Scope = Context["actor"]["scope"];
type Plans<Of extends Question, Plan> = Readonly<Record<Scope, WeakMap<Of, Plan>>>;

const ROWS_PLANS: Plans<RowsQuestion, RowsPlan> = { read: new WeakMap(), write: new WeakMap() };
const PAGE_PLANS: Plans<PageQuestion | PagesQuestion, PagePlan> = {
  read: new WeakMap(),
  write: new WeakMap(),
};

interface RowsPlan {
  readonly statements: Statements;
  readonly decode: Decode;
  /** What finds rows together, of each database for each kind of requests for the pages in the shape. */
  readonly alike: WeakMap<Context["readTexts"], LRUCache<string, Find>>;
}

interface PagePlan {
  readonly statements: Statements;
  readonly decode: PageDecoder;
}

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

function rowsPlan({ actor }: Context, question: RowsQuestion): RowsPlan {
  const plans = ROWS_PLANS[actor.scope];
  const known = plans.get(question);
  if (known) return known;
  const { table } = question;
  const shape = actor.scope === "write" ? question.shape : withoutSecrets(question.shape);
  const plan = {
    statements: statementsOf({ ...question, shape }),
    decode: decoderOf(table, shape),
    alike: new WeakMap(),
  };
  plans.set(question, plan);
  return plan;
}

function pagePlan({ actor }: Context, question: PageQuestion | PagesQuestion, table: Table) {
  const plans = PAGE_PLANS[actor.scope];
  const known = plans.get(question);
  if (known) return known;
  const page = actor.scope === "write" ? question.page : pageWithoutSecrets(question.page);
  const plan = {
    statements: statementsOf({ ...question, page }),
    decode: pageDecoderOf(table, page),
  };
  plans.set(question, plan);
  return plan;
}

/** Rows that one of a large page is taken to have in it. */
const ROWS_BELOW = 100;

/** What a statement may answer where nothing else says it: PostgreSQL makes no longer text. */
const MOST_BYTES = 2 ** 30;

/** In a transaction over its connection, else over any. */
async function send(context: Context, statements: Statements, asked: Asked): Promise<Json[]> {
  const { db, readTexts, signal, budget } = context;
  signal?.throwIfAborted();
  const { text, values } = statements(budget !== undefined);
  const texts = await counted(context, async (mostBytes) => {
    const sent = values({ ...asked, mostBytes });
    if (!isTransaction(context)) return readTexts(text, sent);
    const rows = await db.$queryRawUnsafe<{ json: string }[]>(text, ...sent);
    return rows.map(({ json }) => json);
  });
  return texts.map((json) => JSON.parse(json));
}

/** What a statement answers, when it is its turn and once it is counted and may be gone through. */
async function counted(
  context: Context,
  read: (mostBytes: number) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { signal, budget } = context;
  const place = budget?.place();
  const leave = place && (await place);
  try {
    signal?.throwIfAborted();
    // Refuses as well when others have taken all that there was.
    budget?.take(0);
    const mostBytes = budget?.left ?? MOST_BYTES;
    const texts = await read(mostBytes);
    count(context, texts, mostBytes);
    leave?.();
    const admitted = budget?.admit();
    if (admitted) await admitted;
    return texts;
  } finally {
    leave?.();
  }
}

/** Counts what a statement has answered, cut when that is more than `mostBytes`. */
function count({ budget }: Context, texts: readonly string[], mostBytes: number): void {
  const isCut = texts.some((text) => text.endsWith(CUT));
  if (budget) {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    budget.take(isCut ? mostBytes + 1 : bytes);
  }
  if (isCut) throw new Error("A statement answered more than can be read.");
}
