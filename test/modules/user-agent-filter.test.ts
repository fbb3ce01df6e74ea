import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { userAgentFilter } from "../../src/domain/modules/user-agent-filter.js";
import { problems, stored } from "./support.js";

const { rule } = userAgentFilter;
const expression = fc.constantFrom("curl/.*", "(?i)bot", "^Mozilla/[0-9]{1,3}\\.0", "\\p{Greek}é");

describe("user agent filter", () => {
  it("is on and lists nothing when unspecified", () => {
    expect(rule.parse({})).toEqual({ enabled: true, allow: [], deny: [] });
    expect(rule.parse({ enabled: null, allow: null, deny: "" })).toEqual(rule.parse({}));
  });

  it("comes back as given", async () => {
    const lists = fc.array(expression, { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), lists, lists, async (enabled, allow, deny) => {
        const { value } = await stored(userAgentFilter, { enabled, allow, deny });
        expect(value).toEqual({ enabled, allow, deny });
        expect(rule.parse(value)).toEqual(value);
      }),
      { numRuns: 20 },
    );
  });

  it("refuses what RE2 does not take, each where it is", () => {
    const allow = ["(", "a", "(?=a)", "(a)\\1", "[b-a]", "a{1001}", "\\p{Nope}"];
    const message = expect.stringContaining("RE2");
    expect(problems(rule, { allow, deny: ["*", 7], more: 1 })).toEqual({
      "allow.0": message,
      "allow.2": message,
      "allow.3": message,
      "allow.4": message,
      "allow.5": message,
      "allow.6": message,
      "deny.0": message,
      "deny.1": "must be a string",
      more: expect.any(String),
    });
  });

  it("bounds lists and expressions", () => {
    const given = { allow: Array(101).fill("a"), deny: ["", "é".repeat(257), "é".repeat(256)] };
    expect(problems(rule, given)).toEqual({
      allow: "must have at most 100 items, and has 101",
      "deny.0": "must not be empty",
      "deny.1": expect.stringContaining("at most 512 bytes"),
    });
  });

  it("refuses expressions that are large when compiled, without compiling them all", () => {
    const large = `(?:${"ab".repeat(240)}){1000}`;
    expect(problems(rule, { allow: Array(100).fill(large), deny: Array(100).fill(large) })).toEqual(
      {
        "allow.0": expect.stringContaining("too large"),
      },
    );
    expect(problems(rule, { deny: ["a{1000}", "[0-9]{1,1000}"] })).toEqual({});
  });

  it("reads expressions without compiling them, however long that would take", () => {
    // Each takes a quarter of a second to compile: the case of 125,000 characters is folded, again and again.
    const folded = `(?i)[${"!-\u{1e942}".repeat(80)}]`;
    const started = performance.now();
    expect(
      problems(rule, { allow: Array(100).fill(folded), deny: Array(100).fill(folded) }),
    ).toEqual({});
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("reads a stored document without compiling it again", () => {
    const document = { enabled: true, allow: ["("], deny: [] };
    expect(userAgentFilter.parse(document)).toEqual(document);
    expect(() => userAgentFilter.parse({ enabled: true })).toThrow();
  });

  it("survives odd shapes", () => {
    for (const odd of [null, 1, "a", [], { allow: {} }, { allow: "a", deny: [null] }]) {
      expect(problems(rule, odd)).not.toEqual({});
    }
  });
});
