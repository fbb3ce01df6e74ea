import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RESOURCES } from "../src/domain/core/ids.js";
import { MODULE_OWNERS } from "../src/domain/modules/index.js";
import { addModuleWords, dropModuleWords } from "../src/domain/storage/module-words.js";
import { startServer, type TestServer } from "./harness/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

type Query = <Row>(sql: string) => Promise<Row[]>;

/** How the column `modules` is made, indexed and looked at. */
async function wordsIn(query: Query, table: string) {
  const columns = await query<{ made: string; required: boolean; statistics: number }>(
    `SELECT pg_get_expr(adbin, adrelid) AS made, attnotnull AS required, attstattarget::int AS statistics
       FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = '${table}'::regclass AND attname = 'modules'`,
  );
  const indexes = await query<{ indexdef: string }>(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = '${table}_modules_idx'`,
  );
  return { columns, indexes };
}

describe("the column that says which modules a row has", () => {
  it.each(MODULE_OWNERS)(
    "of %s is what the list of modules makes of it, or a migration is missing: npm run migration",
    async (owner) => {
      const { db } = server.context;
      if (!("$transaction" in db)) throw new Error("The context is inside a transaction.");
      const undo = new Error("undo");
      const { table } = RESOURCES[owner];
      const run = db.$transaction(async (inside) => {
        const query: Query = (sql) => inside.$queryRawUnsafe(sql);
        const migrated = await wordsIn(query, table);
        for (const statement of [dropModuleWords(owner), ...addModuleWords(owner)]) {
          await inside.$executeRawUnsafe(statement);
        }
        const made = await wordsIn(query, table);
        expect(made.columns).toHaveLength(1);
        expect(made.indexes).toHaveLength(1);
        expect(migrated).toEqual(made);
        throw undo;
      });
      await expect(run).rejects.toBe(undo);
    },
  );
});
