import { describe, expect, it } from "vitest";
import { difference, ordered } from "../bench/answers.js";
import type { Measurement } from "../bench/measure.js";
import { readOptions } from "../bench/options.js";
import { asEdgeplaneAnswers } from "../bench/postgraphile-answers.js";
import { comparison, GROWTH_GOAL, ownComparison } from "../bench/table.js";

describe("the options of the benchmark", () => {
  it("are the flags, else the environment, else what is usual", () => {
    const options = readOptions(["--seconds", "1"], { BENCH_SECONDS: "2", BENCH_ROUNDS: "7" });
    expect(options).toEqual({
      databaseUrl: null,
      edges: 1000,
      seconds: 1,
      rounds: 7,
      connections: 16,
      growth: 0,
      processes: 0,
      contenders: false,
      only: "",
    });
    expect(readOptions(["--contenders"], { DATABASE_URL: "postgresql://db/x" })).toMatchObject({
      databaseUrl: "postgresql://db/x",
      contenders: true,
    });
  });

  it("refuse what is no number above 0, and flags that contradict each other", () => {
    expect(() => readOptions(["--edges", "none"], {})).toThrow(
      '--edges must be a number above 0, and is "none".',
    );
    expect(() => readOptions(["--rounds", "0"], {})).toThrow("--rounds");
    expect(() => readOptions(["--growth", "20", "--contenders"], {})).toThrow("do not go together");
    expect(() => readOptions(["--growth", "20", "--processes", "2"], {})).toThrow(
      "do not go together",
    );
    expect(() => readOptions(["--processes", "2"], {})).toThrow("set DATABASE_URL");
  });
});

describe("the table of the benchmark", () => {
  const rounds = (...perSecond: number[]): Measurement[] =>
    perSecond.map((each) => ({
      perSecond: each,
      p50: 1,
      p99: 2,
      cpu: 300,
      databaseCpu: null,
      memory: 2 ** 20,
    }));
  const row = { name: "A row", goals: { floor: 0.5, PostGraphile: 1.2 } };

  it("sets Edgeplane against each other, round by round, beside the goals of the row", () => {
    const { heading, block } = comparison(["floor", "Edgeplane", "typical", "PostGraphile"]);
    expect(words(heading)).toEqual(
      "req/s|p50 ms|p99 ms|p99/p50|CPU us|DB CPU us|MB|to floor|goal|to typical|goal|to PostGraphile|goal",
    );
    const measured = new Map([
      ["floor", rounds(100, 200, 400)],
      ["Edgeplane", rounds(50, 120, 100)],
      ["typical", rounds(25, 30, 50)],
      ["PostGraphile", rounds(50, 60, 100)],
    ]);
    expect(block(row, measured).split("\n").map(words)).toEqual([
      "A row",
      "floor|200|1.00|2.00|2.0|300|-|1",
      "Edgeplane|100|1.00|2.00|2.0|300|-|1|0.50 (0.25-0.60)|0.50|2.00 (2.00-4.00)|1.00 (1.00-2.00)|1.20",
      "typical|30|1.00|2.00|2.0|300|-|1",
      "PostGraphile|60|1.00|2.00|2.0|300|-|1",
    ]);
  });

  it("leaves the ratios empty to those who cannot answer the row", () => {
    const { block } = comparison(["floor", "Edgeplane", "typical"]);
    const measured = new Map([
      ["floor", rounds(100)],
      ["Edgeplane", rounds(50)],
    ]);
    expect(words(block(row, measured).split("\n")[2] ?? "")).toBe(
      "Edgeplane|50|1.00|2.00|2.0|300|-|1|0.50 (0.50-0.50)|0.50",
    );
  });

  it("sets many rows against few: they may take 1.15 times the time", () => {
    const { heading, block } = ownComparison(["1000 edges", "20000 edges"], GROWTH_GOAL);
    expect(heading).toContain("to 1000 edges");
    const measured = new Map([
      ["1000 edges", rounds(100)],
      ["20000 edges", rounds(95)],
    ]);
    expect(words(block(row, measured).split("\n")[2] ?? "")).toBe(
      "20000 edges|95|1.00|2.00|2.0|300|-|1|0.95 (0.95-0.95)|0.87",
    );
  });

  function words(line: string): string {
    return line
      .trim()
      .split(/\s{2,}/)
      .join("|");
  }
});

describe("answers of others", () => {
  it("are the same in any order of members and headers, and differ in any other order", () => {
    const headers = [
      { name: "b", value: "1" },
      { name: "a", value: "2" },
    ];
    expect(ordered({ x: 1, add: headers })).toBe(ordered({ add: headers.toReversed(), x: 1 }));
    expect(ordered([{ id: "b" }, { id: "a" }])).not.toBe(ordered([{ id: "a" }, { id: "b" }]));
  });

  it("are shown from a little before they differ", () => {
    expect(difference(`${"=".repeat(100)}ab`, `${"=".repeat(100)}b`)).toBe(
      `  ${"=".repeat(60)}ab\n  ${"=".repeat(60)}b`,
    );
  });

  const leanRoute = { id: "r", matchType: "exact_path", match: "/", backend: null };
  const edge = {
    id: "e",
    createdAt: "2026-01-02T03:04:05.678000+00:00",
    description: "",
    metadata: "",
    hostports: ["a:443"],
    tlsTermination: { enabled: true, minVersion: "1.2" },
    mutualTlsEnabled: true,
    certificateAuthorities: { nodes: [{ id: "ca" }] },
    routes: { nodes: [] },
  };

  it("of PostGraphile become those of Edgeplane", () => {
    const route = {
      ...leanRoute,
      description: "",
      compression: { enabled: true },
      circuitBreaker: null,
      requestHeaders: { enabled: true, add: { b: "1", a: "2" }, remove: ["c"] },
      responseHeaders: null,
      trafficPolicy: null,
      webhookVerification: null,
      ipRestrictionEnabled: true,
      ipPolicies: { nodes: [{ ipPolicy: { id: "p", description: "" } }] },
      backendEnabled: true,
      backend: {
        kind: "tunnel_group",
        id: "b",
        description: "",
        address: null,
        tlsEnabled: null,
        children: { nodes: [] },
      },
    };
    const answer = { data: { httpsEdges: { nodes: [{ ...edge, routes: { nodes: [route] } }] } } };
    expect(asEdgeplaneAnswers(JSON.stringify(answer))).toEqual({
      data: {
        httpsEdges: {
          nodes: [
            {
              id: "e",
              createdAt: "2026-01-02T03:04:05Z",
              description: "",
              metadata: "",
              hostports: ["a:443"],
              tlsTermination: { enabled: true, minVersion: "TLS1_2" },
              mutualTls: { enabled: true, certificateAuthorities: [{ id: "ca" }] },
              routes: {
                nodes: [
                  {
                    id: "r",
                    matchType: "EXACT_PATH",
                    match: "/",
                    description: "",
                    compression: { enabled: true },
                    circuitBreaker: null,
                    requestHeaders: {
                      enabled: true,
                      add: [
                        { name: "b", value: "1" },
                        { name: "a", value: "2" },
                      ],
                      remove: ["c"],
                    },
                    responseHeaders: null,
                    trafficPolicy: null,
                    webhookVerification: null,
                    ipRestriction: { enabled: true, ipPolicies: [{ id: "p", description: "" }] },
                    backend: {
                      enabled: true,
                      backend: { __typename: "TunnelGroupBackend", id: "b", description: "" },
                    },
                  },
                ],
              },
            },
          ],
        },
      },
    });
  });

  it("of PostGraphile are refused when they have more in them, or less", () => {
    const answer = (route: object) =>
      JSON.stringify({ data: { httpsEdgeRoutes: { nodes: [route] } } });
    expect(asEdgeplaneAnswers(answer(leanRoute))).toEqual({
      data: { httpsEdgeRoutes: { nodes: [{ ...leanRoute, matchType: "EXACT_PATH" }] } },
    });
    expect(() => asEdgeplaneAnswers(answer({ ...leanRoute, description: "" }))).toThrow();
    expect(() => asEdgeplaneAnswers(answer({ ...leanRoute, match: undefined }))).toThrow();
  });
});
