// npm run migration -- add_something: writes the SQL that leads from the committed prisma/schema.prisma
// to the one in the work tree, and makes the column `modules` anew of each table whose modules are others than in
// src/domain/modules. It starts a database of its own.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { openDataDirectory } from "../dist/database/disk/data-directory.js";
import { openDatabase, startEmbedded } from "../dist/database/index.js";
import { openSchemaEngine } from "../dist/database/migrate.js";
import { RESOURCES } from "../dist/domain/core/ids.js";
import { MODULE_OWNERS, moduleNamesOf } from "../dist/domain/modules/index.js";
import { addModuleWords, dropModuleWords } from "../dist/domain/storage/module-words.js";

const SCHEMA = "prisma/schema.prisma";
const name = process.argv[2];
if (!/^[a-z0-9_]+$/.test(name ?? "")) {
  console.error("Usage: npm run migration -- name_in_snake_case");
  process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), "edgeplane-migration-"));
const directory = await openDataDirectory(path.join(folder, "data"), console.error);
const embedded = await startEmbedded(directory, { log: { ...console, debug: () => {} } });
const engine = await openSchemaEngine(new PrismaPg(embedded.connection));
const { stdout } = await engine.diff({
  from: committedSchema(),
  to: schemaTarget(readFileSync(SCHEMA, "utf8")),
  script: true,
  exitCode: null,
  filters: { externalTables: [], externalEnums: [] },
});
const database = await openDatabase(embedded.connection, { onConnectionError: console.error });
const migrated = await Promise.all(
  MODULE_OWNERS.map(async (owner) => [owner, await madeOf(owner)]),
);
await database.close();
await embedded.stop();
await directory.release();
rmSync(folder, { recursive: true });

// Ids are compared bytewise, whatever the collation of the database; which schema is the operator's choice.
const tables = stdout
  .replace(/("(?:id|\w+_id)" TEXT)/g, '$1 COLLATE "C"')
  .replace(/^-- CreateSchema\n.*\n\n/, "");
const changed = migrated.filter(
  ([owner, modules]) => String(modules) !== String(moduleNamesOf(owner)),
);
const dropped = changed.filter(([, modules]) => modules).map(([owner]) => dropModuleWords(owner));
const added = changed.flatMap(([owner]) => addModuleWords(owner));
const sql = [
  statements("What is made of columns that may go.", dropped),
  tables.trimEnd(),
  statements("Which modules a row has: see src/domain/storage/module-words.ts.", added),
]
  .filter((part) => part !== "")
  .map((part) => `${part}\n`)
  .join("\n");
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const migration = `prisma/migrations/${stamp}_${name}`;
mkdirSync(migration);
writeFileSync(`${migration}/migration.sql`, sql);
console.log(`Wrote ${migration}/migration.sql`);
process.exit(0);

function schemaTarget(content) {
  return { tag: "schemaDatamodel", files: [{ path: SCHEMA, content }] };
}

/** The modules that the column `modules` is made of; null where there is none. */
async function madeOf(owner) {
  const [column] = await database.client.$queryRaw`
    SELECT pg_get_expr(adbin, adrelid) AS made FROM pg_attrdef
      JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
     WHERE adrelid = to_regclass(${RESOURCES[owner].table}) AND attname = 'modules'`;
  return column ? [...column.made.matchAll(/'(\w+):'/g)].map(([, name]) => name) : null;
}

function statements(comment, lines) {
  return lines.length === 0 ? "" : [`-- ${comment}`, ...lines.map((line) => `${line};`)].join("\n");
}

function committedSchema() {
  try {
    return schemaTarget(
      execFileSync("git", ["show", `HEAD:${SCHEMA}`], { encoding: "utf8", stdio: "pipe" }),
    );
  } catch {
    return { tag: "empty" };
  }
}
