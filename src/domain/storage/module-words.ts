import { RESOURCES } from "../core/ids.js";
import { snakeCase } from "../core/names.js";
import { carriedBy, isReferring, type ModuleOwner } from "../modules/index.js";
import { enabledColumn } from "./graph.js";

// The column `modules` of every kind of owner, which PostgreSQL makes of the others, has a word for each module that
// is set, such as `oauth:true`. Prisma does not know it: `npm run migration` writes it.

/** The word that owners have whose module is set, and enabled or not. */
export function moduleWord(module: string, enabled: boolean): string {
  return `${module}:${enabled}`;
}

/**
 * What makes the column, as SQL. One row in 10,000 has one word more, 'rare': of what nothing in the statistics has,
 * PostgreSQL supposes that it is half as frequent as the least frequent word there, and without a rare one it takes
 * modules that no row has for common.
 */
function wordsOf(owner: ModuleOwner): string {
  const words = carriedBy(owner).map(({ name, module }) => {
    const enabled = isReferring(module)
      ? `"${enabledColumn(name)}"::text`
      : `("${snakeCase(name)}" ->> 'enabled')`;
    return `'${name}:' || ${enabled}`;
  });
  const rare = `CASE WHEN hashtextextended("id", 0) % 10000 = 0 THEN 'rare' END`;
  return `array_remove(ARRAY[\n  ${[...words, rare].join(",\n  ")}\n], NULL)`;
}

/**
 * The statements of a migration that makes the column of a table that has none, with its index and with statistics
 * that are fine enough to keep the rare word. Nothing else would look at the new column soon.
 */
export function addModuleWords(owner: ModuleOwner): readonly string[] {
  const { table } = RESOURCES[owner];
  return [
    `ALTER TABLE "${table}" ADD COLUMN "modules" TEXT[] NOT NULL GENERATED ALWAYS AS (${wordsOf(owner)}) STORED`,
    `CREATE INDEX "${table}_modules_idx" ON "${table}" USING GIN ("modules") WITH (gin_pending_list_limit = 64)`,
    `ALTER TABLE "${table}" ALTER COLUMN "modules" SET STATISTICS 1000`,
    `ANALYZE "${table}" ("modules")`,
  ];
}

/** The statement that takes the column away, with its index: before any that takes a column away that it is made of. */
export function dropModuleWords(owner: ModuleOwner): string {
  return `ALTER TABLE "${RESOURCES[owner].table}" DROP COLUMN "modules"`;
}
