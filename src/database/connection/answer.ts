import { Client, type Pool } from "pg";
import { isConnectionError } from "./errors.js";

/**
 * Resolves when the server answers. Throws in the words of the server when it refuses the connection, and with its address
 * when it does not answer.
 */
export async function requireAnswer(pool: Pool): Promise<void> {
  try {
    const client = await pool.connect();
    client.release();
  } catch (error) {
    throw explained(error, pool);
  }
}

function explained(error: unknown, { options }: Pool): unknown {
  if (!(error instanceof Error)) return error;
  const { host, port } = new Client(options);
  if (/unsupported startup parameter/.test(error.message)) {
    return new Error(
      `${host}:${port} is a pooler, not PostgreSQL itself (${error.message}): let DATABASE_URL lead to the pooler, and DATABASE_DIRECT_URL to PostgreSQL itself.`,
      { cause: error },
    );
  }
  if (isConnectionError(error) && error.message.includes("timeout")) {
    const limit = (options.connectionTimeoutMillis ?? 0) / 1000;
    return new Error(`The database at ${host}:${port} did not answer within ${limit} seconds.`, {
      cause: error,
    });
  }
  return error;
}
