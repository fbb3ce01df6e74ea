import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import type { Pool } from "pg";
import { sqlStateOf } from "./connection/errors.js";
import { makeExtension } from "./extension.js";

/** PostgreSQL's code for a table that is not there. */
const NO_SUCH_TABLE = "42P01";
const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** Prisma's schema engine, compiled to WebAssembly, so that no native binary has to be downloaded. */
export async function openSchemaEngine(adapter: SqlMigrationAwareDriverAdapterFactory) {
  engineLoaded ??= loadEngine();
  await engineLoaded;
  return bindings.SchemaEngine.new(
    { datamodels: undefined },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
}

// The bindings keep one instance for the whole process.
let engineLoaded: Promise<void> | undefined;

async function loadEngine(): Promise<void> {
  const file = createRequire(import.meta.url)
    .resolve("@prisma/schema-engine-wasm")
    .replace(/schema_engine\.js$/, "schema_engine_bg.wasm");
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    "./schema_engine_bg.js": { ...bindings },
  });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start !== "function") throw new Error("The schema engine has no start function.");
  start();
}

/**
 * Applies the migrations of `directory`, or those up to `last`, that the database does not have yet, records them in
 * `_prisma_migrations`, and returns their names. Safe when several processes start at once. Throws when one fails, or failed before.
 */
export async function migrate(pool: Pool, directory: string, last?: string): Promise<string[]> {
  const all = await migrationNames(directory);
  const names = last === undefined ? all : all.slice(0, all.indexOf(last) + 1);
  if (await areApplied(pool, names)) return [];
  await makeExtension(pool);
  const migrationsList = await readMigrations(directory, names);
  const engine = await openSchemaEngine(new PrismaPg(pool));
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList,
      filters: NO_FILTERS,
    });
    return appliedMigrationNames;
  } finally {
    engine.free();
  }
}

export interface MigrationState {
  readonly name: string;
  /** One that failed has to be mended by hand; one that is unknown came with a later version of Edgeplane. */
  readonly state: "applied" | "pending" | "failed" | "unknown";
}

/** The migrations of `directory` and those of the database, in order. Changes nothing. */
export async function migrationStates(pool: Pool, directory: string): Promise<MigrationState[]> {
  const names = await migrationNames(directory);
  const records = (await hasRecords(pool)) ? await readRecords(pool) : [];
  const recorded = new Map(records.map(({ name, finished }) => [name, finished]));
  const own = names.map((name): MigrationState => {
    const finished = recorded.get(name);
    if (finished === undefined) return { name, state: "pending" };
    return { name, state: finished ? "applied" : "failed" };
  });
  const known = new Set(names);
  const unknown = [...recorded.keys()].filter((name) => !known.has(name));
  return [...own, ...unknown.map((name): MigrationState => ({ name, state: "unknown" }))];
}

async function hasRecords(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there",
  );
  return rows[0]?.there === true;
}

/** The SQL of a migration of `directory`. */
export function readMigration(directory: string, name: string): Promise<string> {
  return readFile(path.join(directory, name, "migration.sql"), "utf8");
}

/**
 * Whether the schema engine would find nothing to apply and nothing to refuse: most starts do without it, since once
 * loaded it takes 20 MB for as long as the process lives.
 */
async function areApplied(pool: Pool, names: readonly string[]): Promise<boolean> {
  const records = await readRecords(pool).catch((error: unknown) => {
    if (sqlStateOf(error) === NO_SUCH_TABLE) return null;
    throw error;
  });
  if (records === null) return false;
  const recorded = new Set(records.map(({ name }) => name));
  return records.every(({ finished }) => finished) && names.every((name) => recorded.has(name));
}

/** The records of the migrations that the engine started and nobody rolled back. */
async function readRecords(pool: Pool): Promise<{ name: string; finished: boolean }[]> {
  const { rows } = await pool.query(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return rows;
}

async function migrationNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function readMigrations(directory: string, names: readonly string[]) {
  return {
    baseDir: directory,
    lockfile: {
      path: "migration_lock.toml",
      content: await readFile(path.join(directory, "migration_lock.toml"), "utf8"),
    },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: "migration.sql",
          content: {
            tag: "ok" as const,
            value: await readMigration(directory, name),
          },
        },
      })),
    ),
  };
}
