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
 * Applies the migrations of `directory` that the database does not have yet, and records them in `_prisma_migrations`.
 * Safe when several processes start at once.
 */
export async function migrate(pool: Pool, directory: string): Promise<string[]> {
  const engine = await openSchemaEngine(new PrismaPg(pool));
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: await readMigrations(directory),
      filters: NO_FILTERS,
    });
    return appliedMigrationNames;
  } finally {
    engine.free();
  }
}

async function readMigrations(directory: string) {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: directory,
    lockfile: {
      path: "migration_lock.toml",
      content: await readFile(path.join(directory, "migration_lock.toml"), "utf8"),
    },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: "migration.sql",
          content: {
            tag: "ok" as const,
            value: await readFile(path.join(directory, name, "migration.sql"), "utf8"),
          },
        },
      })),
    ),
  };
}
