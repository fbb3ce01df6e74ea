import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** The maximum length of a socket path on every system, including the final zero byte. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * A private, empty folder for what lives as long as the engine that runs on `dataDirectory`: its socket. It has the
 * same path each time, so the next start clears what a killed process left in it.
 */
export async function makeRuntimeFolder(dataDirectory: string): Promise<string> {
  const folder = runtimeFolderOf(dataDirectory);
  await rm(folder, { recursive: true, force: true });
  // Fails where another user has put one in its place.
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** It lies in the directory, or among temporary files where its path would be too long for a socket. */
export function runtimeFolderOf(dataDirectory: string): string {
  const inside = path.join(dataDirectory, "run");
  const isShort =
    Buffer.byteLength(path.join(inside, ".s.PGSQL.5432.lock")) < MAX_SOCKET_PATH_BYTES;
  return isShort ? inside : path.join(tmpdir(), `edgeplane-${shortHash(dataDirectory)}`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
