// npm run migration -- add_something: writes the SQL that leads from the committed prisma/schema.prisma
// to the one in the work tree. Needs no database server.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { PrismaPg } from "@prisma/adapter-pg";
import { startEmbedded } from "../dist/database/embedded.js";
import { openSchemaEngine } from "../dist/database/migrate.js";

const SCHEMA = "prisma/schema.prisma";
const name = process.argv[2];
if (!/^[a-z0-9_]+$/.test(name ?? "")) {
  console.error("Usage: npm run migration -- name_in_snake_case");
  process.exit(1);
}

const embedded = await startEmbedded();
const engine = await openSchemaEngine(new PrismaPg(embedded.connection));
const { stdout } = await engine.diff({
  from: committedSchema(),
  to: schemaTarget(readFileSync(SCHEMA, "utf8")),
  script: true,
  exitCode: null,
  filters: { externalTables: [], externalEnums: [] },
});
await embedded.stop();

// Ids are compared bytewise, whatever the collation of the database; which schema is the operator's choice.
const sql = stdout
  .replace(/("(?:id|\w+_id)" TEXT)/g, '$1 COLLATE "C"')
  .replace(/^-- CreateSchema\n.*\n\n/, "");
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const folder = `prisma/migrations/${stamp}_${name}`;
mkdirSync(folder);
writeFileSync(`${folder}/migration.sql`, sql);
console.log(`Wrote ${folder}/migration.sql`);
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
