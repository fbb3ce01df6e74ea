import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import type { Connection } from "../connection/connection.js";
import { isConnectionError, sqlStateOf } from "../connection/errors.js";
import type { Account } from "./accounts.js";
import type { Binaries } from "./binaries.js";
import type { EmbeddedOptions, EmbeddedServer, EngineLog } from "./engine.js";

/** One PostgreSQL server: its programs, account, database folder and socket. */
export interface Postgres {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly database: string;
  readonly socketFolder: string;
}

const USER = "postgres";
/** Part of the name of the socket; nothing listens on it. */
const PORT = 5432;

/** For a small machine; what is not said here has the default of PostgreSQL, `fsync` among it. */
const SETTINGS = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "40",
  shared_buffers: "64MB",
  // One statement has one processor.
  max_parallel_workers_per_gather: "0",
  io_method: "sync",
  // As a backup of a running server needs it.
  wal_level: "replica",
  // Without one a checkpoint writes no new file, which on a full disk would end the server.
  max_active_replication_origins: "0",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  max_wal_size: "256MB",
  min_wal_size: "64MB",
  // Statements that fail hold values, and are reported by who sent them.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  log_line_prefix: "",
  logging_collector: "off",
} as const;

/** The major versions that some of these came with. Earlier ones start only without them. */
const SINCE: Readonly<Record<string, number>> = {
  io_method: 18,
  max_active_replication_origins: 18,
};

const LOOK_EVERY_MS = 10;
const CONNECT_LIMIT_MS = 2_000;
const START_AGAIN_AFTER_MS = 500;
/** The time that each way of stopping may take before the next, less gentle one. */
const STOP_LIMIT_MS = 8_000;
/** Lines of its output that an error repeats. */
const MOST_LINES = 5;

/**
 * Throws when `postgres` cannot print its version, for example with the library of another platform or without the
 * account.
 */
export async function requireRunnable({ account, binaries }: Postgres): Promise<void> {
  const postgres = run(account, binaries, binaries.postgres, ["--version"]);
  const said = linesOf(postgres);
  const end = await ended(postgres);
  if (postgres.exitCode !== 0) throw new Error(said.join(" ") || end);
}

/**
 * Makes an empty database in the empty folder `database`, which survives a power cut unless the caller syncs it later.
 * Throws with what `initdb` says.
 */
export async function initialize(
  database: string,
  binaries: Binaries,
  account: Account,
  isSyncedLater = false,
): Promise<void> {
  const initdb = run(account, binaries, binaries.initdb, [
    ...["-D", database, "--username", USER, "--auth", "trust", "--encoding", "UTF8"],
    // By bytes, but for what is a letter and what its case is.
    ...["--locale", "C", "--lc-ctype", characterLocale()],
    ...(isSyncedLater ? ["--no-sync"] : []),
  ]);
  const said = linesOf(initdb);
  const end = await ended(initdb);
  if (initdb.exitCode !== 0) throw new Error(said.join(" ") || end);
}

function characterLocale(): string {
  return process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
}

/**
 * Starts the server and keeps it running: one that ends by itself is started again. It stops when this process ends for
 * any reason. Throws with what it says when it does not start.
 */
export async function startPostgres(
  postgres: Postgres,
  { log, settings, onLaunch = () => {} }: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const connection = connectionTo(postgres.socketFolder);
  const args = argumentsOf(postgres, settings);
  const stopping = new AbortController();
  const { signal } = stopping;
  let restarting = Promise.resolve();
  let server = await launch();

  async function launch(): Promise<ChildProcess> {
    const child = run(postgres.account, postgres.binaries, postgres.binaries.postgres, args);
    onLaunch(child);
    const said = linesOf(child, log);
    const exit = ended(child);
    const watchdog = watch(child, log);
    void exit.then(() => watchdog?.kill("SIGKILL"));
    await answers(connection, exit, said).catch(async (error: unknown) => {
      child.kill("SIGQUIT");
      await exit;
      throw error;
    });
    void exit.then((end) => {
      if (signal.aborted) return;
      log.error(`the database server ended by itself (${end}); it is started again`);
      restarting = launchAgain();
    });
    return child;
  }

  async function launchAgain(): Promise<void> {
    for (;;) {
      await sleep(START_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        server = await launch();
        log.warn("the database server runs again");
        return;
      } catch (error) {
        log.error(
          `the database server does not start: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
  }

  return {
    connection,
    async stop() {
      stopping.abort();
      await restarting;
      for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
        if (server.exitCode !== null || server.signalCode !== null) return;
        server.kill(signal);
        const limit = AbortSignal.timeout(STOP_LIMIT_MS);
        await once(server, "exit", { signal: limit }).catch(() => {});
      }
    },
  };
}

/** The socket of the server, in the folder that it was told. */
export function socketIn(folder: string): string {
  return path.join(folder, `.s.PGSQL.${PORT}`);
}

/** To the server with its socket in `socketFolder`, also from another process. */
export function connectionTo(socketFolder: string): Connection {
  // Said in full, so that no variable of the environment speaks for what is left out.
  return {
    host: socketFolder,
    port: PORT,
    user: USER,
    database: USER,
    ssl: false,
    options: "-c client_min_messages=warning",
  };
}

function argumentsOf(
  { binaries, database, socketFolder }: Postgres,
  settings: EmbeddedOptions["settings"],
): string[] {
  const folders = `"${socketFolder.replaceAll('"', '""')}"`;
  const all = { ...SETTINGS, unix_socket_directories: folders, port: PORT, ...settings };
  const known = Object.entries(all).filter(([name]) => binaries.majorVersion >= (SINCE[name] ?? 0));
  const given = known.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", database, ...given];
}

/** Runs a program of PostgreSQL in a process group of its own, so that Ctrl-C in a terminal reaches this process alone. */
function run(
  account: Account,
  binaries: Binaries,
  program: string,
  args: readonly string[],
): ChildProcess {
  const { file, args: all, ...owner } = account.command(program, args);
  const { PATH = "", TZ } = process.env;
  return spawn(file, all, {
    ...owner,
    cwd: "/",
    env: { PATH, ...(TZ !== undefined && { TZ }), ...binaries.env },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
}

/** The last lines that a process wrote, as they come. */
function linesOf({ stderr }: ChildProcess, log?: EngineLog): string[] {
  const lines: string[] = [];
  if (!stderr) return lines;
  createInterface({ input: stderr }).on("line", (line) => {
    if (!REFUSES.test(line)) lines.push(line);
    if (lines.length > MOST_LINES) lines.shift();
    if (line.startsWith("PANIC: ")) log?.error(line);
    else log?.debug(line);
  });
  return lines;
}

/** What the server says to those who connect while it starts or stops. */
const REFUSES = /^FATAL: +the database system is /;

/** Why a server has ended, among the last lines that it wrote. */
function reasonIn(lines: readonly string[]): string {
  const severe = lines.filter((line) => /^(PANIC|FATAL|DETAIL|HINT): /.test(line));
  return (severe.length > 0 ? severe : lines).join(" ").replaceAll(/ {2,}/g, " ");
}

/** Resolves with how the process ended, or why it could not be started, once all that it wrote is read. */
function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once("error", ({ message }) => resolve(message));
  });
}

/**
 * Resolves when the server takes connections; while it recovers, that may take long. Throws when it ends before, and
 * when it refuses for another reason than that it is not ready.
 */
async function answers(
  connection: ClientConfig,
  exit: Promise<string>,
  said: readonly string[],
): Promise<void> {
  let end: string | undefined;
  void exit.then((how) => {
    end = how;
  });
  for (;;) {
    const refusal = await refusalOf(connection);
    if (refusal === null) return;
    if (end !== undefined) throw new Error(reasonIn(said) || end);
    if (!isConnectionError(refusal) && !NOT_READY.includes(sqlStateOf(refusal))) throw refusal;
    await sleep(LOOK_EVERY_MS);
  }
}

/** PostgreSQL's codes while it starts, recovers or stops, and while it has no connection left. */
const NOT_READY: readonly (string | null)[] = ["57P01", "57P02", "57P03", "53300"];

/** Why the server takes no connection; null when it does. */
async function refusalOf(connection: ClientConfig): Promise<unknown> {
  const client = new Client({ ...connection, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
    return null;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Waits until its input ends, which it does with the process that holds the other end, whatever ends that. */
const WATCH = 'read -r _; kill -s INT "$0"';

/** Stops the server when this process is killed. */
function watch({ pid }: ChildProcess, log: EngineLog): ChildProcess | null {
  if (pid === undefined) return null;
  const watchdog = spawn("sh", ["-c", WATCH, String(pid)], {
    cwd: "/",
    env: { PATH: process.env.PATH },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watchdog.on("error", ({ message }) => {
    log.warn(`the database server will outlive this process if that is killed: ${message}`);
  });
  watchdog.stdin?.on("error", () => {});
  return watchdog;
}
