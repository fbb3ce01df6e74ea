import { createHash } from "node:crypto";
import { type Database, Prisma, type TransactionClient } from "../../database/index.js";
import type { Keyring } from "../core/keyring.js";
import { identifier } from "../storage/graph.js";
import { SECRET_PLACES, sealedTextAt } from "../storage/sealed-places.js";
import { type ExportEnd, type ExportHeader, lineOf, newHeader } from "./format.js";
import { withReadableSecrets } from "./secrets.js";
import { EXPORTED_TABLES, readColumns, type TableColumns } from "./tables.js";

const BATCH = 500;
/** Of the whole export: it holds up nobody. */
const TIMEOUT_MS = 24 * 3_600_000;

export interface ExportOptions {
  /** Whether secrets are readable in the export, instead of sealed as in the database. */
  readonly withSecrets: boolean;
  /** Gets each line, without its end; what it returns is waited for. */
  write(line: string): Promise<void>;
  /** Called now and then with the number of rows up to now, and of all. */
  onProgress?(rows: number, all: number): void;
}

/**
 * Writes everything that the database has as lines of JSON, as it was at one moment: resources with their ids and times,
 * and the change log. Changes go on meanwhile. `db` has no time limits. Returns how many rows there are.
 */
export async function exportAll(
  { db, keyring }: { readonly db: Database; readonly keyring: Keyring },
  { withSecrets, write, onProgress = () => {} }: ExportOptions,
): Promise<number> {
  const digest = createHash("sha256");
  const writeLine = (line: string) => {
    digest.update(`${line}\n`);
    return write(line);
  };
  return db.$transaction(
    async (snapshot) => {
      await snapshot.$executeRaw`SET LOCAL TimeZone = 'UTC'`;
      const header = await headerOf(snapshot, withSecrets);
      const all = await countRows(snapshot, Object.keys(header.tables));
      await writeLine(JSON.stringify(header));
      let rows = 0;
      for (const [table, columns] of await tablesOf(snapshot)) {
        for await (const batch of rowsOf(snapshot, table, columns)) {
          for (const row of batch) {
            const shown = withSecrets ? withReadableSecrets(table, row, keyring) : row;
            await writeLine(lineOf({ table, row: shown }));
          }
          rows += batch.length;
          onProgress(rows, all);
        }
      }
      const end: ExportEnd = { end: { rows, sha256: digest.digest("hex") } };
      await write(JSON.stringify(end));
      return rows;
    },
    { isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead, timeout: TIMEOUT_MS },
  );
}

async function headerOf(db: TransactionClient, withSecrets: boolean): Promise<ExportHeader> {
  const [last] = await db.$queryRaw<{ name: string }[]>`
    SELECT migration_name AS name FROM _prisma_migrations
    WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name DESC LIMIT 1`;
  const tables = (await tablesOf(db)).map(([name, { columns }]) => [name, columns] as const);
  return newHeader({
    schema: last?.name ?? "",
    secrets: withSecrets ? "readable" : "sealed",
    fingerprints: withSecrets ? [] : await fingerprintsIn(db),
    tables: Object.fromEntries(tables),
  });
}

/** In the order in which they can be imported. */
async function tablesOf(db: TransactionClient): Promise<(readonly [string, TableColumns])[]> {
  const tables = await readColumns(db);
  return EXPORTED_TABLES.flatMap((name) => {
    const columns = tables.get(name);
    return columns ? [[name, columns] as const] : [];
  });
}

async function fingerprintsIn(db: TransactionClient): Promise<string[]> {
  const places = SECRET_PLACES.map(
    (place) => Prisma.sql`
      SELECT split_part(${sealedTextAt(place, "owner")}, '.', 1) AS fingerprint FROM ${identifier(place.table)} AS owner`,
  );
  const rows = await db.$queryRaw<{ fingerprint: string }[]>`
    SELECT DISTINCT fingerprint FROM (${Prisma.join(places, " UNION ALL ")}) AS used
    WHERE fingerprint <> '' ORDER BY fingerprint`;
  return rows.map(({ fingerprint }) => fingerprint);
}

async function countRows(db: TransactionClient, tables: readonly string[]): Promise<number> {
  const counts = tables.map(
    (table) => Prisma.sql`SELECT count(*) AS rows FROM ${identifier(table)}`,
  );
  const [counted] = await db.$queryRaw<{ rows: bigint }[]>`
    SELECT sum(rows)::bigint AS rows FROM (${Prisma.join(counts, " UNION ALL ")}) AS counts`;
  return Number(counted?.rows ?? 0);
}

/** The rows of a table as JSON, in batches, in the order of the primary key, which is that of the log too. */
async function* rowsOf(
  db: TransactionClient,
  table: string,
  { columns, key }: TableColumns,
): AsyncGenerator<string[]> {
  const cursor = identifier(`export_${table}`);
  await db.$executeRaw`
    DECLARE ${cursor} NO SCROLL CURSOR FOR
    SELECT row_to_json(exported)::text AS row FROM (
      SELECT ${list(columns)} FROM ${identifier(table)} ORDER BY ${list(key)}
    ) AS exported`;
  for (;;) {
    const batch = await db.$queryRaw<
      { row: string }[]
    >`FETCH ${Prisma.raw(String(BATCH))} FROM ${cursor}`;
    if (batch.length > 0) yield batch.map(({ row }) => row);
    if (batch.length < BATCH) break;
  }
  await db.$executeRaw`CLOSE ${cursor}`;
}

function list(columns: readonly string[]): Prisma.Sql {
  return Prisma.join(columns.map(identifier));
}
