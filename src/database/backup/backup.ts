import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Connection } from "../connection/connection.js";
import { syncFolder, syncMade } from "../disk/durable.js";
import { requireFree } from "../disk/free-space.js";
import { KEY_FILE } from "../disk/key-file.js";
import { DATABASE } from "../disk/replacement.js";
import {
  bytesOf,
  chownTree,
  makePassable,
  REMOVE,
  readTree,
  removePrefixed,
  syncTree,
} from "../disk/trees.js";
import { copyLive } from "./live-copy.js";
import { type Manifest, writeManifest } from "./manifest.js";
import { type Query, verifyDatabase, withQuery } from "./verify.js";

const MIB = 1024 * 1024;
/** The log that a copy has besides the files. */
const LOG_BYTES = 64 * MIB;
const GENTLE_BYTES_PER_SECOND = 32 * MIB;

export interface BackupSource {
  readonly connection: Connection;
  /** The data directory: absolute, and without symbolic links. */
  readonly directory: string;
}

export interface BackupOptions {
  /**
   * Looks at the rows of the copy, and where something is wrong with them, at those of the database. Throws when the copy
   * is not what it must be. Returns the fingerprints of the keys that its secrets may be sealed with.
   */
  readonly examine: (copy: Connection, database: Connection) => Promise<readonly string[]>;
  /** So slow that the disk and the processor have time for requests; default as fast as it can. */
  readonly gently?: boolean;
  /** Ends it, with nothing left. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (copied: number, total: number) => void;
}

export interface Backup extends Manifest {
  /** Its folder. */
  readonly path: string;
}

/**
 * Makes a backup of a database that a server has open, as the folder `target`, with its keys. It has everything that was
 * committed before the call, and was started, read and stopped cleanly once. Throws when there is something at `target`,
 * when another backup of the database is being made, when a disk has too little room, and when the copy turns out to be
 * damaged; then nothing is left of it. What a killed process left of one is removed by the next with this target.
 */
export async function makeBackup(
  source: BackupSource,
  target: string,
  options: BackupOptions,
): Promise<Backup> {
  const place = path.resolve(target);
  await refuseExisting(place);
  const folder = path.dirname(place);
  const made = await mkdir(folder, { recursive: true });
  if (made !== undefined) await syncMade(made, folder);
  return withQuery(source.connection, async (query) => {
    await takeTurn(query);
    const prefix = `${path.basename(place)}.new-`;
    await removePrefixed(folder, prefix);
    const unfinished = path.join(folder, prefix + randomBytes(6).toString("hex"));
    await mkdir(unfinished, { mode: 0o700 });
    try {
      const manifest = await fill(unfinished, source, query, options);
      options.signal?.throwIfAborted();
      await refuseExisting(place);
      await rename(unfinished, place);
      await syncFolder(folder);
      return { ...manifest, path: place };
    } catch (error) {
      await rm(unfinished, REMOVE);
      throw error;
    }
  });
}

async function refuseExisting(place: string): Promise<void> {
  const found = await lstat(place).catch(() => null);
  if (found)
    throw new Error(`There is something at ${place}: name a folder that is not there yet.`);
}

/** Locks as long as the connection lasts. The number is for this alone. */
async function takeTurn(query: Query): Promise<void> {
  const [turn] = await query("SELECT pg_try_advisory_lock(5150942316) AS taken");
  if (turn?.taken !== true) throw new Error("Another backup of this database is being made.");
}

async function fill(
  unfinished: string,
  source: BackupSource,
  query: Query,
  options: BackupOptions,
): Promise<Manifest> {
  const madeAt = new Date().toISOString();
  const [system] = await query(
    `SELECT system_identifier::text AS identifier,
       current_setting('server_version_num')::integer / 10000 AS version
     FROM pg_control_system()`,
  );
  const migrations = await query(MIGRATIONS);
  const keys = await keysIn(source.directory);
  await copyFiles(unfinished, source, query, options);
  await copyKeys(unfinished, [...(await keysIn(source.directory)), ...keys]);
  const database = path.join(unfinished, DATABASE);
  await makePassable(unfinished);
  const look = async (copy: Connection) => {
    requireAll(migrations, await withQuery(copy, (query) => query(MIGRATIONS)));
    return options.examine(copy, source.connection);
  };
  const { gently } = options;
  const encryptionKeys = await verifyDatabase(database, look, { gently }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The backup could not be verified, so it was removed: ${reason}`);
    },
  );
  await chmod(unfinished, 0o700);
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  if (uid === 0 && gid !== undefined) await chownTree(database, { uid, gid });
  const manifest: Manifest = {
    format: 1,
    madeAt,
    postgresql: Number(system?.version),
    systemIdentifier: String(system?.identifier),
    bytes: bytesOf(await readTree(unfinished)),
    encryptionKeys: [...encryptionKeys],
  };
  await writeManifest(unfinished, manifest);
  await syncTree(unfinished);
  return manifest;
}

const MIGRATIONS = `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
  FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`;

/** More may have come while the files were copied. */
function requireAll(before: Rows, copied: Rows): void {
  const found = new Set(copied.map((row) => JSON.stringify(row)));
  const missing = before.filter((row) => !found.has(JSON.stringify(row)));
  if (missing.length === 0) return;
  throw new Error(`It lacks the migrations ${missing.map(({ name }) => name).join(", ")}.`);
}

type Rows = Awaited<ReturnType<Query>>;

async function copyFiles(
  unfinished: string,
  source: BackupSource,
  query: Query,
  { gently, signal, onProgress = () => {} }: BackupOptions,
): Promise<void> {
  const database = path.join(unfinished, DATABASE);
  await mkdir(database, { mode: 0o700 });
  let total = 0;
  let copied = 0;
  await copyLive(query, path.join(source.directory, DATABASE), database, {
    bytesPerSecond: gently ? GENTLE_BYTES_PER_SECOND : undefined,
    signal,
    async onSize(bytes) {
      total = bytes;
      await requireFree(unfinished, total + LOG_BYTES);
    },
    async onBytes(bytes) {
      copied += bytes;
      onProgress(copied, Math.max(total, copied));
      await requireFree(unfinished, 0);
      // Where the log grows that the copy needs.
      await requireFree(source.directory, 0);
    },
  });
}

/** The lines of the file of keys; none where they come from the environment. */
async function keysIn(directory: string): Promise<string[]> {
  const text = await readFile(path.join(directory, KEY_FILE), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    },
  );
  return text.split("\n").filter((line) => line !== "");
}

/** Those from before and after the copying, since they may be rotated meanwhile. */
async function copyKeys(unfinished: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const lines = [...new Set(keys)].map((key) => `${key}\n`);
  const file = path.join(unfinished, KEY_FILE);
  await writeFile(file, lines.join(""), { mode: 0o600, flush: true });
}
