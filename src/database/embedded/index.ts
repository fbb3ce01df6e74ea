import { randomBytes } from "node:crypto";
import { access, chown, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Connection } from "../connection/connection.js";
import type { DataDirectory, InspectedDirectory } from "../disk/data-directory.js";
import { syncFolder } from "../disk/durable.js";
import { accountOf, accountsForNew, refuseUnreachable } from "./accounts.js";
import { findBinaries } from "./binaries.js";
import type { EmbeddedOptions, EmbeddedServer } from "./engine.js";
import {
  connectionTo,
  initialize,
  type Postgres,
  requireRunnable,
  socketIn,
  startPostgres,
} from "./postgres.js";
import { stopLeftBehind } from "./postmaster-file.js";
import { refusalOf } from "./refusal.js";
import { makeRuntimeFolder, runtimeFolderOf } from "./runtime-folder.js";
import { RESTORE_IF_DAMAGED, requireVersion } from "./versions.js";
import { startWebAssembly } from "./webassembly.js";

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
  const place: Location = {
    directory,
    socketFolder: await makeRuntimeFolder(directory.path),
    libraries: path.join(directory.path, "libraries"),
  };
  await rm(place.libraries, { recursive: true, force: true });
  const server = await startEngine(place, options);
  if (leftBehind === "running") {
    options.log.warn(
      "stopped the database that an earlier process had left running, and started it",
    );
  } else if (leftBehind === "crashed") {
    options.log.warn("the database was killed the last time; it has recovered all commits");
  } else if (directory.isAbandoned && directory.engine === "postgresql") {
    options.log.warn("the process before this one was killed; its database has all commits");
  }
  return {
    connection: server.connection,
    async stop() {
      await server.stop();
      for (const folder of [place.socketFolder, place.libraries]) {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Whether the process that has `directory` open serves its database, or will not do so by itself. */
export async function isServed({ path: directory, engine }: InspectedDirectory): Promise<boolean> {
  if (engine === "webassembly") return true;
  return access(socketIn(runtimeFolderOf(directory))).then(
    () => true,
    () => false,
  );
}

/**
 * The connection to the database that another process runs on `directory`. Throws for the engine inside of that
 * process, which serves nobody else.
 */
export function joinEmbedded({ path, engine }: InspectedDirectory): Connection {
  if (engine === "webassembly") {
    throw new Error(
      `The database in ${path} runs inside of the Edgeplane process that has it open: stop that process first.`,
    );
  }
  return connectionTo(runtimeFolderOf(path));
}

interface Location {
  readonly directory: DataDirectory;
  readonly socketFolder: string;
  /** What `findBinaries` makes. */
  readonly libraries: string;
}

function startEngine(place: Location, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { engine, path, databases } = place.directory;
  switch (engine) {
    case "postgresql":
      return startExisting(place, options);
    case "webassembly":
      options.log.warn(
        `The database in ${path} was made by the WebAssembly engine and goes on with it. ${WHAT_WEBASSEMBLY_LACKS}`,
      );
      return startWebAssembly(databases.webassembly, place.socketFolder);
    case null:
      return startNew(place, options);
  }
}

async function startExisting(
  { directory, socketFolder, libraries }: Location,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const database = directory.databases.postgresql;
  const binaries = await findBinaries(libraries);
  if (!binaries) {
    throw new Error(
      `${database} was made by the package of PostgreSQL for this platform, which is not installed. Install it with npm ci, without --omit=optional.`,
    );
  }
  await requireVersion(directory.path, database, binaries.majorVersion);
  const postgres = { binaries, account: await accountOf(database), database, socketFolder };
  await requireReachable(postgres, directory);
  await admit(postgres, directory);
  return startPostgres(postgres, options).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The database in ${database} does not start: ${reason}. ${RESTORE_IF_DAMAGED}`);
  });
}

/**
 * The WebAssembly engine is only for systems on which PostgreSQL cannot run. The operator must fix every other problem.
 */
async function startNew(
  { directory, socketFolder, libraries }: Location,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const { postgresql: database, webassembly } = directory.databases;
  const binaries = await findBinaries(libraries);
  const reasons = binaries ? [] : ["its package for this platform is not installed"];
  const accounts = await accountsForNew();
  const candidates: Postgres[] = binaries
    ? accounts.map((account) => ({ binaries, account, database, socketFolder }))
    : [];
  for (const postgres of candidates) {
    const { name } = postgres.account;
    const blocked = await refusalOf(() => requireReachable(postgres, directory));
    if (blocked === null) await admit(postgres, directory);
    const reason = blocked ?? (await refusalOf(() => requireRunnable(postgres)));
    if (reason === null) {
      await make(database, (unfinished) => initializeAs(postgres, unfinished));
      return startPostgres(postgres, options);
    }
    reasons.push(`${name}: ${reason}`);
  }
  options.log.warn(
    `PostgreSQL cannot run here (${reasons.join("; ")}). The new database uses the WebAssembly engine. ${WHAT_WEBASSEMBLY_LACKS}`,
  );
  await make(webassembly, async (unfinished) => {
    const engine = await startWebAssembly(unfinished, socketFolder);
    await engine.stop();
  });
  return startWebAssembly(webassembly, socketFolder);
}

/** Throws where the account cannot get to the data directory or to the programs. */
async function requireReachable(
  { account, binaries }: Postgres,
  directory: DataDirectory,
): Promise<void> {
  if (!account.owner) return;
  await refuseUnreachable(directory.path);
  await refuseUnreachable(binaries.postgres);
}

/** Lets the account reach the database, and put its socket into its folder. Throws where it cannot. */
async function admit(
  { account: { owner }, socketFolder }: Postgres,
  directory: DataDirectory,
): Promise<void> {
  if (!owner) return;
  await directory.letOthersPass();
  await chown(socketFolder, owner.uid, owner.gid);
}

async function initializeAs({ account, binaries }: Postgres, unfinished: string): Promise<void> {
  if (account.owner) await chown(unfinished, account.owner.uid, account.owner.gid);
  await initialize(unfinished, binaries, account);
}

/**
 * Has `fill` make a database in a folder beside `database`, and then gives it its name: so it is there whole or not at
 * all, also when this is interrupted. Each time in another folder, since what was interrupted may still be writing.
 */
async function make(database: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  const folder = path.dirname(database);
  const prefix = `${path.basename(database)}.new-`;
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix))
      await rm(path.join(folder, name), { recursive: true, force: true });
  }
  const unfinished = path.join(folder, prefix + randomBytes(6).toString("hex"));
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await fill(unfinished);
    await rename(unfinished, database);
    await syncFolder(folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}
