import { pipeline } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";
import { Client, type ClientBase } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Connection } from "../connection/connection.js";
import { digestOf, readSequences, requireSameTables } from "./tables.js";

/** So that values have the same text on both sides. */
const SESSION = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';
  SET extra_float_digits = 1; SET bytea_output = 'hex'; SET client_encoding = 'UTF8'; SET jit = off`;

/**
 * Copies all rows of the database of `from`, which nobody changes meanwhile, into the tables of that of `to`, in place of
 * what these have; compares them; and has `finish` do what is left. Throws when one of the databases has other tables, and
 * when a row differs.
 */
export async function copyRows(
  from: Connection,
  to: Connection,
  finish: (from: ClientBase, to: ClientBase) => Promise<void>,
): Promise<void> {
  await withClient(from, (source) =>
    withClient(to, async (target) => {
      const tables = await requireSameTables(source, target);
      // References are as right as they were; nothing else is to happen for a row.
      await target.query("SET session_replication_role = replica");
      await target.query("BEGIN");
      if (tables.length > 0) {
        await target.query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);
      }
      for (const { name, columns } of tables) {
        const place = `${name} (${columns.map((column) => column.name).join(", ")})`;
        await pipeline(
          source.query(copyTo(`COPY ${place} TO STDOUT`)),
          target.query(copyFrom(`COPY ${place} FROM STDIN`)),
        );
      }
      for (const { name, value, called } of await readSequences(source)) {
        await target.query("SELECT setval($1, $2, $3)", [name, value, called]);
      }
      await target.query("COMMIT");
      for (const table of tables) {
        const digests = await Promise.all([source, target].map((side) => digestOf(side, table)));
        if (!isDeepStrictEqual(digests[0], digests[1])) {
          throw new Error(`the rows of ${table.name} have not come over as they were`);
        }
      }
      await finish(source, target);
      await target.query("VACUUM (ANALYZE)");
    }),
  );
}

async function withClient<Result>(
  { inProcess: _, ...connection }: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connection);
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(SESSION);
    return await work(client);
  } finally {
    await client.end();
  }
}
