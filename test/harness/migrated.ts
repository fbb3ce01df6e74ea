import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase, startEmbedded } from "../../src/database/index.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The file of a migrated and empty embedded database; null where PostgreSQL is used. */
    migrated: string | null;
  }
}

/** Migrates one embedded database for all tests to begin with. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide("migrated", null);
  if (process.env.TEST_DATABASE_URL) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  const embedded = await startEmbedded();
  const database = await openDatabase(embedded.connection, { onConnectionError: () => {} });
  await database.close();
  const dump = await embedded.dump();
  await embedded.stop();
  const file = path.join(folder, "migrated.tar");
  await writeFile(file, Buffer.from(await dump.arrayBuffer()));
  project.provide("migrated", file);
  return () => rm(folder, { recursive: true });
}
