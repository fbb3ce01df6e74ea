import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { Client, type Pool, type PoolConfig } from "pg";
import {
  type ChangeSignal,
  localSignal,
  notifyingSignal,
  relayedSignal,
  type SignalRelay,
} from "./connection/change-signal.js";
import type { Connection } from "./connection/connection.js";
import { IN_PROCESS_POOL_WAIT_MS, onServer } from "./connection/direct.js";
import { type DatabaseObserver, observePool } from "./connection/observer.js";
import { openPool, SILENCE_LIMIT_MS } from "./connection/pool.js";
import { preparedStatementNames } from "./connection/prepared-statements.js";
import { openReplica, type ReplicaConnection } from "./connection/replica.js";
import {
  keepForRole,
  missingSettings,
  STATEMENT_TIMEOUT_MS,
  sessionOptions,
} from "./connection/session.js";
import { textsFrom } from "./connection/texts.js";
import { within } from "./connection/within.js";
import { PrismaClient } from "./generated/client.js";
import { type MigrationState, migrate, migrationStates, readMigration } from "./migrate.js";

export { type Backup, type BackupOptions, makeBackup } from "./backup/backup.js";
export {
  type DailyBackups,
  type DailyTimes,
  dailyNames,
  keepDailyBackups,
} from "./backup/daily.js";
export { type Restored, type RestoreOptions, restoreBackup } from "./backup/restore.js";
export { withQuery } from "./backup/verify.js";
export type { ChangeSignal, SignalRelay } from "./connection/change-signal.js";
export type { Connection } from "./connection/connection.js";
export { isConnectionError, sqlStateOf } from "./connection/errors.js";
export type { DatabaseObserver, StatementKind } from "./connection/observer.js";
export { PLANNED_ANEW } from "./connection/prepared-statements.js";
export type { ReplicaConnection } from "./connection/replica.js";
export { within } from "./connection/within.js";
export { watchFreeSpace } from "./disk/free-space.js";
export type { EmbeddedServer } from "./embedded/engine.js";
export { isServed, joinEmbedded, startEmbedded } from "./embedded/index.js";
export { keepPrograms } from "./embedded/programs.js";
export { lookForExtension } from "./extension.js";
export { Prisma } from "./generated/client.js";
export type { MigrationState } from "./migrate.js";
export { SYSTEM_IDENTIFIERS } from "./upgrade/predecessors.js";
export { upgradeDatabase } from "./upgrade/upgrade.js";

const MIGRATIONS = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

const POOL_WAIT_MS = 2_000;
const PING_LIMIT_MS = 1_500;
/** Migrations that an error names. */
const MOST_NAMED = 3;
/** Longer than the statement timeout, so that the database ends a stuck statement first. */
const TRANSACTION_TIMEOUT_MS = 8_000;

/** A Prisma client, or the one of a transaction. */
export type Database = Omit<PrismaClient, "$connect" | "$disconnect" | "$on" | "$use" | "$extends">;
export type TransactionClient = Parameters<Parameters<PrismaClient["$transaction"]>[0]>[0];

export interface OpenDatabase {
  readonly client: PrismaClient;
  readonly changeSignal: ChangeSignal;
  /** Names of the migrations that opening applied. */
  readonly applied: readonly string[];
  /**
   * Ends the statement that a connection is running, by its process id, on a connection of its own; null for
   * the engine inside this process, which runs nothing while this process does something else.
   */
  readonly cancelStatement: ((processId: number) => Promise<void>) | null;
  /**
   * Sends a statement that only reads, on any connection, and returns the texts of its one column. Costs half of what
   * the same costs through the client.
   */
  readTexts(text: string, values: readonly unknown[]): Promise<string[]>;
  /** Sends a statement that changes something and is a transaction by itself, at the same cost; returns the same. */
  executeAlone(text: string, values: readonly unknown[]): Promise<string[]>;
  /** The replica of the connection; null where there is none. */
  readonly replica: ReplicaConnection | null;
  /** Runs `work` on a connection that no time limit ends: for a start, and for commands of operators. */
  withoutTimeLimits<Result>(work: (client: PrismaClient) => Promise<Result>): Promise<Result>;
  /** The settings that sessions of requests should have and do not have: those that began before a pooler knew them. */
  missingSettings(): Promise<string[]>;
  /** Resolves when the database answers, and rejects when it does not within 1.5 seconds. */
  ping(): Promise<void>;
  /** The connections as they are now, without those of migrations and signals. */
  poolState(): PoolState;
  close(): Promise<void>;
}

/** Numbers of connections. */
export interface PoolState {
  readonly max: number;
  readonly used: number;
  readonly idle: number;
  /** Who wait for one. */
  readonly waiting: number;
}

export interface OpenOptions {
  /** What is done about migrations that the database does not have. Default "apply". */
  readonly pending?: "apply" | "refuse" | "leave";
  /** Is told of statements and of waits for connections, but not of those that open the database. */
  readonly observer?: DatabaseObserver | undefined;
  /** What tells other processes of changes, where the database does not do so by itself. */
  readonly relay?: SignalRelay | undefined;
  /** Called when a connection breaks, in use or idle; the pool replaces it by itself. */
  onConnectionError(error: Error): void;
}

/** Connects to PostgreSQL (or the embedded engine) and returns a client for tables that are up to date. */
export async function openDatabase(
  given: Connection,
  { pending = "apply", observer, relay, onConnectionError }: OpenOptions,
): Promise<OpenDatabase> {
  const { inProcess = false, directUrl, readUrl, ...connection } = given;
  const isPooled = directUrl !== undefined;
  const poolWait = inProcess ? IN_PROCESS_POOL_WAIT_MS : POOL_WAIT_MS;
  const settings = {
    max: 16,
    connectionTimeoutMillis: poolWait,
    keepAlive: true,
    ...connection,
  };
  // What needs a session of its own, and not that of a pooler: to listen, to migrate, to end what another one does.
  const direct = {
    ...settings,
    ...(isPooled && { connectionString: directUrl }),
    statement_timeout: connection.statement_timeout ?? STATEMENT_TIMEOUT_MS,
    options: sessionOptions(connection.options),
  };
  const prepare = async (server: Pool) => {
    if (pending === "refuse") await requireMigrated(server);
    const applied = pending === "apply" ? await migrate(server, MIGRATIONS) : [];
    if (isPooled) await keepForRole(server);
    return applied;
  };
  // Who has a relay is started by a process that has done so.
  const applied = relay ? [] : await onServer(given, prepare);
  let losses = 0;
  const onLoss = (error: Error) => {
    losses += 1;
    onConnectionError(error);
  };
  const pool = openPool(isPooled ? settings : direct, inProcess ? 0 : SILENCE_LIMIT_MS, onLoss);
  if (observer) observePool(pool, observer);
  // All connections to the engine inside this process share one session, and the names of statements with it. And those
  // to a pooler have another one in each transaction.
  const namesOfPool = () => (inProcess || isPooled ? () => "" : preparedStatementNames());
  const nameOf = namesOfPool();
  const replica =
    readUrl === undefined
      ? null
      : openReplica(
          { ...(isPooled ? settings : direct), connectionString: readUrl },
          { names: namesOfPool, observer, losses: () => losses, onConnectionError: onLoss },
        );
  try {
    const client = new PrismaClient({
      adapter: new PrismaPg(pool, { statementNameGenerator: nameOf }),
      errorFormat: "minimal",
      transactionOptions: {
        maxWait: settings.connectionTimeoutMillis ?? poolWait,
        timeout: TRANSACTION_TIMEOUT_MS,
      },
    });
    const changeSignal = inProcess
      ? localSignal()
      : relay
        ? relayedSignal(relay)
        : notifyingSignal(pool, direct, onConnectionError);
    const textsOf = textsFrom(pool, nameOf);
    return {
      client,
      changeSignal,
      applied,
      readTexts: textsOf,
      executeAlone: textsOf,
      replica,
      withoutTimeLimits: (work) => withoutTimeLimits(given, work),
      missingSettings: () => missingSettings(pool),
      poolState: () => ({
        max: pool.options.max,
        used: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      }),
      async ping() {
        await within(PING_LIMIT_MS, client.$queryRaw`SELECT 1`);
      },
      cancelStatement: inProcess ? null : (processId) => cancel(direct, processId),
      async close() {
        await changeSignal.close();
        await client.$disconnect();
        await pool.end();
        await replica?.close();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Throws unless the database has just the migrations of this version. */
async function requireMigrated(pool: Pool): Promise<void> {
  const states = await migrationStates(pool, MIGRATIONS);
  const others = states.filter(({ state }) => state !== "applied");
  if (others.length === 0) return;
  const named = others.slice(0, MOST_NAMED).map(({ name, state }) => `${name} (${state})`);
  const more = others.length > named.length ? ` and ${others.length - named.length} more` : "";
  throw new Error(
    `The tables of the database are not those of this version: ${named.join(", ")}${more}. See edgeplane migrate --status.`,
  );
}

/** The migrations of this version and those of the database, in order. Changes nothing. */
export function readMigrationStates(connection: Connection): Promise<MigrationState[]> {
  return onServer(connection, (pool) => migrationStates(pool, MIGRATIONS));
}

/** The SQL of a migration of this version. */
export function sqlOfMigration(name: string): Promise<string> {
  return readMigration(MIGRATIONS, name);
}

/**
 * Applies the pending migrations, or those up to `last`, and returns their names. Throws when one fails, or failed
 * before.
 */
export function applyMigrations(connection: Connection, last?: string): Promise<string[]> {
  return onServer(connection, (pool) => migrate(pool, MIGRATIONS, last));
}

/** Runs `work` on a connection that no time limit ends. */
export function withoutTimeLimits<Result>(
  connection: Connection,
  work: (client: PrismaClient) => Promise<Result>,
): Promise<Result> {
  return onServer(connection, async (pool) => {
    const client = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: "minimal" });
    try {
      return await work(client);
    } finally {
      await client.$disconnect();
    }
  });
}

/** Never throws: what cannot be cancelled ends by the statement timeout. */
async function cancel(settings: PoolConfig, processId: number): Promise<void> {
  const client = new Client({ ...settings, query_timeout: STATEMENT_TIMEOUT_MS });
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
