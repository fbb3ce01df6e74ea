import { readFileSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { parser } from "@prometheus-io/lezer-promql";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "../src/telemetry/metrics.js";
import { createWorkersMetrics } from "../src/telemetry/workers-metrics.js";
import { newTrace } from "../src/trace.js";
import type { Fields } from "./harness/transports.js";

// What docs/operations.md and deploy/ say of the metrics is what there is.

const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const DOCUMENT = file("docs/operations.md");
const ALERTS: Fields = parse(file("deploy/prometheus/alerts.yml"));
const DASHBOARD: Fields = JSON.parse(file("deploy/grafana/edgeplane.json"));

interface Metric {
  readonly type: string;
  readonly labels: readonly string[];
}

/** All metrics, each with a value. */
let metrics: Map<string, Metric>;
beforeAll(async () => {
  const all = createMetrics();
  all.watch({
    ready: async () => {},
    pool: () => ({ max: 16, used: 1, idle: 1, waiting: 0 }),
    followers: () => ({ count: 1, lagMs: 0 }),
  });
  const request = new IncomingMessage(new Socket());
  const trace = newTrace("op_1");
  trace.codes.add("RATE_LIMITED");
  trace.operations.push({ type: "query", name: "Named", isPersisted: true });
  all.ended({ request, response: new ServerResponse(request), trace, ms: 1 });
  all.statement("SELECT", 0.001, true);
  all.waited(0.001);
  all.changed([{ kind: "ipPolicy", action: "created" }]);
  all.read("kept");
  all.readFrom("replica");
  const ofWorkers = createWorkersMetrics(async () => new Set([1]));
  ofWorkers.answered(1, await all.values());
  metrics = metricsIn(await ofWorkers.text());
  // None is lost between the processes.
  expect(new Set(metrics.keys())).toEqual(
    new Set([
      ...metricsIn(await all.text()).keys(),
      "edgeplane_workers",
      "edgeplane_worker_ends_total",
    ]),
  );
});

function metricsIn(text: string): Map<string, Metric> {
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return new Map(
    types.map(([, name = "", type = ""]) => {
      const sample = new RegExp(`^${name}(?:_bucket|_sum)?\\{(.*)\\} `, "m").exec(text)?.[1] ?? "";
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label ?? "");
      return [name, { type, labels: labels.filter((label) => label !== "le").sort() }];
    }),
  );
}

/** The names in the first cells of the rows of tables, and the other cells. */
function rows(text: string): { names: string[]; cells: string[] }[] {
  const lines = text.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) => {
    const [first, ...cells] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    return { names: namesIn(first), cells };
  });
}

function namesIn(cell = ""): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? "");
}

describe("the tables of metrics", () => {
  const section = /^## Metrics\n([\s\S]*?)^## /m.exec(DOCUMENT)?.[1] ?? "";
  const isOurs = (name: string) => name.startsWith("edgeplane_");

  it("have all metrics, with their types and labels, and no others", () => {
    const ours = rows(section).filter(({ names: [name = ""] }) => isOurs(name));
    const documented = ours.map(({ names: [name], cells: [type, labels] }) => [
      name,
      { type, labels: namesIn(labels).sort() },
    ]);
    expect(documented.length).toBeGreaterThan(15);
    const existing = [...metrics].filter(([name]) => isOurs(name));
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(existing));
    expect(documented).toHaveLength(existing.length);
  });

  it("have those of the process", () => {
    const documented = rows(section).flatMap(({ names }) => names);
    const missing = [...metrics.keys()].filter((name) => !documented.includes(name));
    expect(missing).toEqual([]);
  });
});

/** The metrics that an expression names. Throws when it is none. */
function metricsOf(expression: string): string[] {
  const text = expression.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".+");
  const names: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`);
      if (type.name === "VectorSelector") names.push(/^\w*/.exec(text.slice(from, to))?.[0] ?? "");
    },
  });
  return names;
}

/** The metric behind the name of a series. */
function metricOf(name: string): Metric | undefined {
  const histogram = metrics.get(name.replace(/_(bucket|sum|count)$/, ""));
  return metrics.get(name) ?? (histogram?.type === "histogram" ? histogram : undefined);
}

/** Each expression by where it stands. */
const EXPRESSIONS: readonly (readonly [string, string])[] = [
  ...ALERTS.groups.flatMap(({ rules }: Fields) =>
    rules.map(({ alert, expr }: Fields) => [alert, expr]),
  ),
  ...DASHBOARD.panels.flatMap(({ title, targets = [] }: Fields) =>
    targets.map(({ expr }: Fields) => [title, expr]),
  ),
];

describe("the alerts and the dashboard", () => {
  it.each(EXPRESSIONS)("ask only for metrics that exist: %s", (_, expression) => {
    const names = metricsOf(expression).filter((name) => name !== "up");
    expect(names.filter((name) => !metricOf(name))).toEqual([]);
  });

  const ours = EXPRESSIONS.filter(([, expression]) => expression.includes("edgeplane_"));
  it.each(ours)("group only by labels that exist: %s", (_, expression) => {
    const labels = metricsOf(expression).flatMap((name) => metricOf(name)?.labels ?? []);
    const known = new Set([...labels, "instance", "job", "le"]);
    const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
      list.split(", "),
    );
    const matched = [...expression.matchAll(/(\w+)=~?"/g)].map(([, label]) => label ?? "");
    expect([...groups, ...matched].filter((label) => !known.has(label))).toEqual([]);
  });

  it("are about what can go wrong, each with a text", () => {
    const [{ rules }] = ALERTS.groups;
    expect(rules.map(({ alert }: Fields) => alert)).toEqual([
      "EdgeplaneDown",
      "EdgeplaneNotReady",
      "EdgeplaneErrors",
      "EdgeplaneSlow",
      "EdgeplanePoolWaits",
      "EdgeplaneEventLoopLag",
      "EdgeplaneWorkersEnd",
      "EdgeplaneFollowersBehind",
      "EdgeplaneRateLimited",
    ]);
    for (const { annotations } of rules) {
      expect(Object.keys(annotations)).toEqual(["summary", "description"]);
    }
  });

  it("are refused when they are no PromQL", () => {
    expect(() => metricsOf("sum(rate(a[5m])")).toThrow("no PromQL");
    expect(metricsOf('sum by (a) (rate(b_total{c="d"}[5m])) / e')).toEqual(["b_total", "e"]);
  });
});
