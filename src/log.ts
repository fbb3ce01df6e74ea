import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import type { Config } from "./config.js";

const BUFFER_BYTES = 4 * 1024;
/** Linux writes as much into a pipe in one piece, so that lines of several processes do not get mixed up. */
const ATOMIC_BYTES = 4 * 1024;
const FLUSH_MS = 500;

/** What every log has in common. */
export const LOG_OPTIONS = { serializers: { err: errorOf } } satisfies LoggerOptions;

/**
 * The log of a server, on its standard output. Each line of a worker has its number; `worker` is null in a process that
 * is none.
 */
export function createServerLog(
  { LOG_LEVEL: level }: Pick<Config, "LOG_LEVEL">,
  worker: number | null,
): Logger {
  // Lines are written together: one by one they would cost more than most requests.
  const size =
    worker === null
      ? { minLength: BUFFER_BYTES }
      : { minLength: ATOMIC_BYTES / 2, maxWrite: ATOMIC_BYTES };
  const output = pino.destination({ sync: false, ...size });
  const options = { ...LOG_OPTIONS, level };
  const log = worker === null ? pino(options, output) : pino(options, output).child({ worker });
  setInterval(() => log.flush(), FLUSH_MS).unref();
  return log;
}

/** The log of a command, whose result has the standard output: warnings and what is worse, as words on `stderr`. */
export function createCommandLog(stderr: NodeJS.WritableStream = process.stderr): Logger {
  const words: DestinationStream = {
    write: (line) => {
      stderr.write(`${wordsOf(line)}\n`);
    },
  };
  return pino({ ...LOG_OPTIONS, level: "warn" }, words);
}

/** An error without the other members that libraries give theirs: connections with their settings, rows, values. */
function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { type, message, stack, code };
}

function wordsOf(line: string): string {
  const { msg, err }: { msg?: string; err?: { message?: string } } = JSON.parse(line);
  return [msg, err?.message].filter((part) => part !== undefined).join(": ");
}
