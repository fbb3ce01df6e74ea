import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { migrate } from "../src/database/migrate.js";
import { poolOf } from "./harness/cluster.js";
import { freshDatabase } from "./harness/server.js";

describe("migrating", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let folder: string;
  let pool: Pool;
  beforeEach(async () => {
    database = await freshDatabase();
    await database.administer("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    folder = await mkdtemp(path.join(tmpdir(), "edgeplane-migrations-"));
    await writeFile(path.join(folder, "migration_lock.toml"), 'provider = "postgresql"\n');
    await addMigration("1_first", "CREATE TABLE first (id INT)");
    await addMigration("2_second", "CREATE TABLE second (id INT)");
    pool = poolOf(database.url);
  });
  afterEach(async () => {
    await pool.end();
    await rm(folder, { recursive: true });
    await database.stop();
  });

  async function addMigration(name: string, sql: string): Promise<void> {
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, "migration.sql"), sql);
  }

  it("applies what is missing, in order, and returns its names", async () => {
    expect(await migrate(pool, folder)).toEqual(["1_first", "2_second"]);
    await addMigration("3_third", "ALTER TABLE second ADD COLUMN more INT");
    expect(await migrate(pool, folder)).toEqual(["3_third"]);
    await pool.query("SELECT more FROM second");
  });

  it("asks one question of a database that has everything, and starts no engine", async () => {
    await migrate(pool, folder);
    const connect = vi.spyOn(pool, "connect");
    const query = vi.spyOn(pool, "query");
    expect(await migrate(pool, folder)).toEqual([]);
    expect([query.mock.calls.length, connect.mock.calls.length]).toEqual([1, 1]);
  });

  it("leaves a database alone that has migrations of a later version as well", async () => {
    await migrate(pool, folder);
    await rm(path.join(folder, "2_second"), { recursive: true });
    expect(await migrate(pool, folder)).toEqual([]);
  });

  it("applies what was rolled back again", async () => {
    await migrate(pool, folder);
    await pool.query(`DROP TABLE second;
      UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_second'`);
    expect(await migrate(pool, folder)).toEqual(["2_second"]);
  });

  it("refuses a database in which a migration has failed, at each start", async () => {
    await addMigration("3_third", "CREATE TABLE first (id INT)");
    await expect(migrate(pool, folder)).rejects.toThrow(/3_third/);
    for (let start = 0; start < 2; start++) {
      await expect(migrate(pool, folder)).rejects.toThrow(/failed migrations/);
    }
  });

  it("refuses a database in which a migration failed that this version does not know", async () => {
    await addMigration("3_third", "CREATE TABLE first (id INT)");
    await migrate(pool, folder).catch(() => {});
    await rm(path.join(folder, "3_third"), { recursive: true });
    await expect(migrate(pool, folder)).rejects.toThrow(/failed migrations/);
  });

  it("changes nothing for a user who may not make pg_trgm, and goes on once somebody has made it", async () => {
    const user = `migrating_${randomBytes(6).toString("hex")}`;
    await database.administer(`CREATE ROLE ${user} LOGIN; GRANT ALL ON SCHEMA public TO ${user}`);
    const url = new URL(database.url);
    url.username = user;
    const own = poolOf(url.href);
    await expect(migrate(own, folder)).rejects.toThrow(
      /^pg_trgm: the extension is not made yet \(permission denied .* run CREATE EXTENSION pg_trgm as a superuser\.$/,
    );
    const { rows } = await pool.query(
      "SELECT relname FROM pg_class WHERE relname ~ 'prisma|first'",
    );
    expect(rows).toEqual([]);
    await database.administer("CREATE EXTENSION pg_trgm");
    expect(await migrate(own, folder)).toEqual(["1_first", "2_second"]);
    await own.end();
    await database.administer(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
  });

  it("says which server it cannot reach", async () => {
    const nowhere = poolOf("postgresql://edgeplane@127.0.0.1:1/edgeplane");
    await expect(migrate(nowhere, folder)).rejects.toThrow(/127\.0\.0\.1:1/);
    await nowhere.end();
  });
});
