// npm run migration -- add_something: writes the SQL that leads from the committed prisma/schema.prisma
// to the one in the work tree. It starts a database of its own.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { openDataDirectory } from "../dist/database/disk/data-directory.js";
import { startEmbedded } from "../dist/database/index.js";
import { openSchemaEngine } from "../dist/database/migrate.js";

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
await embedded.stop();
await directory.release();
rmSync(folder, { recursive: true });

// Ids are compared bytewise, whatever the collation of the database; which schema is the operator's choice.
const sql = stdout
  .replace(/("(?:id|\w+_id)" TEXT)/g, '$1 COLLATE "C"')
  .replace(/^-- CreateSchema\n.*\n\n/, "");
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const migration = `prisma/migrations/${stamp}_${name}`;
mkdirSync(migration);
writeFileSync(`${migration}/migration.sql`, sql);
console.log(`Wrote ${migration}/migration.sql`);
process.exit(0);

function schemaTarget(content) {
  return { tag: "schemaDatamodel", files: [{ path: SCHEMA, content }] };
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
