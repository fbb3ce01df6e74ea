import type { Pool, PoolConfig } from "pg";
import { requireAnswer } from "./answer.js";
import type { Connection } from "./connection.js";
import { openPool } from "./pool.js";
import { requireSameDatabase } from "./same-database.js";
import { patientOptions } from "./session.js";

/** The engine inside this process runs one statement at a time, and all wait for their turn. */
export const IN_PROCESS_POOL_WAIT_MS = 10_000;
const PATIENT_WAIT_MS = 5_000;

/** The settings of connections to the server itself, without time limits but for connecting. */
function directly({ inProcess, directUrl, readUrl: _, ...connection }: Connection): PoolConfig {
  return {
    connectionTimeoutMillis: inProcess ? IN_PROCESS_POOL_WAIT_MS : PATIENT_WAIT_MS,
    keepAlive: true,
    ...connection,
    ...(directUrl !== undefined && { connectionString: directUrl }),
    statement_timeout: false,
    options: patientOptions(connection.options),
  };
}

/**
 * Runs `work` on connections of its own to the server itself: migrating takes a lock that lasts as long as the connection
 * that took it. Throws when the server cannot be reached, and when the pooler in front of it leads to another database.
 */
export async function onServer<Result>(
  connection: Connection,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const { directUrl, ...pooled } = connection;
  return onPoolOf(directly(connection), async (server) => {
    if (directUrl !== undefined) {
      // A pooler may keep a statement waiting for a session.
      const limits = { options: connection.options, query_timeout: PATIENT_WAIT_MS };
      await onPoolOf({ ...directly(pooled), ...limits }, (pooler) =>
        requireSameDatabase(server, pooler),
      );
    }
    return work(server);
  });
}

async function onPoolOf<Result>(
  settings: PoolConfig,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool(settings, 0, () => {});
  try {
    await requireAnswer(pool);
    return await work(pool);
  } finally {
    await pool.end();
  }
}
