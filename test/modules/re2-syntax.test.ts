import fc from "fast-check";
import { RE2JS, RE2JSException } from "re2js";
import { describe, expect, it } from "vitest";
import { UNICODE_CLASSES } from "../../src/domain/modules/re2-classes.js";
import { re2Size } from "../../src/domain/modules/re2-syntax.js";

// What RE2 takes, compared with an implementation that compiles.

/** Instructions that a program has besides those of its expression. */
const FRAME = 2;

function compiledSize(expression: string): number | null {
  try {
    return RE2JS.compile(expression).programSize() - FRAME;
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}

/** Whether both take it or neither does, and it is not larger than it is said to be. */
function agrees(expression: string): boolean {
  const size = re2Size(expression);
  const compiled = compiledSize(expression);
  return size === null || compiled === null ? size === compiled : size >= compiled;
}

const TOKENS = [
  ..."ab5Z_:<>,^$.|()[]{}*+?-\\\n\x7f é\u{1e942}",
  ..."(?: (?i) (?i: (?-s) (?-) (?) (?P<n> (?<n> (?<m> (?P<é> (?= (?<=".split(" "),
  ..."{2} {2,} {0} {0,} {1,3} {3,1} {,2} {01} {40} {25,30} {1001} *? {2}?".split(" "),
  ..."\\pL \\p{Greek} \\P{^Lu} \\p{^} \\p{} \\p{Nope} \\pé \\p^ \\p \\p{".split(" "),
  ..."\\d \\W \\b \\B \\z \\A \\C \\Q \\E \\1 \\12 \\0 \\777 \\8 \\x41 \\x{10FFFF} \\x{110000}".split(
    " ",
  ),
  ..."\\x{} \\xg \\n \\a \\e \\- \\] \\_ \\é \\\\".split(" "),
  ..."[^ [:alpha:] [:^word:] [:nope:] [: :] (a{40}) [a-f] [^\\d]".split(" "),
];
const expressions = fc
  .array(fc.constantFrom(...TOKENS), { maxLength: 16 })
  .map((tokens) => tokens.join(""));

describe("the syntax of RE2", () => {
  it("is what a compiler takes, whatever the expression", () => {
    fc.assert(fc.property(expressions, agrees), { numRuns: 20_000 });
    fc.assert(fc.property(fc.string({ unit: "binary" }), agrees), { numRuns: 2_000 });
  });

  it.each([
    ["a", 1],
    ["(?:ab|c)*", 6],
    ["(ab){3}", 12],
    ["a{2,5}", 8],
    ["a{2,}", 4],
    ["(?:a{10}){100}", 1000],
    ["(?:a{1000}){0}", 1],
    ["\\Qa.b\\E{3}", 5],
    ["(?:a{10}){101}", null],
    ["((?:a{10}){10}|b){11}", null],
  ])("gives %s at most %s instructions", (expression, size) => {
    expect(re2Size(expression)).toBe(size);
    expect(agrees(expression)).toBe(true);
  });

  it("has the classes of Unicode by their names", () => {
    for (const name of UNICODE_CLASSES) expect(agrees(`\\p{${name}}[^\\P{${name}}]`)).toBe(true);
    expect(re2Size("\\p{greek}")).toBeNull();
  });
});
