import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  httpsRouteTrafficPolicy,
  tcpEdgeTrafficPolicy,
  tlsEdgeTrafficPolicy,
} from "../../src/domain/modules/traffic-policy.js";
import { problems, stored } from "./support.js";

const problemOf = (value: unknown, { rule } = httpsRouteTrafficPolicy) =>
  problems(rule, { value }).value;

const DENY = { actions: [{ type: "deny", config: { status_code: 404 } }] };

describe("traffic policy", () => {
  it.each([
    ["JSON", JSON.stringify({ on_http_request: [DENY] })],
    ["JSON with tabs", JSON.stringify({ on_http_response: [DENY, DENY] }, null, "\t")],
    [
      "YAML",
      "# x\non_http_request:\n- expressions: [\"req.url == '/é'\"]\n  actions:\n  - type: deny\n",
    ],
    ["YAML with line ends of Windows", "inbound:\r\n- actions:\r\n  - type: deny\r\n"],
    ["an anchor used again", "inbound: &a\n- actions: [{type: deny}]\noutbound: *a\n"],
    ["the older names", JSON.stringify({ enabled: true, inbound: [DENY], outbound: [] })],
    ["no rules at all", "{}"],
  ])("takes %s, and keeps it byte for byte", async (_, value) => {
    const { value: shown } = await stored(httpsRouteTrafficPolicy, { value });
    expect(shown).toEqual({ enabled: true, value });
    expect(httpsRouteTrafficPolicy.rule.parse(shown)).toEqual(shown);
  });

  it("takes any policy of the right shape as JSON", () => {
    const rule = fc.record(
      {
        name: fc.string(),
        expressions: fc.array(fc.string()),
        actions: fc.array(
          fc.record({ type: fc.string({ minLength: 1 }), config: fc.jsonValue({ maxDepth: 3 }) }),
          { minLength: 1, maxLength: 3 },
        ),
      },
      { requiredKeys: ["actions"] },
    );
    const rules = fc.array(rule, { maxLength: 3 });
    const policy = fc.record(
      { on_http_request: rules, on_http_response: rules, enabled: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(policy, fc.constantFrom(undefined, 2, "\t"), (given, indent) => {
        expect(problemOf(JSON.stringify(given, null, indent))).toBeUndefined();
      }),
    );
  });

  it("never does anything but take or refuse a text", () => {
    const piece = fc.constantFrom(
      ..."[]{}:,-?&*!|>'\"%@`# \n\t".split(""),
      "a",
      "on_http_request",
      "- ",
      "---\n",
      "*a",
      "&a ",
      "\r",
      "é",
      "<<",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
        (value) => {
          const problem = problemOf(value);
          if (problem !== undefined)
            expect(problem).toMatch(/^must .*(empty|line \d+, column \d+\))/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["nothing", "", /must not be empty/],
    ["null", null, /must be a string/],
    ["a comment only", "# x", /mapping of phases/],
    ["a text", "deny everything", /mapping of phases/],
    ["a list", "- a", /mapping of phases.*line 1, column 1/],
    ["text that cannot be read", "inbound: [\n", /can be read \(line 2, column 1\)/],
    ["two documents", "inbound: []\n---\noutbound: []", /one document.*line 2/],
    [
      "a key twice",
      "inbound: []\noutbound: []\ninbound: []",
      /"inbound" twice \(line 3, column 1\)/,
    ],
    [
      "a key twice in JSON",
      '{"inbound": [{"actions": [], "actions": []}]}',
      /"actions" twice \(line 1, column 30\)/,
    ],
    [
      "an unknown key",
      "inbound: []\ninbond: []",
      /"inbond"; supported on an HTTPS edge are "enabled", "on_http_request".*line 2/,
    ],
    [
      "a connection's phase",
      "on_tcp_connect: []",
      /must not have "on_tcp_connect"; supported on an HTTPS edge/,
    ],
    [
      "a phase that is no list",
      "inbound: {a: 1}",
      /array of rules as "inbound" \(line 1, column 10\)/,
    ],
    ["a rule that is no mapping", "inbound: [a]", /rules that are mappings/],
    [
      "a rule without actions",
      "inbound:\n- name: a",
      /non-empty list of "actions" \(line 2, column 3\)/,
    ],
    ["a rule with no action", "inbound: [{actions: []}]", /non-empty list of "actions"/],
    [
      "an action without a type",
      "inbound:\n- actions:\n  - config: {}",
      /as "type" \(line 3, column 5\)/,
    ],
    [
      "an expression that is no text",
      "inbound: [{actions: [{type: a}], expressions: [1]}]",
      /array of strings as "expressions"/,
    ],
    ["something else as enabled", "enabled: 1", /true or false as "enabled"/],
    ["an unknown alias", "inbound: *a", /without an anchor/],
    ["an alias inside itself", "inbound: &a [*a]", /inside the value of its own anchor/],
    ["many aliases", `inbound: [&a b${", *a".repeat(101)}]`, /at most 100 aliases/],
    ["too many levels", "[".repeat(65_000), /at most 64 levels/],
    [
      "too many levels that close",
      `inbound: ${"[".repeat(1000)}${"]".repeat(1000)}`,
      /at most 64 levels/,
    ],
    ["too many levels of lines", "- ".repeat(32_000), /at most 64 levels/],
    ["too many bytes", `# ${"é".repeat(32_768)}\n{}`, /65536 bytes/],
  ])("refuses %s", (_, value, message) => {
    expect(problemOf(value)).toMatch(message);
  });

  it("refuses aliases that multiply", () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const below = level === 0 ? "x" : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array(9).fill(below).join(", ")}]`;
    });
    expect(problemOf(levels.join("\n"))).toMatch(/many times its size/);
  });

  it("names all problems of a policy, up to twenty", () => {
    const problem = problemOf("inbound: [{}, a]\nfoo: 1\noutbound: x") ?? "";
    expect(problem.split("; must").length).toBe(4);
    const many = JSON.stringify({ inbound: Array(1000).fill({}) });
    expect(problemOf(many)?.split("; must")).toHaveLength(20);
  });

  it("cuts long keys short in what it says", () => {
    const key = "k".repeat(5000);
    expect(problemOf(`${key}: 1`)?.length).toBeLessThan(300);
    expect(problemOf(`{"${key}": 1, "${key}": 2}`)?.length).toBeLessThan(300);
  });

  it.each([
    ["TLS", tlsEdgeTrafficPolicy],
    ["TCP", tcpEdgeTrafficPolicy],
  ])("of a %s edge takes connections' phases and not requests'", (name, policy) => {
    expect(problemOf("on_tcp_connect: [{actions: [{type: deny}]}]", policy)).toBeUndefined();
    expect(problemOf("inbound: [{actions: [{type: deny}]}]", policy)).toBeUndefined();
    for (const phase of ["on_http_request", "on_http_response", "outbound"]) {
      expect(problemOf(`${phase}: []`, policy)).toContain(`supported on a ${name} edge are`);
    }
  });

  it("refuses the worst of 64 KiB", () => {
    const keys = Array.from({ length: 9000 }, (_, index) => `k${index}:`).join("\n");
    const anchors = Array.from({ length: 5000 }, (_, index) => `&a${index} 1`).join(", ");
    for (const value of [
      keys,
      `inbound: [${anchors}]`,
      "}".repeat(65_000),
      ":\n\t-".repeat(16_000),
      "!a &b ".repeat(10_000),
    ]) {
      expect(problemOf(value)).toBeDefined();
    }
  });

  it("reads a stored document without parsing the policy again", () => {
    const document = { enabled: false, value: "{" };
    expect(httpsRouteTrafficPolicy.parse(document)).toEqual(document);
    expect(() => httpsRouteTrafficPolicy.parse({ enabled: true })).toThrow();
  });
});
