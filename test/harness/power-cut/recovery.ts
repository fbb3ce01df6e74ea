import { Client } from "pg";
import { openDataDirectory } from "../../../src/database/disk/data-directory.js";
import { openDatabase, startEmbedded } from "../../../src/database/index.js";
import { type Histories, lostChanges } from "./changes.js";

const SILENT = { debug: () => {}, warn: () => {}, error: () => {} };

/**
 * Starts the database of `dataDir` as the server does, and stops it. Returns what is wrong with it: changes that one of
 * the answers in `given` acknowledged and that are lost, and damage; or why it does not start.
 */
export async function faultsOf(
  dataDir: string,
  histories: Histories,
  given: ReadonlySet<string>,
): Promise<string[]> {
  try {
    return await usingDatabase(dataDir, async (stored, client) => [
      ...lostChanges(histories, given, stored),
      ...(await damageOf(client)),
    ]);
  } catch (error) {
    return [String(error)];
  }
}

/** Calls `use` with the descriptions of all policies by their ids, and a connection. */
async function usingDatabase<T>(
  dataDir: string,
  use: (stored: ReadonlyMap<string, string>, client: Client) => Promise<T>,
): Promise<T> {
  const directory = await openDataDirectory(dataDir, (error) => {
    throw error;
  });
  try {
    await directory.keyFile();
    const server = await startEmbedded(directory, { log: SILENT, settings: { fsync: "off" } });
    const client = new Client(server.connection);
    try {
      const database = await openDatabase(server.connection, { onConnectionError: () => {} });
      const policies = await database.client.ipPolicy.findMany();
      await database.close();
      await client.connect();
      return await use(new Map(policies.map(({ id, description }) => [id, description])), client);
    } finally {
      await client.end();
      await server.stop();
    }
  } finally {
    await directory.release();
  }
}

/** What does not fit together: pages and checksums, indexes and tables, policies and their log and count. */
async function damageOf(client: Client): Promise<string[]> {
  await client.query("CREATE EXTENSION amcheck");
  await client.query(
    `SELECT bt_index_check(index => indexrelid, heapallindexed => true)
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
     WHERE amname = 'btree' AND indisvalid`,
  );
  const { rows } = await client.query<{ fault: string }>(
    `SELECT relname || ': ' || msg AS fault
     FROM pg_class, LATERAL verify_heapam(oid) WHERE relkind IN ('r', 'm', 't')
     UNION ALL
     SELECT id || ' has other versions than the log' FROM ip_policies
     WHERE version <> (SELECT count(*) FROM changes WHERE resource_id = ip_policies.id)
     UNION ALL
     SELECT 'the policies are miscounted'
     WHERE (SELECT count(*) FROM ip_policies) <>
       (SELECT coalesce(sum(count), 0) FROM counts WHERE name = 'ipPolicy')`,
  );
  return rows.map(({ fault }) => fault);
}
