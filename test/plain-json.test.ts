import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainJson } from "../src/domain/formats/json.js";

const DEPTH = 64;
const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;

describe("plain JSON", () => {
  it("is read as a parser reads it, with colons and quotes in its texts", () => {
    const texts = fc.oneof(fc.constantFrom(":", '"', "\\", '":', '\\"'), fc.string());
    const values = fc.oneof(fc.dictionary(texts, fc.jsonValue()), fc.array(texts));
    fc.assert(
      fc.property(values, fc.nat({ max: 3 }), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readPlainJson(text, DEPTH)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  it.each([
    ["a key twice", '{"a":1,"a":2}'],
    ["a key twice, escaped", '{"a":[{"b":1,"\\u0062":1}]}'],
    ["a reserved key twice", '{"__proto__":1,"__proto__":2}'],
    ["more levels", nested(DEPTH + 2)],
    ["ten thousand levels", nested(10_000)],
    ["YAML", "{a: 1}"],
    ["a string", '"a"'],
    ["nothing", ""],
  ])("is none with %s", (_, text) => {
    expect(readPlainJson(text, DEPTH)).toBeNull();
  });

  it("may have as many levels as are allowed", () => {
    expect(readPlainJson(nested(DEPTH), DEPTH)).not.toBeNull();
  });
});
