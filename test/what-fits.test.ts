import fc from "fast-check";
import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import { fragmentsOf } from "../src/schema/reads/fragments.js";
import { costOf } from "../src/schema/transport/limits/cost.js";
import { operationOf } from "../src/schema/transport/limits/documents.js";
import { whatFits } from "../src/schema/transport/limits/fitting.js";

type Variables = Readonly<Record<string, unknown>>;

function examined(query: string, variables: Variables = {}) {
  const document = parse(query);
  const fragments = fragmentsOf(document);
  const operation = operationOf(document, null);
  return {
    cost: costOf(operation, fragments, variables),
    advice: (limit: number) => whatFits(operation, fragments, variables, limit),
  };
}

describe("what a refusal of the cost says that would fit", () => {
  it.each<[string, string, number, readonly string[], string, number, Variables?]>([
    [
      "the inner list, which costs most",
      "{ httpsEdges(first: 10) { nodes { routes(first: 100) { nodes { id } } } } }",
      500,
      ["httpsEdges", "routes"],
      "`first: 47` instead of 100",
      47,
    ],
    [
      "a list by its alias, with `last`",
      "{ a: ipPolicies(last: 50) { nodes { id } } ipPolicies(first: 20) { nodes { id } } }",
      60,
      ["a"],
      "`last: 38` instead of 50",
      38,
    ],
    [
      "a list without an argument",
      "{ ipPolicies { edges { node { rules(first: 2) { nodes { id } } } } } }",
      50,
      ["ipPolicies"],
      "`first: 12` instead of the default of 20",
      12,
    ],
    [
      "a variable, wherever it stands",
      "query($n: Int) { ipPolicies(first: $n) { nodes { rules(first: $n) { nodes { id } } } } }",
      200,
      ["ipPolicies"],
      "`$n: 13` instead of 100",
      13,
      { n: 100 },
    ],
    [
      "a list in a fragment",
      "{ a: ipPolicies(first: 1) { ...F } b: ipPolicies(first: 1) { ...F } } fragment F on IpPolicyConnection { nodes { rules(first: 90) { nodes { id } } } }",
      100,
      ["a", "rules"],
      "`first: 47` instead of 90",
      47,
    ],
  ])("%s", (_, query, limit, path, change, size, variables) => {
    const message = `costs most: the operation fits with ${change}`;
    expect(examined(query, variables).advice(limit)).toEqual({ path, message, limit: size });
  });

  it.each([
    ["no list", `{ nodes(ids: ["a", "b", "c"]) { id } }`],
    [
      "two lists of which each is too long",
      "{ a: ipPolicies { nodes { id } } b: ipPolicies { nodes { id } } }",
    ],
  ])("nothing but to split, with %s", (_, query) => {
    const message =
      "does not fit with any page size of a single list: split it into several requests";
    expect(examined(query).advice(15)).toEqual({ path: ["cost"], message, limit: 15 });
  });

  it("takes little time, whatever the document", () => {
    const doubling = Array.from(
      { length: 12 },
      (_, i) =>
        `fragment F${i} on IpPolicy { rules { nodes { ipPolicy { ...F${i + 1} } } edges { node { ipPolicy { ...F${i + 1} } } } } }`,
    );
    const query = `{ ipPolicies { nodes { ...F0 } } } ${doubling.join(" ")} fragment F12 on IpPolicy { id }`;
    expect(examined(query).advice(1000).path).toEqual(["cost"]);
  });

  /** A list with lists in it, as a query in which each size is a literal of its own, a default or a variable. */
  interface List {
    readonly field: "rules" | "edges";
    readonly size: number | "default" | "$a" | "$b";
    readonly last: boolean;
    readonly below: readonly List[];
  }
  const { list } = fc.letrec<{ list: List }>((tie) => ({
    list: fc.record<List>({
      field: fc.constantFrom("rules", "edges"),
      size: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constantFrom("default", "$a", "$b")),
      last: fc.boolean(),
      below: fc.oneof(
        { depthSize: "small" },
        fc.constant([]),
        fc.array(tie("list"), { maxLength: 2 }),
      ),
    }),
  }));
  type Sizes = ReadonlyMap<string, number>;
  const written = (
    { size, last, below, field }: List,
    path: readonly string[],
    sizes: Sizes,
  ): string => {
    const given = sizes.get(path.join(".")) ?? size;
    const argument =
      given === "default" ? "" : `(${last && size !== "default" ? "last" : "first"}: ${given})`;
    const inner = below
      .map((list, index) =>
        written(list, [...path, "ipPolicy", `l${index}`], sizes).replace(/^/, `l${index}: `),
      )
      .join(" ");
    const item = `id ipPolicy { ${inner || "id"} }`;
    const rows = field === "rules" ? `nodes { ${item} }` : `edges { node { ${item} } }`;
    return `rules${argument} { ${rows} }`;
  };
  const query = (lists: readonly List[], sizes: Sizes) =>
    `query($a: Int, $b: Int) { ipPolicy(id: "x") { ${lists
      .map((list, index) => `l${index}: ${written(list, ["ipPolicy", `l${index}`], sizes)}`)
      .join(" ")} } }`;

  it("fits when it is sent, and is the largest that does", () => {
    const size = fc.integer({ min: 1, max: 100 });
    const limits = fc.integer({ min: 1, max: 5_000 });
    let followed = 0;
    fc.assert(
      fc.property(
        fc.array(list, { minLength: 1, maxLength: 3 }),
        size,
        size,
        limits,
        (lists, a, b, limit) => {
          const asked = examined(query(lists, new Map()), { a, b });
          fc.pre(asked.cost > limit);
          const { path, message, limit: largest = 0 } = asked.advice(limit);
          if (path[0] === "cost") return;
          followed += 1;
          const variable = /`\$(\w): /.exec(message)?.[1];
          const costWith = (size: number) =>
            variable === undefined
              ? examined(query(lists, new Map([[path.join("."), size]])), { a, b }).cost
              : examined(query(lists, new Map()), { a, b, [variable]: size }).cost;
          expect(costWith(largest)).toBeLessThanOrEqual(limit);
          expect(costWith(largest + 1)).toBeGreaterThan(limit);
        },
      ),
      { numRuns: 500 },
    );
    expect(followed).toBeGreaterThan(50);
  });
});
