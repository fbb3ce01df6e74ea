import type { Logger } from "pino";
import { keepPrograms } from "../database/index.js";

/**
 * Keeps the programs that the embedded database in `directory` needs beside it, in the background. A failure is a warning in
 * the log.
 */
export function startKeeping(directory: string, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keeping = keepPrograms(directory, signal).catch((error: unknown) => {
    if (signal.aborted) return;
    log.warn(
      { err: error },
      "the programs of the database could not be kept in DATA_DIR, as a later version with another PostgreSQL needs them; the next start tries again",
    );
  });
  return {
    async stop() {
      stopping.abort();
      await keeping;
    },
  };
}
