import type { Database } from "../../src/database/index.js";
import type { Keyring } from "../../src/domain/core/keyring.js";
import { exportAll } from "../../src/domain/transfer/export.js";
import { type Imported, importAll } from "../../src/domain/transfer/import.js";
import { openExport } from "../../src/domain/transfer/reading.js";

/** A database, and the keys of its secrets. */
export interface Side {
  readonly db: Database;
  readonly keyring: Keyring;
}

export async function exportLines(side: Side, withSecrets = false): Promise<string[]> {
  const lines: string[] = [];
  await exportAll(side, {
    withSecrets,
    write: async (line) => {
      lines.push(line);
    },
  });
  return lines;
}

export async function importLines(side: Side, lines: readonly string[]): Promise<Imported> {
  return importAll(side, await openExport(asynchronously(lines)));
}

export async function* asynchronously(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** What an export says of all resources, without its time and the places of its log, which belong to one database. */
export function comparable(lines: readonly string[]): string[] {
  return lines
    .slice(1, -1)
    .map((line) => line.replace(/^(\{"table":"changes","row":\{)"id":\d+,"horizon":\d+,/, "$1"));
}
