import { chown, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Connection } from "../connection.js";
import type { DataDirectory } from "../data-directory.js";
import { syncFolder } from "../durable.js";
import { accountOf, accountsForNew, refuseUnreachable } from "./accounts.js";
import { findBinaries } from "./binaries.js";
import { initialize, type Postgres, startPostgres } from "./postgres.js";
import { stopLeftBehind } from "./postmaster-file.js";
import { makeRuntimeFolder } from "./runtime-folder.js";
import { startWebAssembly } from "./webassembly.js";

export interface EmbeddedServer {
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** Where the engine says what happens to it. */
export interface EngineLog {
  debug(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface EmbeddedOptions {
  readonly log: EngineLog;
  /** Settings of PostgreSQL that differ from those of `postgres.ts`, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
}

const WHAT_WEBASSEMBLY_LACKS =
  "It writes without fsync, so a power cut may lose what was committed; it knows no time limit of a statement, runs one at a time, and needs more memory.";

/**
 * Starts the database of `directory`, reached over a socket in a private folder. A new one is a PostgreSQL
 * server as a process of its own, or, where none can run, PostgreSQL in WebAssembly inside this process. An existing
 * one goes on with the engine that made it. Throws when that one cannot run any more.
 */
export async function startEmbedded(
  directory: DataDirectory,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const leftBehind = await stopLeftBehind(directory.databases.postgresql);
  const runtimeFolder = await makeRuntimeFolder(directory.path);
  const server = await startEngine(directory, runtimeFolder, options);
  if (leftBehind === "running") {
    options.log.warn("stopped the database that a killed process had left running, and started it");
  } else if (leftBehind === "crashed" || directory.isAbandoned) {
    options.log.warn("the database was not stopped the last time; it has recovered all commits");
  }
  return {
    connection: server.connection,
    async stop() {
      await server.stop();
      await rm(runtimeFolder, { recursive: true, force: true });
    },
  };
}

function startEngine(
  directory: DataDirectory,
  runtimeFolder: string,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  switch (directory.engine) {
    case "postgresql":
      return startExisting(directory, runtimeFolder, options);
    case "webassembly":
      options.log.warn(
        `The database in ${directory.path} was made by the WebAssembly engine and goes on with it. ${WHAT_WEBASSEMBLY_LACKS}`,
      );
      return startWebAssembly(directory.databases.webassembly, runtimeFolder);
    case null:
      return startNew(directory, runtimeFolder, options);
  }
}

async function startExisting(
  directory: DataDirectory,
  runtimeFolder: string,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const database = directory.databases.postgresql;
  const binaries = await findBinaries(runtimeFolder);
  if (!binaries) {
    throw new Error(
      `${database} was made by the package of PostgreSQL for this platform, which is not installed. Install it with npm ci, without --omit=optional.`,
    );
  }
  const account = await accountOf(database);
  const postgres = { binaries, account, database, socketFolder: runtimeFolder };
  await admit(postgres, directory);
  return startPostgres(postgres, options);
}

async function startNew(
  directory: DataDirectory,
  runtimeFolder: string,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const { postgresql: database, webassembly } = directory.databases;
  const binaries = await findBinaries(runtimeFolder);
  const reasons = binaries ? [] : ["its package for this platform is not installed"];
  const accounts = await accountsForNew();
  const candidates: Postgres[] = binaries
    ? accounts.map((account) => ({ binaries, account, database, socketFolder: runtimeFolder }))
    : [];
  for (const postgres of candidates) {
    try {
      await admit(postgres, directory);
      await make(postgres);
      return await startPostgres(postgres, options);
    } catch (error) {
      reasons.push(`${postgres.account.name}: ${error instanceof Error ? error.message : error}`);
      await rm(database, { recursive: true, force: true });
    }
  }
  options.log.warn(
    `PostgreSQL cannot run here (${reasons.join("; ")}). The new database uses the WebAssembly engine. ${WHAT_WEBASSEMBLY_LACKS}`,
  );
  return startWebAssembly(webassembly, runtimeFolder);
}

/** Lets the account reach the database, and put its socket into the runtime folder. Throws where it cannot. */
async function admit(
  { account: { owner }, binaries, socketFolder }: Postgres,
  directory: DataDirectory,
): Promise<void> {
  if (!owner) return;
  await refuseUnreachable(directory.path);
  await refuseUnreachable(binaries.postgres);
  await directory.letOthersPass();
  await chown(socketFolder, owner.uid, owner.gid);
}

/** The database is there whole or not at all, also when this is interrupted. */
async function make({ binaries, account, database }: Postgres): Promise<void> {
  const unfinished = `${database}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  try {
    if (account.owner) await chown(unfinished, account.owner.uid, account.owner.gid);
    await initialize(unfinished, binaries, account);
    await rename(unfinished, database);
    await syncFolder(path.dirname(database));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}
