import { rm } from "node:fs/promises";
import path from "node:path";
import { Client } from "pg";
import type { Connection } from "../connection/connection.js";
import { onTemporaryServer, type TemporaryOptions } from "../embedded/temporary.js";

/** Sends a statement that reads. */
export type Query = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Reads all files of a database, compares each page with its checksum, and sends nothing. */
const READ_ALL = "BASE_BACKUP (TARGET 'blackhole', CHECKPOINT 'fast', WAL false, MANIFEST 'no')";

/**
 * Starts the database in the folder `database` with a server of its own, which lets it recover; has every page compared
 * with its checksum; runs `examine`; and stops it cleanly. Throws when any of this fails.
 */
export async function verifyDatabase<Result>(
  database: string,
  examine: (connection: Connection) => Promise<Result>,
  options?: TemporaryOptions,
): Promise<Result> {
  const look = async (connection: Connection) => {
    await readAll(connection);
    return examine(connection);
  };
  const result = await onTemporaryServer(database, look, options);
  await rm(path.join(database, "postmaster.opts"), { force: true });
  return result;
}

/** Runs `work` with a connection that has no time limits. */
export async function withQuery<Result>(
  { inProcess: _, ...connection }: Connection,
  work: (query: Query, client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connection);
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(async (text, values = []) => {
      const { rows } = await client.query(text, [...values]);
      return rows;
    }, client);
  } finally {
    await client.end();
  }
}

/** Throws with what PostgreSQL says of the first damaged page. */
async function readAll(connection: Connection): Promise<void> {
  const physical = { ...connection, replication: "true" };
  const damages: string[] = [];
  await withQuery(physical, async (query, client) => {
    client.on("notice", ({ severity, message }) => {
      if (severity === "WARNING" && message !== undefined) damages.push(message);
    });
    await query(READ_ALL);
  }).catch((error: unknown) => {
    throw damages[0] === undefined ? error : new Error(damages[0]);
  });
}
