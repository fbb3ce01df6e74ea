import { z } from "zod";

// An export is lines of JSON: a header, a line for each row, and an end with the number of rows and a digest of all that
// is before it. The values of a row are as PostgreSQL writes them as JSON, and are never parsed as numbers, which could
// have more digits than JavaScript keeps.

const FORMAT = "edgeplane-export";

export const exportHeader = z.strictObject({
  format: z.literal(FORMAT),
  formatVersion: z.literal(1),
  /** The last migration of the database that it comes from. */
  schema: z.string(),
  exportedAt: z.iso.datetime(),
  /** Whether secrets are sealed, as in the database, or readable. */
  secrets: z.enum(["sealed", "readable"]),
  /** Of the keys that secrets are sealed with. */
  fingerprints: z.array(z.string()),
  /** The columns of each table. */
  tables: z.record(z.string(), z.array(z.string()).readonly()),
});

export type ExportHeader = z.output<typeof exportHeader>;

export const exportEnd = z.strictObject({
  end: z.strictObject({ rows: z.int(), sha256: z.string() }),
});

export type ExportEnd = z.output<typeof exportEnd>;

export function newHeader(
  facts: Pick<ExportHeader, "schema" | "secrets" | "fingerprints" | "tables">,
): ExportHeader {
  return {
    format: FORMAT,
    formatVersion: 1,
    exportedAt: new Date().toISOString(),
    ...facts,
  };
}

/** A row of a table; `row` is its JSON. */
export interface ExportedRow {
  readonly table: string;
  readonly row: string;
}

export function lineOf({ table, row }: ExportedRow): string {
  return `{"table":"${table}","row":${row}}`;
}

const ROW = /^\{"table":"([a-z_]+)","row":(\{.*\})\}$/s;

/** Null for a line that is none of a row. */
export function rowIn(line: string): ExportedRow | null {
  const [, table, row] = ROW.exec(line) ?? [];
  return table === undefined || row === undefined ? null : { table, row };
}

/** A readable secret, in place of the sealed text. It names its place, so that it can be found again in the text of a row. */
export function readableSecret(field: string, secret: string): string {
  return JSON.stringify({ secret: field, value: secret });
}

export const secretInRow = z.strictObject({ secret: z.string(), value: z.string() });
