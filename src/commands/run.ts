import { Option } from "commander";
import type { z } from "zod";
import { type Config, readConfig } from "../config.js";
import { issuesOf } from "../domain/core/fields.js";

/** The exit code of wrong arguments. */
export const USAGE_ERROR = 2;

export const JSON_OPTION = new Option("--json", "print JSON");

export interface JsonOption {
  readonly json?: boolean | undefined;
}

/**
 * An action of a command: runs `work` with the configuration and the options. What it throws is said on the standard
 * error, and the process ends with 1.
 */
export function run<Args extends unknown[]>(
  work: (config: Config, ...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return saying((...args) => work(readConfig(process.env), ...args));
}

/** The same, without the configuration. */
export function saying<Args extends unknown[]>(
  work: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args);
    } catch (error) {
      process.exitCode = 1;
      if (!isClosedPipe(error)) console.error(error instanceof Error ? error.message : error);
    }
  };
}

/** Whoever read the standard output has enough. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** Options or arguments that keep to `rule`. Throws with all of their problems. */
export function checked<Rule extends z.ZodType>(rule: Rule, given: unknown): z.output<Rule> {
  const { success, data, error } = rule.safeParse(given);
  if (success) return data;
  const problems = issuesOf(error.issues).map(
    ({ path, message }) => `--${path.join(".")} ${message}`,
  );
  throw new Error(problems.join("\n"));
}

/** Prints `result` as JSON, or in the words that `lines` has for it. */
export function print<Result>(
  { json = false }: JsonOption,
  result: Result,
  lines: (result: Result) => readonly string[],
): void {
  if (json) console.log(JSON.stringify(result));
  else for (const line of lines(result)) console.log(line);
}

/** Aborted by Ctrl-C and SIGTERM, so that a command can tidy up; the second one ends it at once. */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => interrupted.abort(new Error(`Interrupted by ${signal}.`)));
  }
  return interrupted.signal;
}
