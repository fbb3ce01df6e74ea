import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import lockfile from "proper-lockfile";

// A process that dies without cleaning up leaves a lock that nobody refreshes. It is stale after
// this time, so a restart waits a little longer than that before it gives up.
const STALE_AFTER_MS = 5_000;
const REFRESH_EVERY_MS = 1_000;
const WAIT = { retries: 14, factor: 1, minTimeout: 500, maxTimeout: 500 };

export interface DataDirectory {
  readonly databasePath: string;
  /** 32 bytes; made on first use and kept in a file that only its owner reads. */
  encryptionKey(): Promise<Buffer>;
  release(): Promise<void>;
}

/**
 * Opens `directory` (made with mode 0700 when missing) for this process alone.
 * Throws an error that names the directory when another process has it open.
 */
export async function openDataDirectory(
  directory: string,
  onLost: (error: Error) => void,
): Promise<DataDirectory> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const release = await lockfile
    .lock(directory, {
      lockfilePath: path.join(directory, "lock"),
      stale: STALE_AFTER_MS,
      update: REFRESH_EVERY_MS,
      retries: WAIT,
      onCompromised: onLost,
    })
    .catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ELOCKED") {
        throw new Error(
          `The data directory ${directory} is in use by another Edgeplane process. Stop it, or set DATA_DIR to another directory.`,
        );
      }
      throw error;
    });
  return {
    databasePath: path.join(directory, "database"),
    encryptionKey: () => readOrCreateKey(path.join(directory, "encryption.key")),
    release,
  };
}

async function readOrCreateKey(file: string): Promise<Buffer> {
  const created = randomBytes(32);
  try {
    await writeFile(file, `${created.toString("base64")}\n`, { mode: 0o600, flag: "wx" });
    return created;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const key = Buffer.from(await readFile(file, "utf8"), "base64");
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes in base64.`);
  return key;
}
