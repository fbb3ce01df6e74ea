import type { Condition } from "../lists/sequences.js";
import { checked } from "./check.js";
import type { Checking } from "./checking.js";
import type { Subject } from "./fields.js";
import { columnOf, MAX_EXPRESSION_LENGTH, parseExpression } from "./parse.js";

/** What an expression demands of `item`, or what is wrong with it. */
export type Read =
  | { readonly condition: Condition }
  | { readonly problems: readonly [string, ...string[]] };

/**
 * An expression in a part of the Common Expression Language about a resource that is called `obj`: operators `! && || <
 * <= == != >= > in ()`, functions `size` and `timestamp`, methods `contains`, `endsWith`, `startsWith` (wire facts, 1.5).
 * It finds the rows for which the language would say true of what `subject` shows of them. A message begins with the
 * column, counted in characters from 1, where the problem is, or says what is wrong with the expression as a whole.
 */
export function readExpression(text: string, subject: Subject): Read {
  const { length } = [...text];
  if (length > MAX_EXPRESSION_LENGTH) {
    return {
      problems: [`must have at most ${MAX_EXPRESSION_LENGTH} characters, and has ${length}`],
    };
  }
  const tree = parseExpression(text);
  const checking: Checking = { subject, text, problems: [], conditions: 0 };
  const value = "message" in tree ? null : checked(checking, tree);
  if (value) return { condition: value.is(true) };
  const problems = "message" in tree ? [tree] : checking.problems;
  const [first, ...others] = problems
    .toSorted((one, other) => one.place - other.place)
    .map(({ place, message }) => `column ${columnOf(text, place)}: ${message}`);
  if (first === undefined) throw new Error("An expression without a value has a problem.");
  return { problems: [first, ...others] };
}
