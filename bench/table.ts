import type { Measured, Measurement } from "./measure.js";
import type { Row } from "./rows.js";

/** More rows may cost this much more time, as a ratio of requests per second: 1.15 times. */
export const GROWTH_GOAL = 1 / 1.15;

const NAME_WIDTH = 14;
const FIGURES = [
  ["req/s", 9],
  ["p50 ms", 9],
  ["p99 ms", 9],
  ["p99/p50", 9],
  ["CPU us", 10],
  ["DB CPU us", 11],
  ["MB", 7],
] as const;
const RATIO_WIDTH = 20;
const GOAL_WIDTH = 7;

export interface Table {
  readonly heading: string;
  /**
   * The lines of a row. Figures are medians over the rounds; a ratio is the median of the rounds' own ratios, with
   * the lowest and the highest, and the goal is that of the row.
   */
  block(row: Pick<Row, "name" | "goals">, measured: Measured): string;
}

/** Edgeplane beside all others, with a ratio to each. */
export function comparison(names: readonly string[]): Table {
  const others = names.filter((name) => name !== "Edgeplane");
  return tableOf("Edgeplane", others, ({ goals }, other) => goals[other]);
}

/** Edgeplane with little and with more, such as rows: in this order. */
export function ownComparison([little = "", more = ""]: readonly string[], goal?: number): Table {
  return tableOf(more, [little], () => goal);
}

function tableOf(
  subject: string,
  others: readonly string[],
  goalOf: (row: Pick<Row, "goals">, other: string) => number | undefined,
): Table {
  const widths = [
    ...FIGURES.map(([, width]) => width),
    ...others.flatMap(() => [RATIO_WIDTH, GOAL_WIDTH]),
  ];
  const line = (name: string, cells: readonly string[]) =>
    `  ${name}`.padEnd(NAME_WIDTH) +
    cells
      .map((cell, n) => cell.padStart(widths[n] ?? 0))
      .join("")
      .trimEnd();
  const names = [
    ...FIGURES.map(([name]) => name),
    ...others.flatMap((other) => [`to ${other}`, "goal"]),
  ];
  return {
    heading: line("", names),
    block(row, measured) {
      const lines = [...measured].map(([name, rounds]) => {
        const ratios = others.flatMap((other) => {
          const base = measured.get(other);
          return base ? [ratio(rounds, base), goalOf(row, other)?.toFixed(2) ?? ""] : ["", ""];
        });
        return line(name, [...figures(rounds), ...(name === subject ? ratios : [])]);
      });
      return [row.name, ...lines].join("\n");
    },
  };
}

function figures(rounds: readonly Measurement[]): string[] {
  const of = (value: (measurement: Measurement) => number, digits: number) =>
    median(rounds.map(value)).toFixed(digits);
  return [
    of(({ perSecond }) => perSecond, 0),
    of(({ p50 }) => p50, 2),
    of(({ p99 }) => p99, 2),
    of(({ p50, p99 }) => p99 / p50, 1),
    of(({ cpu }) => cpu, 0),
    rounds.some(({ databaseCpu }) => databaseCpu === null)
      ? "-"
      : of(({ databaseCpu }) => databaseCpu ?? 0, 0),
    of(({ memory }) => memory / 2 ** 20, 0),
  ];
}

function ratio(rounds: readonly Measurement[], base: readonly Measurement[]): string {
  const ratios = rounds.map(({ perSecond }, n) => perSecond / (base[n]?.perSecond ?? Number.NaN));
  const spread = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  return `${median(ratios).toFixed(2)} (${spread})`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[Math.ceil(middle) - 1],
    sorted[Math.floor(middle)],
  ];
  return (low + high) / 2;
}
