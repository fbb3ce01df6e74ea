import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.js";

const BUFFER_BYTES = 4 * 1024;
const FLUSH_MS = 500;

/** The log of a server, on its standard output. */
export function createServerLog({ LOG_LEVEL: level }: Pick<Config, "LOG_LEVEL">): Logger {
  // Lines are written together: one by one they would cost more than most requests.
  const output = pino.destination({ sync: false, minLength: BUFFER_BYTES });
  const log = pino({ level }, output);
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
  return pino({ level: "warn" }, words);
}

function wordsOf(line: string): string {
  const { msg, err }: { msg?: string; err?: { message?: string } } = JSON.parse(line);
  return [msg, err?.message].filter((part) => part !== undefined).join(": ");
}
