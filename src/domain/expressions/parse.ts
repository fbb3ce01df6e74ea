import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { MAX_DEPTH } from "../core/depth.js";
import { shortened } from "../core/errors.js";
import { MAX_IDS } from "../lists/pages.js";

// From a text of the Common Expression Language to its tree.

/** The maximum number of characters of an expression. */
export const MAX_EXPRESSION_LENGTH = 4096;

/** Parts of an expression: more than fit into the longest one of plain conditions. */
const MAX_PARTS = 2000;
const MAX_ARGUMENTS = 10;

/** One node of the tree. `start` and `end` are places in the text. */
export type Node = ASTNode;

/** What is wrong at a place of the text, which is counted as JavaScript does. */
export interface Problem {
  readonly place: number;
  readonly message: string;
}

const language = new Environment({
  limits: {
    maxAstNodes: MAX_PARTS,
    maxDepth: MAX_DEPTH,
    maxListElements: MAX_IDS,
    maxMapEntries: MAX_IDS,
    maxCallArguments: MAX_ARGUMENTS,
  },
});

/** The tree of an expression, or the first place where it is none. */
export function parseExpression(text: string): Node | Problem {
  try {
    return language.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { start, end } = error.range ?? { start: text.length, end: text.length };
    const before = WORD_BEFORE.exec(text.slice(0, start));
    const operator = OTHER_WORDS[before?.[0].trimEnd() ?? ""];
    if (before && operator !== undefined) {
      return { place: before.index, message: noOperator(before[0].trimEnd(), operator) };
    }
    return { place: start, message: explain(error, text.slice(start, end), text.slice(start)) };
  }
}

/** What others write for an operator, and the operator. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  "=": "==",
  "<>": "!=",
  "&": "&&",
  "|": "||",
  and: "&&",
  AND: "&&",
  or: "||",
  OR: "||",
  not: "!",
  NOT: "!",
  IN: "in",
};

const WORD = /^(?:\w+|<>)/;
/** What the parser took for a name, and an operand follows. */
const WORD_BEFORE = /\b[A-Za-z]+\s*$/;

/** The signs by the names that the parser has for them. */
const SIGNS: Readonly<Record<string, string>> = {
  RPAREN: ")",
  RBRACKET: "]",
  RBRACE: "}",
  COLON: ":",
};

const LIMITS: Readonly<Record<string, string>> = {
  maxAstNodes: `the expression may have at most ${MAX_PARTS} parts`,
  maxDepth: `the expression may be nested at most ${MAX_DEPTH} levels deep`,
  maxListElements: `a list may have at most ${MAX_IDS} items`,
  maxMapEntries: `a map may have at most ${MAX_IDS} entries`,
  maxCallArguments: `a call may have at most ${MAX_ARGUMENTS} arguments`,
};

function explain({ code, summary }: ParseError, found: string, rest: string): string {
  const here =
    rest === "" ? "the expression ends" : `${quoted(WORD.exec(rest)?.[0] ?? found)} stands`;
  switch (code) {
    case "limit_exceeded":
      return LIMITS[/max\w+/.exec(summary)?.[0] ?? ""] ?? summary;
    case "unterminated_string":
    case "unterminated_triple_quoted_string":
      return "the text that begins here has no closing quote";
    case "newline_in_string":
      return "a text in quotes has no line breaks: write \\n";
    case "expected_token":
      return `${here} where ${expected(summary)} is expected`;
    case "unexpected_token":
      return `${here} where a field, a value or "(" is expected`;
    case "unexpected_character":
      return unexpected(rest);
    default:
      return summary.charAt(0).toLowerCase() + summary.slice(1);
  }
}

function expected(summary: string): string {
  const name = /^Expected (\w+)/.exec(summary)?.[1] ?? "";
  const sign = SIGNS[name];
  return sign === undefined ? "a name" : quoted(sign);
}

function unexpected(rest: string): string {
  const [first = ""] = rest;
  const word = WORD.exec(rest)?.[0] ?? first;
  const operator = OTHER_WORDS[word];
  if (operator !== undefined) return noOperator(word, operator);
  if (/[“”‘’]/.test(first)) return `${quoted(first)} is no quote: write " or '`;
  return `${quoted(word)} stands where an operator or the end is expected`;
}

function noOperator(word: string, operator: string): string {
  return `${quoted(word)} is no operator: write ${operator}`;
}

/** A part of the text as a message names it. */
export function quoted(text: string): string {
  return `"${shortened(text)}"`;
}

/** The position of a place: the characters up to it, and with it. */
export function columnOf(text: string, place: number): number {
  return [...text.slice(0, place)].length + 1;
}
