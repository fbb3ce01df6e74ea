import { Prisma } from "../../database/index.js";
import { literally } from "../lists/filters/search.js";
import type { Condition } from "../lists/sequences.js";
import { identifier, type Table } from "../storage/graph.js";
import { findsEqual, findsItem, findsPart, findsReference, isFoundByText } from "./finders.js";
import type {
  BooleanValue,
  IntegerValue,
  ListValue,
  Moment,
  TextValue,
  TimeBounds,
  TimeValue,
  Value,
} from "./values.js";

// What operators, functions and methods are in SQL. A negation is another condition and not `NOT`, so that nothing is
// unknown, and an index on the column can serve it.

const OPPOSITES = { "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">" } as const;
const MIRRORED = { "==": "==", "!=": "!=", "<": ">", ">=": "<=", ">": "<", "<=": ">=" } as const;
const IN_SQL = { "==": "=", "!=": "<>", "<": "<", ">=": ">=", ">": ">", "<=": "<=" } as const;

export type Comparison = keyof typeof OPPOSITES;

function sqlOf(operator: Comparison): Prisma.Sql {
  return Prisma.raw(IN_SQL[operator]);
}

const TRUE = Prisma.sql`TRUE`;
const FALSE = Prisma.sql`FALSE`;

/** A condition that all rows meet, or none. */
function always(value: boolean): Condition {
  return value ? TRUE : FALSE;
}

/** What holds of a row, and for the rows for which it does not. */
function condition(is: (value: boolean) => Condition): BooleanValue {
  return { type: "boolean", is };
}

function comparison(
  operator: Comparison,
  compared: (operator: Comparison) => Condition,
): BooleanValue {
  return condition((value) => compared(value ? operator : OPPOSITES[operator]));
}

/** `exact`, beside what leads an index to it. */
function found(finder: Condition | null, exact: Condition): Condition {
  return finder ? Prisma.sql`(${finder} AND ${exact})` : exact;
}

function all(conditions: readonly Condition[]): Condition {
  return Prisma.sql`(${Prisma.join([...conditions], " AND ")})`;
}

function any(conditions: readonly Condition[]): Condition {
  return Prisma.sql`(${Prisma.join([...conditions], " OR ")})`;
}

export function and(values: readonly BooleanValue[]): BooleanValue {
  return condition((value) => (value ? all : any)(values.map((each) => each.is(value))));
}

export function or(values: readonly BooleanValue[]): BooleanValue {
  return condition((value) => (value ? any : all)(values.map((each) => each.is(value))));
}

export function not({ is, constant }: BooleanValue): BooleanValue {
  const negated = condition((value) => is(!value));
  return constant === undefined ? negated : { ...negated, constant: !constant };
}

export function sameTruth(left: BooleanValue, right: BooleanValue): BooleanValue {
  if (left.constant !== undefined) return left.constant ? right : not(right);
  if (right.constant !== undefined) return right.constant ? left : not(left);
  // Either once: what is nested would grow twofold with each level.
  const [one, other] = [left, right].map((each) => Prisma.sql`((${each.is(true)}) IS TRUE)`);
  return comparison("==", (operator) => Prisma.sql`(${one} ${sqlOf(operator)} ${other})`);
}

/** Texts, by code points. */
export function compareTexts(
  table: Table,
  operator: Comparison,
  left: TextValue,
  right: TextValue,
): BooleanValue {
  if (left.constant !== undefined && right.field) {
    return compareTexts(table, MIRRORED[operator], right, left);
  }
  return comparison(operator, (operator) => {
    if (operator === "==" || operator === "!=") {
      return sameText(table, left, right, operator === "==");
    }
    return Prisma.sql`${left.sql} COLLATE "C" ${sqlOf(operator)} ${right.sql} COLLATE "C"`;
  });
}

function sameText(table: Table, left: TextValue, right: TextValue, isSame: boolean): Condition {
  const { field } = left;
  const { constant } = right;
  if (!field || constant === undefined) {
    return Prisma.sql`${left.sql} ${sqlOf(isSame ? "==" : "!=")} ${right.sql}`;
  }
  const own = Prisma.sql`item.${identifier(field.column)}`;
  if (field.isNullable && constant === "") {
    return isSame ? Prisma.sql`(${own} IS NULL OR ${own} = '')` : Prisma.sql`${own} <> ''`;
  }
  if (!isSame) return Prisma.sql`${own} IS DISTINCT FROM ${constant}::text`;
  return found(findsEqual(table, field.column, constant), Prisma.sql`${own} = ${constant}::text`);
}

export function compareIntegers(
  operator: Comparison,
  left: IntegerValue,
  right: IntegerValue,
): BooleanValue {
  return comparison(
    operator,
    (operator) => Prisma.sql`${left.sql} ${sqlOf(operator)} ${right.sql}`,
  );
}

export function compareTimes(
  operator: Comparison,
  left: TimeValue,
  right: TimeValue,
): BooleanValue {
  if (left.constant && right.field) return compareTimes(MIRRORED[operator], right, left);
  const { field } = left;
  const { constant } = right;
  return comparison(operator, (operator) =>
    field && constant
      ? within(field, operator, constant)
      : Prisma.sql`${left.sql} ${sqlOf(operator)} ${right.sql}`,
  );
}

/** A time is shown in whole seconds, so a part of a second lies between two of them. */
function within(
  { from, before }: TimeBounds,
  operator: Comparison,
  { second, isWhole }: Moment,
): Condition {
  const itself = new Date(second);
  const next = new Date(second + 1000);
  switch (operator) {
    case ">=":
      return from(isWhole ? itself : next);
    case ">":
      return from(next);
    case "<":
      return before(isWhole ? itself : next);
    case "<=":
      return before(next);
    case "==":
      return isWhole ? all([from(itself), before(next)]) : always(false);
    case "!=":
      return isWhole ? any([before(itself), from(next)]) : always(true);
  }
}

/** Whether a value is one of a list of constants of its type. */
export function isOneOf(
  table: Table,
  value: TextValue | IntegerValue | TimeValue,
  { items }: ListValue,
): BooleanValue {
  const same = items.flatMap((item) => {
    if (value.type === "text" && item.type === "text") {
      return [compareTexts(table, "==", value, item)];
    }
    if (value.type === "integer" && item.type === "integer") {
      return [compareIntegers("==", value, item)];
    }
    if (value.type === "time" && item.type === "time") return [compareTimes("==", value, item)];
    return [];
  });
  if (value.type === "text" && !(value.field && isFoundByText(table, value.field.column))) {
    return oneOfTexts(value, items);
  }
  return same.length === 0 ? constant(false) : or(same);
}

/** Many ids are one condition, and one look into an index. */
function oneOfTexts({ sql, field }: TextValue, items: ListValue["items"]): BooleanValue {
  const texts = items.flatMap((item) => (item.type === "text" ? [item.constant ?? ""] : []));
  const own = field ? Prisma.sql`item.${identifier(field.column)}` : sql;
  // The column itself has an index, but for "" there may be null.
  const compared = texts.includes("") ? sql : own;
  return condition((value) =>
    value
      ? Prisma.sql`${compared} = ANY(${texts}::text[])`
      : Prisma.sql`${sql} <> ALL(${texts}::text[])`,
  );
}

/** Whether a list of texts, of ids, or the names of a map have a text among them. */
export function includes(
  table: Table,
  text: TextValue,
  list: Extract<Value, { type: "texts" | "map" | "ids" }>,
): BooleanValue {
  const { sql, constant } = text;
  if (list.type === "ids") {
    const { reference } = list;
    const link = Prisma.sql`EXISTS (SELECT FROM ${identifier(reference.table)} AS link
      WHERE link.${identifier(reference.owner)} = item.id AND link.${identifier(reference.column)} = ${sql})`;
    const finder = constant === undefined ? null : findsReference(reference, constant);
    return condition((value) => (value ? (finder ?? link) : Prisma.sql`NOT ${link}`));
  }
  if (list.type === "map") {
    const has = Prisma.sql`EXISTS (SELECT FROM json_object_keys(${list.column}) AS given(name)
      WHERE given.name = ${sql})`;
    return condition((value) => (value ? has : Prisma.sql`NOT ${has}`));
  }
  const finder = constant === undefined ? null : findsItem(table, list.name, constant);
  return condition((value) =>
    value
      ? found(finder, Prisma.sql`${sql} = ANY(${list.column})`)
      : Prisma.sql`${sql} <> ALL(${list.column})`,
  );
}

export const METHODS = ["contains", "endsWith", "startsWith"] as const;

export type Method = (typeof METHODS)[number];

/** In the same case, and every character for itself. */
export function textMethod(
  table: Table,
  method: Method,
  whole: TextValue,
  part: TextValue,
): BooleanValue {
  const { constant } = part;
  if (!whole.field || constant === undefined) {
    const exact = METHODS_IN_SQL[method](whole.sql, part.sql);
    return condition((value) => (value ? exact : Prisma.sql`NOT ${exact}`));
  }
  // PostgreSQL has statistics of patterns, and none of what functions return.
  const pattern = Prisma.sql`${PATTERNS[method](literally(constant))}::text`;
  const place = method === "startsWith" ? "beginning" : "anywhere";
  const finder = findsPart(table, whole.field.column, constant, place);
  return condition((value) =>
    value
      ? found(finder, Prisma.sql`${whole.sql} LIKE ${pattern}`)
      : Prisma.sql`${whole.sql} NOT LIKE ${pattern}`,
  );
}

const PATTERNS: Readonly<Record<Method, (part: string) => string>> = {
  contains: (part) => `%${part}%`,
  endsWith: (part) => `%${part}`,
  startsWith: (part) => `${part}%`,
};

const METHODS_IN_SQL: Readonly<
  Record<Method, (whole: Prisma.Sql, part: Prisma.Sql) => Prisma.Sql>
> = {
  contains: (whole, part) => Prisma.sql`(strpos(${whole}, ${part}) > 0)`,
  endsWith: (whole, part) => Prisma.sql`(right(${whole}, char_length(${part})) = ${part})`,
  startsWith: (whole, part) => Prisma.sql`starts_with(${whole}, ${part})`,
};

/** The number of characters of a text, and of items of the others. */
export function sizeOf(
  value: Extract<Value, { type: "text" | "texts" | "map" | "ids" }>,
): IntegerValue {
  return { type: "integer", sql: sizeInSql(value) };
}

function sizeInSql(value: Parameters<typeof sizeOf>[0]): Prisma.Sql {
  switch (value.type) {
    case "text":
      return Prisma.sql`char_length(${value.sql})`;
    case "texts":
      return Prisma.sql`cardinality(${value.column})`;
    case "map":
      return Prisma.sql`(SELECT count(*) FROM json_object_keys(${value.column}))`;
    case "ids": {
      const { table, owner } = value.reference;
      return Prisma.sql`(SELECT count(*) FROM ${identifier(table)} AS link
        WHERE link.${identifier(owner)} = item.id)`;
    }
  }
}

/** Whether a reference leads nowhere. */
export function leadsNowhere(column: string): BooleanValue {
  const own = Prisma.sql`item.${identifier(column)}`;
  return condition((value) => Prisma.sql`${own} ${Prisma.raw(value ? "IS NULL" : "IS NOT NULL")}`);
}

/** A column of true and false, in which null stands for false. */
export function flag(column: string, isNullable: boolean): BooleanValue {
  const own = Prisma.sql`item.${identifier(column)}`;
  const [isTrue, isFalse] = isNullable ? ["IS TRUE", "IS NOT TRUE"] : ["= true", "= false"];
  return condition((value) => Prisma.sql`${own} ${Prisma.raw((value ? isTrue : isFalse) ?? "")}`);
}

export function constant(truth: boolean): BooleanValue {
  return { ...condition((value) => always(value === truth)), constant: truth };
}
