import { parseArgs } from "node:util";

export interface Options {
  /** PostgreSQL to make a database on for the time of the run; null for the embedded engine. */
  readonly databaseUrl: string | null;
  readonly edges: number;
  /** Seconds of each measurement. */
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Measures Edgeplane against itself with this many times the edges, or 0 for the floor instead. */
  readonly growth: number;
  /** Measures Edgeplane against itself with this many processes, or 0 for the floor instead. */
  readonly processes: number;
  /** Measures the contenders of `contenders/` as well, installed if need be. */
  readonly contenders: boolean;
  /** Measures only rows whose names contain it. */
  readonly only: string;
}

const NUMBERS = { edges: 1000, seconds: 3, rounds: 5, connections: 16, growth: 0, processes: 0 };
/** Those that say against what Edgeplane is measured, when they are given. */
const COMPARISONS: readonly string[] = ["growth", "processes"];

/**
 * Flags win over the environment: `--seconds 1` over `BENCH_SECONDS=1`. Throws on a flag that there is not, on
 * what is no number above 0, and on two flags that do not go together.
 */
export function readOptions(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Options {
  const { values } = parseArgs({
    args: [...flags],
    options: {
      edges: { type: "string" },
      seconds: { type: "string" },
      rounds: { type: "string" },
      connections: { type: "string" },
      growth: { type: "string" },
      processes: { type: "string" },
      contenders: { type: "boolean", default: false },
      only: { type: "string", default: "" },
    },
  });
  const number = (name: keyof typeof NUMBERS) => {
    const given = values[name] ?? environment[`BENCH_${name.toUpperCase()}`] ?? NUMBERS[name];
    const value = Number(given);
    if (Number.isFinite(value) && value >= (COMPARISONS.includes(name) ? 0 : Number.MIN_VALUE))
      return value;
    throw new Error(`--${name} must be a number above 0, and is "${given}".`);
  };
  const growth = number("growth");
  const processes = number("processes");
  const databaseUrl = environment.DATABASE_URL || null;
  const comparisons = [growth > 0, processes > 0, values.contenders];
  if (comparisons.filter(Boolean).length > 1) {
    throw new Error("--growth, --processes and --contenders do not go together.");
  }
  if (processes > 0 && databaseUrl === null) {
    throw new Error("--processes needs PostgreSQL: set DATABASE_URL.");
  }
  return {
    databaseUrl,
    edges: number("edges"),
    seconds: number("seconds"),
    rounds: number("rounds"),
    connections: number("connections"),
    growth,
    processes,
    contenders: values.contenders,
    only: values.only,
  };
}
