import type { Contender } from "./contenders.js";
import type { Measurement } from "./measure.js";
import type { Row } from "./rows.js";

const WIDTHS = [14, 9, 9, 9, 10, 10, 8, 22];

export function heading(): string {
  const names = ["", "req/s", "p50 ms", "p99 ms", "CPU us", "DB CPU us", "MB", "ratio"];
  return line(names);
}

/** Medians over the rounds; each ratio is the median of the rounds' own ratios to the first contender. */
export function block(
  row: Row,
  measured: ReadonlyMap<Contender, readonly Measurement[]>,
  showGoal: boolean,
): string {
  const [base = []] = measured.values();
  const lines = [...measured].map(([{ name }, rounds]) => {
    const of = (value: (measurement: Measurement) => number) => median(rounds.map(value));
    const ratios = rounds.map(({ perSecond }, n) => perSecond / (base[n]?.perSecond ?? Number.NaN));
    const spread = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
    const goal = showGoal ? `, goal ${row.goal}` : "";
    return line([
      name,
      of(({ perSecond }) => perSecond).toFixed(0),
      of(({ p50 }) => p50).toFixed(2),
      of(({ p99 }) => p99).toFixed(2),
      of(({ cpu }) => cpu).toFixed(0),
      rounds.every(({ databaseCpu }) => databaseCpu !== null)
        ? of(({ databaseCpu }) => databaseCpu ?? 0).toFixed(0)
        : "-",
      (of(({ memory }) => memory) / 2 ** 20).toFixed(0),
      rounds === base ? "" : `${median(ratios).toFixed(2)} (${spread}${goal})`,
    ]);
  });
  return [row.name, ...lines].join("\n");
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => {
      const width = WIDTHS[index] ?? 0;
      return index === 0 ? `  ${cell}`.padEnd(width) : cell.padStart(width);
    })
    .join("")
    .trimEnd();
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
