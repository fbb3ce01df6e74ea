import { chmod, mkdir, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import lockfile from "proper-lockfile";
import { syncFolder, syncMade } from "./durable.js";
import { exists } from "./exists.js";
import { KEY_FILE, makeKeyFile } from "./key-file.js";
import { completeReplacement, isOfReplacement } from "./replacement.js";

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
  return inspect(directory).catch(explain(directory));
}

async function inspect(directory: string): Promise<InspectedDirectory | null> {
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
 * directory when another process has it open, when other users may read or change it, when it cannot be written, and
 * when it has no database but the files of something else.
 */
export async function openDataDirectory(
  directory: string,
  onLost: (error: Error) => void,
): Promise<DataDirectory> {
  return open(directory, onLost).catch(explain(directory));
}

async function open(directory: string, onLost: (error: Error) => void): Promise<DataDirectory> {
  const isNew = await makeFolder(directory);
  const real = await realpath(directory);
  if (!isNew) await refuseReadable(real);
  await refuseForeign(real);
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
  const found = await stat(directory);
  if (!found.isDirectory()) throw new Error(`DATA_DIR ${directory} is no directory.`);
  const { mode } = found;
  if ((mode & 0o066) === 0) return;
  throw new Error(
    `Other users may read or change the data directory ${directory} (mode ${(mode & 0o777).toString(8)}). Make it private with chmod go-rw ${directory}, or name a folder inside of it.`,
  );
}

/** What a data directory has without a database: what an interrupted first start or a restore leaves, and backups. */
const OWN_NAMES = new Set([
  "backups",
  KEY_FILE,
  `${KEY_FILE}.new`,
  `${KEY_FILE}.lock`,
  "libraries",
  "lock",
  "programs",
  "run",
]);
const OWN_PREFIXES = ["postgresql.new-", "database.new-", "restore.new-", "upgrade.new-"];
/** What is in an empty folder: of a file system of its own, or of a file manager. */
const OF_NOBODY = new Set(["lost+found", ".DS_Store", ".gitkeep"]);
/** Names that an error repeats. */
const MOST_NAMES = 5;

async function refuseForeign(directory: string): Promise<void> {
  if ((await engineOf(databasesIn(directory))) !== null) return;
  const foreign = (await readdir(directory)).filter(isForeign).sort();
  if (foreign.length === 0) return;
  const named = foreign.slice(0, MOST_NAMES).join(", ");
  const more = foreign.length > MOST_NAMES ? ` and ${foreign.length - MOST_NAMES} more` : "";
  throw new Error(
    `${directory} has no database of Edgeplane, but files of something else (${named}${more}). Set DATA_DIR to a directory that is empty or not there yet.`,
  );
}

function isForeign(name: string): boolean {
  return !(
    OWN_NAMES.has(name) ||
    OF_NOBODY.has(name) ||
    OWN_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    isOfReplacement(name)
  );
}

/** Says of an error of the system what it means for the data directory; throws others as they are. */
function explain(directory: string): (error: unknown) => Promise<never> {
  return async (error) => {
    const { message } = error instanceof Error ? error : { message: String(error) };
    switch (codeOf(error)) {
      case "EROFS":
        throw new Error(
          `The data directory ${directory} is on a file system that is read-only (${message}). Mount it so that it can be written, or set DATA_DIR to another directory.`,
        );
      case "EACCES":
      case "EPERM":
        throw new Error(
          `The data directory ${directory} may not be read and written by the user ${process.geteuid?.()} of this process${await ownerOf(directory)} (${message}). Start Edgeplane as the owner, give the directory to this user with chown -R, or set DATA_DIR to another one.`,
        );
      case "ENOTDIR":
        throw new Error(`DATA_DIR ${directory} lies in what is no directory (${message}).`);
      default:
        throw error;
    }
  };
}

async function ownerOf(directory: string): Promise<string> {
  const found = await stat(directory).catch(() => null);
  return found ? `; it belongs to the user ${found.uid}` : "";
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
  const file = path.join(directory, KEY_FILE);
  if (mayMake) await makeKeyFile(file);
  return file;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
