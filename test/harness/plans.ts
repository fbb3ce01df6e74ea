import type { Query, TestServer } from "./server.js";

// How PostgreSQL runs a statement.

/** Rows that one statement may look at: those of a page, and what they are found by. */
const MOST_ROWS = 3_000;

export interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Plan[];
}

/** The plan of a statement, after running it. */
export async function explain({ context }: TestServer, { text, values }: Query): Promise<Plan> {
  const [row] = await context.db.$queryRawUnsafe<{ "QUERY PLAN": [{ Plan: Plan }] }[]>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    ...values,
  );
  if (!row) throw new Error("There is no plan.");
  return row["QUERY PLAN"][0].Plan;
}

/** What is wrong with a plan: a scan of a whole table, or more rows than a page needs. */
export function problemOf(plan: Plan): string | null {
  const scans = scansOf(plan);
  const whole = scans.filter((scan) => scan["Node Type"] === "Seq Scan" && rowsOf(scan) > 100);
  if (whole.length > 0) return whole.map(describeScan).join(", ");
  const looked = scans.reduce((sum, scan) => sum + rowsOf(scan), 0);
  return looked > MOST_ROWS ? `${looked} rows: ${scans.map(describeScan).join(", ")}` : null;
}

/** How many times a plan looked into a table or its indexes. */
export function looksOf(plan: Plan, table: string): number {
  return scansOf(plan)
    .filter((scan) => scan["Relation Name"] === table)
    .reduce((sum, scan) => sum + scan["Actual Loops"], 0);
}

function scansOf(plan: Plan): Plan[] {
  const below = (plan.Plans ?? []).flatMap(scansOf);
  return plan["Relation Name"] === undefined ? below : [plan, ...below];
}

function rowsOf(scan: Plan): number {
  const removed =
    (scan["Rows Removed by Filter"] ?? 0) + (scan["Rows Removed by Index Recheck"] ?? 0);
  return (scan["Actual Rows"] + removed) * scan["Actual Loops"];
}

function describeScan(scan: Plan): string {
  return `${scan["Node Type"]} on ${scan["Relation Name"]} (${rowsOf(scan)})`;
}
