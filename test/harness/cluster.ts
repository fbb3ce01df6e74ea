import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, type Pool } from "pg";
import type { TestProject } from "vitest/node";
import { openPool } from "../../src/database/connection/pool.js";
import { openDataDirectory } from "../../src/database/disk/data-directory.js";
import { openDatabase, startEmbedded } from "../../src/database/index.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The server of all tests: the database to administer it by, and the name of a migrated and empty one. */
    cluster: { readonly url: string; readonly migrated: string };
  }
}

/**
 * Where all tests get their databases from: the server of `TEST_DATABASE_URL`, or an embedded one that is started for
 * them. One database is migrated for them to begin with.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const cluster = given ? { url: given, stop: async () => {} } : await startCluster();
  const migrated = `edgeplane_migrated_${randomBytes(6).toString("hex")}`;
  await administer(cluster.url, `CREATE DATABASE "${migrated}"`);
  const database = await openDatabase(
    { connectionString: databaseUrl(cluster.url, migrated) },
    { onConnectionError: () => {} },
  );
  await database.close();
  project.provide("cluster", { url: cluster.url, migrated });
  return async () => {
    await administer(cluster.url, `DROP DATABASE "${migrated}" WITH (FORCE)`);
    await cluster.stop();
  };
}

async function startCluster() {
  const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  // For the user that the server runs as when this process is root's.
  await chmod(folder, 0o711);
  const directory = await openDataDirectory(path.join(folder, "data"), (error) => {
    throw error;
  });
  const log = { debug: () => {}, warn: console.warn, error: console.error };
  const settings = { fsync: "off", max_connections: "200" };
  const { connection, stop } = await startEmbedded(directory, { log, settings });
  if (connection.inProcess) throw new Error("The tests need a PostgreSQL that runs here.");
  const { host = "", user, database } = connection;
  return {
    url: `postgresql://${user}@${encodeURIComponent(host)}/${database}`,
    async stop() {
      await stop();
      await directory.release();
      await rm(folder, { recursive: true });
    },
  };
}

/** The URL of another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** Connections as a start has them. They may be cut while they end: a database is dropped at once after its test. */
export function poolOf(connectionString: string): Pool {
  return openPool({ connectionString }, 0, () => {});
}

export async function administer(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
