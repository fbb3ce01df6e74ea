import fc from "fast-check";
import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import type { Issue } from "../src/domain/core/errors.js";
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
  type Named = readonly [path: readonly string[], message: string, limit?: number];
  const named = (issues: readonly Issue[]) =>
    issues.map(({ path, message, limit }) => [
      path,
      message,
      ...(limit === undefined ? [] : [limit]),
    ]);

  it.each<[string, string, number, readonly Named[], Variables?]>([
    [
      "an outer and an inner list",
      "{ httpsEdges(first: 10) { nodes { routes(first: 100) { nodes { id } } } } }",
      500,
      [
        [
          ["httpsEdges"],
          "costs 1021 of 1021 points, 100 %: the operation fits with `first: 4` instead of 10",
          4,
        ],
        [
          ["httpsEdges", "routes"],
          "costs 1010 of 1021 points, 99 %: the operation fits with `first: 47` instead of 100",
          47,
        ],
      ],
    ],
    [
      "a list by its alias, with `last`, and one that is too small to help",
      "{ a: ipPolicies(last: 50) { nodes { id } } ipPolicies(first: 20) { nodes { id } } }",
      50,
      [
        [
          ["a"],
          "costs 51 of 72 points, 71 %: the operation fits with `last: 28` instead of 50",
          28,
        ],
        [["ipPolicies"], "costs 21 of 72 points, 29 %"],
      ],
    ],
    [
      "lists without an argument",
      "{ ipPolicies { edges { node { rules { nodes { id } } } } } }",
      50,
      [
        [
          ["ipPolicies"],
          "costs 441 of 441 points, 100 %: the operation fits with `first: 2` instead of the default of 20",
          2,
        ],
        [["ipPolicies", "rules"], "costs 420 of 441 points, 95 %"],
      ],
    ],
    [
      "a variable, wherever it stands",
      "query($n: Int) { ipPolicies(first: $n) { nodes { rules(first: $n) { nodes { id } } } } }",
      200,
      [
        [
          ["ipPolicies"],
          "costs 10201 of 10201 points, 100 %: the operation fits with `$n: 13` instead of 100",
          13,
        ],
        [
          ["ipPolicies", "rules"],
          "costs 10100 of 10201 points, 99 %: the operation fits with `$n: 13` instead of 100",
          13,
        ],
      ],
      { n: 100 },
    ],
    [
      "a list in a fragment, by its first place",
      "{ a: ipPolicies(first: 1) { ...F } b: ipPolicies(first: 1) { ...F } } fragment F on IpPolicyConnection { nodes { rules(first: 90) { nodes { id } } } }",
      100,
      [
        [
          ["a", "rules"],
          "costs 182 of 186 points, 98 %, in all places of its fragment: the operation fits with `first: 47` instead of 90",
          47,
        ],
        [["a"], "costs 93 of 186 points, 50 %"],
        [["b"], "costs 93 of 186 points, 50 %"],
      ],
    ],
    [
      "three paths of many, and one that helps although it costs less",
      `{ nodes(ids: [${'"a", '.repeat(11)}]) { id } __schema { types { name } } __type(name: "x") { name } a: node(id: "x") { ... on HttpsEdge { routes(first: 100) { nodes { id } } } } ipPolicies(first: 60) { nodes { id } } }`,
      1120,
      [
        [["__schema"], "costs 600 of 1173 points, 51 %"],
        [["__type"], "costs 300 of 1173 points, 26 %"],
        [
          ["a", "routes"],
          "costs 101 of 1173 points, 9 %: the operation fits with `first: 47` instead of 100",
          47,
        ],
      ],
    ],
    [
      "three different paths, and none of which a list below is nearly all",
      "{ ipPolicies { nodes { rules { nodes { ipPolicy { rules { nodes { id } } } } } } } a: ipPolicies { nodes { id } } b: ipPolicies { nodes { id } } }",
      20,
      [
        [["ipPolicies", "rules", "ipPolicy", "rules"], "costs 8400 of 9283 points, 90 %"],
        [["a"], "costs 21 of 9283 points, 0 %"],
        [["b"], "costs 21 of 9283 points, 0 %"],
        [
          ["cost"],
          "does not fit with a smaller page of one list alone, but with `first: 1` in `ipPolicies` and `first: 1` in `ipPolicies.rules` and `first: 1` in `ipPolicies.rules.ipPolicy.rules` and `first: 1` in `a` and `first: 1` in `b` together",
          20,
        ],
      ],
    ],
    [
      "no single list that helps",
      "{ a: ipPolicies { nodes { id } } b: ipPolicies(first: 4) { nodes { id } } c: ipPolicies { nodes { id } } }",
      15,
      [
        [["a"], "costs 21 of 47 points, 45 %"],
        [["c"], "costs 21 of 47 points, 45 %"],
        [["b"], "costs 5 of 47 points, 11 %"],
        [
          ["cost"],
          "does not fit with a smaller page of one list alone, but with `first: 4` in `a` and `first: 4` in `c` together",
          15,
        ],
      ],
    ],
    [
      "no list",
      `{ nodes(ids: ["a", "b", "c"]) { id } }`,
      15,
      [
        [["nodes"], "costs 30 of 30 points, 100 %"],
        [
          ["cost"],
          "does not fit with any page sizes: split the operation into several requests",
          15,
        ],
      ],
    ],
  ])("%s", (_, query, limit, issues, variables) => {
    expect(named(examined(query, variables).advice(limit))).toEqual(issues);
  });

  it("finds pages that fit together however many there are", () => {
    const lists = (count: number, size: number) =>
      Array.from({ length: count }, (_, i) => `r${i}: rules(first: ${size}) { nodes { id } }`);
    const query = `{ ipPolicy(id: "x") { ${lists(70, 3).join(" ")} } }`;
    const [last] = examined(query).advice(145).slice(-1);
    expect(last?.message).toMatch(
      /^does not fit with a smaller page of one list alone, but with `first: 1` in `ipPolicy\.r0` and .* and pages of at most 1 in others that are not listed \(18\) together$/,
    );
    expect(examined(query).cost).toBe(281);
  });

  it("takes little time, whatever the document", () => {
    const doubling = Array.from(
      { length: 12 },
      (_, i) =>
        `fragment F${i} on IpPolicy { rules { nodes { ipPolicy { ...F${i + 1} } } edges { node { ipPolicy { ...F${i + 1} } } } } }`,
    );
    const query = `{ ipPolicies { nodes { ...F0 } } } ${doubling.join(" ")} fragment F12 on IpPolicy { id }`;
    expect(examined(query).advice(1000).at(-1)?.path).toEqual(["cost"]);
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
    let [alone, together] = [0, 0];
    interface Change {
      readonly path: string;
      readonly size: number;
      readonly variable: string | undefined;
    }
    fc.assert(
      fc.property(
        fc.array(list, { minLength: 1, maxLength: 3 }),
        size,
        size,
        limits,
        (lists, a, b, limit) => {
          const asked = examined(query(lists, new Map()), { a, b });
          fc.pre(asked.cost > limit);
          const advice = asked.advice(limit);
          const costAt = (changes: readonly Change[]) => {
            const sizes = new Map(changes.map(({ path, size }) => [path, size]));
            const given = new Map(changes.map(({ variable, size }) => [variable, size]));
            return examined(query(lists, sizes), { a: given.get("a") ?? a, b: given.get("b") ?? b })
              .cost;
          };
          const grown = (changes: readonly Change[]) =>
            changes.map((change) => ({ ...change, size: change.size + 1 }));
          for (const { path, message, limit: largest } of advice) {
            if (path[0] === "cost") {
              const changes = [...message.matchAll(/`([^:`]+): (\d+)` in `([^`]+)`/g)].map(
                ([, name = "", size, path = ""]): Change => ({
                  path,
                  size: Number(size),
                  variable: name.startsWith("$") ? name.slice(1) : undefined,
                }),
              );
              if (changes.length === 0) continue;
              expect(costAt(changes)).toBeLessThanOrEqual(limit);
              expect(costAt(grown(changes))).toBeGreaterThan(limit);
              together += 1;
            } else if (largest !== undefined) {
              const variable = /`\$(\w): /.exec(message)?.[1];
              const change = { path: path.join("."), size: largest, variable };
              expect(costAt([change])).toBeLessThanOrEqual(limit);
              expect(costAt(grown([change]))).toBeGreaterThan(limit);
              alone += 1;
            }
          }
          const points = advice.flatMap(
            ({ message }) => /^costs (\d+) of/.exec(message)?.[1] ?? [],
          );
          expect(points.length).toBeGreaterThan(0);
          expect(points.length).toBeLessThanOrEqual(3);
          expect(points.map(Number)).toEqual(points.map(Number).toSorted((a, b) => b - a));
        },
      ),
      { numRuns: 500 },
    );
    expect([alone > 50, together > 5]).toEqual([true, true]);
  });
});
