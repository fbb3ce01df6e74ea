import { Socket } from "node:net";
import { Pool, type PoolClient, type PoolConfig } from "pg";

/**
 * The maximum time without data on a connection in use. It is longer than the statement timeout, so that a healthy
 * database ends its statement first.
 */
export const SILENCE_LIMIT_MS = 5_500;

/**
 * A pool that survives a restart of its database. A connection that breaks, or is silent for `silenceLimitMs` (0 for no
 * limit) while it is in use, is closed: its waiting calls fail, and the next request opens another connection. So is one
 * whose server refuses a change because it takes none: the address may lead to another one by now. `onConnectionError`
 * is called for each.
 */
export function openPool(
  settings: PoolConfig,
  silenceLimitMs: number,
  onConnectionError: (error: Error) => void,
): Pool {
  const pool = new Pool(settings);
  // It has been heard of by the connection's own listener.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    // The pool listens while a connection is idle, and whoever uses it while they do; between the two nobody
    // would, and an error that nobody hears ends the process.
    client.on("error", onConnectionError);
    const socket = socketOf(client);
    socket?.on("timeout", () => socket.destroy(silent()));
    // The primary of before, for example, after another one has taken its place.
    client.connection.on("errorMessage", ({ code }: { readonly code?: string }) => {
      if (code === READ_ONLY) setImmediate(() => socket?.destroy(readOnly()));
    });
  });
  pool.on("acquire", (client) => socketOf(client)?.setTimeout(silenceLimitMs));
  pool.on("release", (_, client) => socketOf(client)?.setTimeout(0));
  return pool;
}

function socketOf({ connection: { stream } }: PoolClient): Socket | null {
  return stream instanceof Socket ? stream : null;
}

/** PostgreSQL's code for a change that is sent to a server, or in a session, that takes none. */
const READ_ONLY = "25006";

function readOnly(): Error {
  return Object.assign(new Error("The database takes no changes."), { code: "ECONNRESET" });
}

/** The error that the system reports for a connection whose other end has closed. */
function silent(): Error {
  return Object.assign(new Error("The database does not answer."), { code: "ETIMEDOUT" });
}
