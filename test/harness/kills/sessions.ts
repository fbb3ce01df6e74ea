import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Connection } from "../../../src/database/index.js";

const OTHERS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/**
 * Looks which sessions of the database a killed process has left. Returns a function that resolves when they have ended:
 * until then a statement that was under way may still be committed. A database that is gone has none.
 */
export async function endOfSessions(connection: Connection): Promise<() => Promise<void>> {
  const left = await sessionsOf(connection).catch((): number[] => []);
  return async () => {
    while (left.length > 0) {
      const present = await sessionsOf(connection);
      if (!present.some((pid) => left.includes(pid))) return;
      await sleep(20);
    }
  };
}

async function sessionsOf(connection: Connection): Promise<number[]> {
  const client = new Client(connection);
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(OTHERS);
    return rows.map(({ pid }) => pid);
  } finally {
    await client.end().catch(() => {});
  }
}
