import { readFileSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import path from "node:path";
import { Client } from "pg";

// What is in an embedded database, past Edgeplane.

/** Runs `work` with a connection to the database that a server has open. */
export async function onSocket<Result>(
  dataDir: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    host: path.join(dataDir, "run"),
    user: "postgres",
    database: "postgres",
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The file of a table, relative to the folder of the database. */
export function fileOf(dataDir: string, table: string): Promise<string> {
  return onSocket(dataDir, async (client) => {
    await client.query("CHECKPOINT");
    const { rows } = await client.query("SELECT pg_relation_filepath($1) AS file", [table]);
    return rows[0].file;
  });
}

const PAGE_BYTES = 8_192;

/** Changes bytes in the first page of a file, as a bad disk would. */
export async function damage(file: string): Promise<void> {
  const at = PAGE_BYTES - 64;
  const bytes = readFileSync(file).subarray(at, PAGE_BYTES);
  if (bytes.length === 0) throw new Error(`${file} has no page.`);
  const handle = await open(file, "r+");
  const others = bytes.map((byte) => byte ^ 0xff);
  await handle.write(others, 0, others.length, at).finally(() => handle.close());
}

/** The names in a folder that begin so; none when it is not there. */
export async function namesWith(folder: string, prefix: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith(prefix));
}
