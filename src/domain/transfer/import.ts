import { type Database, Prisma, type TransactionClient } from "../../database/index.js";
import { newOperationId } from "../core/ids.js";
import type { Keyring } from "../core/keyring.js";
import { noteSealed } from "../storage/encryption-keys.js";
import { identifier } from "../storage/graph.js";
import { keepAlso } from "../storage/kept-facts.js";
import { openLog } from "./log.js";
import type { OpenedExport } from "./reading.js";
import { storeRows } from "./store.js";
import { LOG, OWN_TABLES, readColumns, type TableColumns } from "./tables.js";

/** Of the whole import. */
const TIMEOUT_MS = 24 * 3_600_000;
/** Conflicts that an error names. */
const MOST_NAMED = 20;

export interface Imported {
  /** Rows that were not there before. */
  readonly added: number;
  /** Rows that were there already, the same, and what the other database said of itself. */
  readonly same: number;
}

/**
 * Stores everything that an export has, with its ids and times, in one transaction: all or nothing. What is there already
 * must be the same. Into a database that has nothing else goes also what the other database said of itself. `db` has no
 * time limits, and the tables of the export. Throws an Error that names what is there and differs, and when the export is
 * not whole or has secrets that the ring cannot open. `onProgress` gets the number of rows up to now.
 */
export async function importAll(
  { db, keyring }: { readonly db: Database; readonly keyring: Keyring },
  { header, batches }: OpenedExport,
  onProgress: (rows: number) => void = () => {},
): Promise<Imported> {
  refuseMissingKeys(keyring, header.fingerprints);
  return db.$transaction(
    async (inside) => {
      await inside.$executeRaw`SET LOCAL TimeZone = 'UTC'`;
      const tables = await readColumns(inside);
      refuseOtherColumns(tables, header.tables);
      const isEmpty = await isEmptyDatabase(inside, tables);
      if (isEmpty) await forgetOwn(inside, tables);
      await inside.$executeRaw`CREATE TEMPORARY TABLE imported (id TEXT COLLATE "C" NOT NULL) ON COMMIT DROP`;
      const log = openLog(inside);
      const conflicts: string[] = [];
      let [rows, added] = [0, 0];
      for await (const { table, rows: batch } of batches()) {
        const columns = tables.get(table);
        if (table === LOG) {
          added += await log.append(batch, columns?.columns ?? []);
        } else if (columns && (isEmpty || !OWN_TABLES.includes(table))) {
          const stored = await storeRows(inside, keyring, { name: table, ...columns }, batch);
          added += stored.added;
          conflicts.push(...stored.conflicts.slice(0, MOST_NAMED + 1 - conflicts.length));
        }
        rows += batch.length;
        onProgress(rows);
      }
      if (conflicts.length > 0) throw new Error(wordsOf(conflicts));
      await noteSealed(inside, keyring, [
        ...header.fingerprints,
        ...keyring.fingerprints.slice(0, 1),
      ]);
      if (!isEmpty) {
        await keepAlso(inside, Prisma.sql`resource.id IN (${IMPORTED})`);
        await log.noteCreated(IMPORTED, newOperationId());
      }
      return { added, same: rows - added };
    },
    { timeout: TIMEOUT_MS },
  );
}

const IMPORTED = Prisma.sql`SELECT id FROM imported`;

function refuseMissingKeys(keyring: Keyring, fingerprints: readonly string[]): void {
  const missing = fingerprints.filter((name) => !keyring.fingerprints.includes(name));
  if (missing.length === 0) return;
  throw new Error(
    `The export has secrets that are sealed with ${missing.join(", ")}, and there is only ${keyring.fingerprints.join(", ")}. Set ENCRYPTION_KEY to a key of your own, a comma and the key of the other installation, or export with --with-secrets.`,
  );
}

function refuseOtherColumns(
  tables: ReadonlyMap<string, TableColumns>,
  exported: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [name, columns] of Object.entries(exported)) {
    const own = tables.get(name)?.columns ?? [];
    if ([...own].sort().join() !== [...columns].sort().join()) {
      throw new Error(
        `The table ${name} of the export has other columns than that of the database.`,
      );
    }
  }
}

async function isEmptyDatabase(
  db: TransactionClient,
  tables: ReadonlyMap<string, TableColumns>,
): Promise<boolean> {
  const others = [...tables.keys()].filter((name) => !OWN_TABLES.includes(name));
  const filled = others.map((name) => Prisma.sql`EXISTS (SELECT FROM ${identifier(name)})`);
  const [found] = await db.$queryRaw<
    { any: boolean }[]
  >`SELECT ${Prisma.join(filled, " OR ")} AS any`;
  return found?.any === false;
}

async function forgetOwn(
  db: TransactionClient,
  tables: ReadonlyMap<string, TableColumns>,
): Promise<void> {
  for (const name of OWN_TABLES) {
    if (tables.has(name)) await db.$executeRaw`DELETE FROM ${identifier(name)}`;
  }
}

function wordsOf(conflicts: readonly string[]): string {
  const more = conflicts.length > MOST_NAMED ? ["  …"] : [];
  const named = conflicts.slice(0, MOST_NAMED).map((conflict) => `  ${conflict}`);
  return [
    "Nothing was imported, since the database has something else already:",
    ...named,
    ...more,
  ].join("\n");
}
