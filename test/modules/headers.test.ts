import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requestHeaders, responseHeaders } from "../../src/domain/modules/headers.js";
import { problems, stored } from "./support.js";

const { rule } = requestHeaders;

const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const name = fc.string({
  unit: fc.constantFrom(...TOKEN),
  minLength: 1,
  maxLength: 256,
});
const names = fc.uniqueArray(name, { maxLength: 5, selector: (each) => each.toLowerCase() });
const value = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
  .map((each) => each.trim());

describe("headers", () => {
  it("are on, and change nothing, unless they say so", () => {
    for (const blank of [{}, { enabled: null, add: null, remove: "" }]) {
      expect(rule.parse(blank)).toEqual({ enabled: true, add: {}, remove: [] });
    }
  });

  it("come back as given, in the order given", async () => {
    await fc.assert(
      fc.asyncProperty(
        names,
        names,
        fc.array(value, { minLength: 5, maxLength: 5 }),
        async (added, removed, values) => {
          fc.pre(!added.includes("__proto__"));
          const add = Object.fromEntries(added.map((each, index) => [each, values[index] ?? ""]));
          const given = { enabled: false, add, remove: removed };
          const { value: shown } = await stored(responseHeaders, given);
          expect(shown).toEqual(given);
          expect(Object.keys(shown.add)).toEqual(Object.keys(add));
          expect(rule.parse(shown)).toEqual(shown);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("may remove a name and add it anew", () => {
    expect(problems(rule, { add: { "X-Trace": "1" }, remove: ["x-trace"] })).toEqual({});
  });

  it("have names that are tokens, of at most 256 bytes", () => {
    const bad = ["", "a b", "a:b", "é", "a\r\nb", "(a)", "a".repeat(257)];
    for (const each of bad) {
      expect(problems(rule, { add: { [each]: "1" } })).toHaveProperty([`add.${each}`]);
      expect(problems(rule, { remove: [each] })).toHaveProperty(["remove.0"]);
    }
  });

  it("refuse the same name in another case", () => {
    expect(problems(rule, { add: { "X-A": "1", "x-a": "2" }, remove: ["B", "c", "b"] })).toEqual({
      "add.x-a": expect.stringContaining("given twice"),
      "remove.2": expect.stringContaining("given twice"),
    });
  });

  it("have at most five of each", () => {
    const six = ["a", "b", "c", "d", "e", "f"];
    const add = Object.fromEntries(six.map((each) => [each, "1"]));
    expect(problems(rule, { add, remove: six })).toEqual({
      add: "must have at most 5 entries, and has 6",
      remove: "must have at most 5 items, and has 6",
    });
  });

  it("have values without anything that could end a header", () => {
    for (const each of [
      "a\r\nSet-Cookie: b",
      "a\nb",
      "a\0b",
      " a",
      "a ",
      "a\t",
      "\x7f",
      "é",
      "x".repeat(2049),
    ]) {
      expect(problems(rule, { add: { a: each } })).toHaveProperty(["add.a"]);
    }
    expect(problems(rule, { add: { a: "b\tc", d: "", e: "x".repeat(2048) } })).toEqual({});
  });

  it("report every problem at once, and survive odd shapes", () => {
    expect(problems(rule, { add: { "a b": 7, c: " " }, remove: [1, "?"], more: 1 })).toEqual({
      "add.a b": expect.stringMatching(/a string.*header name/),
      "add.c": expect.any(String),
      "remove.0": "must be a string",
      more: expect.stringContaining("not a supported field"),
      ...{ "remove.1": expect.any(String) },
    });
    for (const odd of [null, 1, "a", [], [1], { a: null }])
      problems(rule, { add: odd, remove: odd });
    expect(problems(rule, { add: JSON.parse('{"__proto__":"a"}') })).toHaveProperty([
      "add.__proto__",
    ]);
  });
});
