import { readFile } from "node:fs/promises";
import type { Config } from "../config.js";

/** The text of the manifest of persisted operations; null without one. Throws with the variable when it cannot be read. */
export async function readPersistedOperations({
  PERSISTED_OPERATIONS: file,
}: Pick<Config, "PERSISTED_OPERATIONS">): Promise<string | null> {
  if (file === undefined) return null;
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`PERSISTED_OPERATIONS cannot be read: ${reason}`, { cause: error });
  }
}
