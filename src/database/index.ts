import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { Client, Pool, type PoolConfig } from "pg";
import { type ChangeSignal, localSignal, notifyingSignal } from "./change-signal.js";
import type { Connection } from "./connection.js";
import { PrismaClient } from "./generated/client.js";
import { migrate } from "./migrate.js";
import { preparedStatementNames } from "./prepared-statements.js";

export type { ChangeSignal } from "./change-signal.js";
export type { Connection } from "./connection.js";
export { startEmbedded } from "./embedded.js";
export { Prisma } from "./generated/client.js";
export { PLANNED_ANEW } from "./prepared-statements.js";

const MIGRATIONS = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

const STATEMENT_TIMEOUT_MS = 5_000;
const POOL_WAIT_MS = 2_000;
const EMBEDDED_POOL_WAIT_MS = 10_000;
/** Longer than the statement timeout, so that the database ends a stuck statement first. */
const TRANSACTION_TIMEOUT_MS = 8_000;

/**
 * Many short statements: compiling one takes longer than running it. And pages of lists are in memory or on a
 * disk without a head to move, where following an index costs what reading in order costs.
 */
const PLANNING = "-c jit=off -c random_page_cost=1.1";

/** A Prisma client, or the one of a transaction. */
export type Database = Omit<PrismaClient, "$connect" | "$disconnect" | "$on" | "$use" | "$extends">;
export type TransactionClient = Parameters<Parameters<PrismaClient["$transaction"]>[0]>[0];

export interface OpenDatabase {
  readonly client: PrismaClient;
  readonly changeSignal: ChangeSignal;
  /** Names of the migrations that opening applied. */
  readonly applied: readonly string[];
  /**
   * Ends the statement that a connection is running, by its process id, on a connection of its own; null on
   * the embedded engine, which runs nothing while this process does something else.
   */
  readonly cancelStatement: ((processId: number) => Promise<void>) | null;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  onConnectionError(error: Error): void;
}

/** Connects to PostgreSQL (or the embedded engine), brings the tables up to date and returns a client. */
export async function openDatabase(
  { embedded = false, ...connection }: Connection,
  options: OpenOptions,
): Promise<OpenDatabase> {
  const maxWait = embedded ? EMBEDDED_POOL_WAIT_MS : POOL_WAIT_MS;
  const settings = {
    max: 16,
    connectionTimeoutMillis: maxWait,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    options: PLANNING,
    ...connection,
  };
  // A migration may take longer than a request is allowed to.
  const applied = await migrateOn({ ...settings, statement_timeout: false });
  const pool = new Pool(settings);
  pool.on("error", options.onConnectionError);
  try {
    const client = new PrismaClient({
      // All connections to the embedded engine share one session, and with it the names of statements.
      adapter: new PrismaPg(
        pool,
        embedded ? {} : { statementNameGenerator: preparedStatementNames() },
      ),
      errorFormat: "minimal",
      transactionOptions: { maxWait, timeout: TRANSACTION_TIMEOUT_MS },
    });
    const changeSignal = embedded
      ? localSignal()
      : notifyingSignal(pool, settings, options.onConnectionError);
    return {
      client,
      changeSignal,
      applied,
      cancelStatement: embedded ? null : (processId) => cancel(settings, processId),
      async close() {
        await changeSignal.close();
        await client.$disconnect();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Never throws: what cannot be cancelled ends by the statement timeout. */
async function cancel(settings: PoolConfig, processId: number): Promise<void> {
  const client = new Client(settings);
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT pg_cancel_backend($1)", [processId]);
  } catch {
    // Said above.
  } finally {
    await client.end().catch(() => {});
  }
}

/** On connections of its own: migrating takes a lock that lasts as long as the connection that took it. */
async function migrateOn(settings: PoolConfig): Promise<string[]> {
  const pool = new Pool(settings);
  pool.on("error", () => {});
  try {
    return await migrate(pool, MIGRATIONS);
  } finally {
    await pool.end();
  }
}
