import { randomBytes } from "node:crypto";
import type { Pool, PoolClient } from "pg";

/**
 * Throws unless both pools are connected to the same database of the same server: a lock that one holds is refused to the
 * other. Needs no rights, and works through a pooler.
 */
export async function requireSameDatabase(server: Pool, pooler: Pool): Promise<void> {
  const lock = [randomBytes(8).readBigInt64BE()];
  await inDropped(server, async (holder) => {
    await holder.query("SELECT pg_advisory_xact_lock($1)", lock);
    await inDropped(pooler, async (asker) => {
      const { rows } = await asker.query("SELECT pg_try_advisory_xact_lock($1) AS taken", lock);
      if (rows[0]?.taken === true) throw new Error(DIFFERENT);
    });
  });
}

const DIFFERENT =
  "DATABASE_URL and DATABASE_DIRECT_URL lead to different databases: let both lead to the same database of the same server.";

/**
 * Runs `work` in a transaction whose connection is closed before it ends: a pooler then ends the session too, which may be
 * from before the user had the settings of Edgeplane.
 */
async function inDropped(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await work(client);
  } finally {
    client.release(true);
  }
}
