import { chmod, lstat, mkdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import lockfile from "proper-lockfile";
import { syncFolder, syncMade } from "./durable.js";
import { makeKeyFile } from "./key-file.js";
import { completeReplacement } from "./replacement.js";

// A process that dies without cleaning up leaves a lock that nobody refreshes. It is stale after
// this time, so a restart waits a little longer than that before it gives up.
const STALE_AFTER_MS = 5_000;
const REFRESH_EVERY_MS = 1_000;
const WAIT = { retries: 14, factor: 1, minTimeout: 500, maxTimeout: 500 };

type Engine = "postgresql" | "webassembly";

export interface DataDirectory {
  /** Absolute and without symbolic links. */
  readonly path: string;
  /** The folder of the database of each engine. The existing folder shows which engine created the database. */
  readonly databases: Readonly<Record<Engine, string>>;
  /** The engine whose database is there; null for none. */
  readonly engine: Engine | null;
  /** The process that had it before did not release it. */
  readonly isAbandoned: boolean;
  /**
   * The file of encryption keys, which only its owner reads. It is made together with the directory, and never beside a
   * database, whose secrets a new key would not open.
   */
  keyFile(): Promise<string>;
  /** Lets other users pass through, but not look. Throws unless this process made the directory, or they may already. */
  letOthersPass(): Promise<void>;
  release(): Promise<void>;
}

/** What another process sees of a data directory. */
export interface InspectedDirectory {
  readonly path: string;
  readonly engine: Engine | null;
  /** A process has it open at this moment. */
  readonly isInUse: boolean;
  /** As of `DataDirectory`; never makes one. */
  keyFile(): Promise<string>;
}

/** Looks at `directory` without opening it; null when it is not there. */
export async function inspectDataDirectory(directory: string): Promise<InspectedDirectory | null> {
  if (!(await exists(directory))) return null;
  const real = await realpath(directory);
  return {
    path: real,
    engine: await engineOf(databasesIn(real)),
    isInUse: await lockfile.check(real, { lockfilePath: lockOf(real), stale: STALE_AFTER_MS }),
    keyFile: () => keyFile(real, false),
  };
}

/**
 * Opens `directory` (made with mode 0700 when missing) for this process alone. Throws an error that names the
 * directory when another process has it open, and when other users may read or change it.
 */
export async function openDataDirectory(
  directory: string,
  onLost: (error: Error) => void,
): Promise<DataDirectory> {
  const isNew = await makeFolder(directory);
  const real = await realpath(directory);
  if (!isNew) await refuseReadable(real);
  const lock = lockOf(real);
  const isAbandoned = await exists(lock);
  const release = await lockfile
    .lock(real, {
      lockfilePath: lock,
      stale: STALE_AFTER_MS,
      update: REFRESH_EVERY_MS,
      retries: WAIT,
      onCompromised: onLost,
    })
    .catch((error: unknown) => {
      if (codeOf(error) === "ELOCKED") {
        throw new Error(
          `The data directory ${directory} is in use by another Edgeplane process. Stop it, or set DATA_DIR to another directory.`,
        );
      }
      throw error;
    });
  await completeReplacement(real);
  const databases = databasesIn(real);
  const engine = await engineOf(databases);
  return {
    path: real,
    databases,
    engine,
    isAbandoned,
    keyFile: () => keyFile(real, engine === null),
    letOthersPass: () => letOthersPass(real, isNew),
    release,
  };
}

function databasesIn(directory: string): DataDirectory["databases"] {
  return {
    postgresql: path.join(directory, "postgresql"),
    webassembly: path.join(directory, "database"),
  };
}

function lockOf(directory: string): string {
  return path.join(directory, "lock");
}

/** Returns whether it is new. Folders on the way to it are made as others are. */
async function makeFolder(directory: string): Promise<boolean> {
  const firstOnTheWay = await mkdir(path.dirname(directory), { recursive: true });
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  await syncMade(firstOnTheWay ?? directory, directory);
  return true;
}

async function engineOf(databases: DataDirectory["databases"]): Promise<Engine | null> {
  if (await exists(databases.postgresql)) return "postgresql";
  return (await exists(databases.webassembly)) ? "webassembly" : null;
}

async function refuseReadable(directory: string): Promise<void> {
  const { mode } = await stat(directory);
  if ((mode & 0o066) === 0) return;
  throw new Error(
    `Other users may read or change the data directory ${directory} (mode ${(mode & 0o777).toString(8)}). Make it private with chmod go-rw ${directory}, or name a folder inside of it.`,
  );
}

async function letOthersPass(directory: string, isNew: boolean): Promise<void> {
  const { mode } = await stat(directory);
  if ((mode & 0o001) !== 0) return;
  if (!isNew) {
    throw new Error(
      `The user that PostgreSQL has to run as may not pass through ${directory}. Let it with chmod go+x ${directory}, or start Edgeplane as another user than root.`,
    );
  }
  await chmod(directory, 0o711);
  await syncFolder(directory);
}

async function keyFile(directory: string, mayMake: boolean): Promise<string> {
  const file = path.join(directory, "encryption.key");
  if (mayMake) await makeKeyFile(file);
  return file;
}

/** Also a link whose target is missing: the target must not be created again. */
async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
