import { z } from "zod";
import { Prisma } from "../../database/index.js";
import { type IntegerValue, type Moment, type TextValue, type TimeValue, TYPES } from "./values.js";

// Values that are written in an expression. What is none is told by a text.

const MOST_INTEGER = 2n ** 63n - 1n;
const LEAST_INTEGER = -(2n ** 63n);

export function textConstant(constant: string): TextValue | string {
  if (constant.includes("\0")) return "a text must not contain NUL characters";
  if (!constant.isWellFormed()) return "a text must not contain unpaired surrogates";
  return { type: "text", sql: Prisma.sql`${constant}::text`, constant };
}

/** The numbers of the language are whole ones, others, and those without a sign. */
export function integerConstant(constant: unknown): IntegerValue | string {
  if (constant instanceof Uint8Array) {
    return `bytes cannot be compared: write a text, such as ${TYPES.text.example}`;
  }
  if (typeof constant !== "bigint")
    return `a number must be a whole one, such as ${TYPES.integer.example}`;
  if (constant < LEAST_INTEGER || constant > MOST_INTEGER) {
    return `a whole number must lie between ${LEAST_INTEGER} and ${MOST_INTEGER}`;
  }
  return { type: "integer", sql: Prisma.sql`${String(constant)}::bigint`, constant };
}

const rfc3339 = z.iso.datetime({ offset: true });
const FIRST_TIME = Date.parse("0001-01-01T00:00:00Z");
const END_OF_TIME = Date.parse("9999-12-31T23:59:59Z") + 1000;

/** A time of the years 1 to 9999 in RFC 3339, with an offset and seconds or parts of them. */
export function timeConstant(text: string): TimeValue | string {
  if (!rfc3339.safeParse(text).success) {
    return `timestamp() takes a time in RFC 3339, such as ${TYPES.time.example}`;
  }
  const milliseconds = Date.parse(text);
  if (milliseconds < FIRST_TIME || milliseconds >= END_OF_TIME) {
    return "a time must lie in the years 1 to 9999";
  }
  const constant: Moment = {
    second: Math.floor(milliseconds / 1000) * 1000,
    isWhole: !/\.\d*[1-9]/.test(text),
  };
  // Not the text: PostgreSQL takes other offsets than RFC 3339, and rounds.
  return { type: "time", sql: Prisma.sql`${new Date(milliseconds)}::timestamptz`, constant };
}
