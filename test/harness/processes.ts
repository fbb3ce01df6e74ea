import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const EDGEPLANE = fileURLToPath(new URL("../../dist/edgeplane.js", import.meta.url));

/** A server as a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
}

/**
 * Runs the built server with this environment and nothing of our own but PATH, without limits of rates; `through` a
 * command that executes it. With `given`, another command of the package.
 */
export function runServer(
  env: Record<string, string>,
  through: readonly string[] = [],
  given: readonly string[] = [],
): ServerProcess {
  const { PATH = "" } = process.env;
  const [command = "", ...args] = [...through, process.execPath, EDGEPLANE, ...given];
  const child = spawn(command, args, {
    env: { PATH, PORT: "0", LOG_LEVEL: "warn", RATE_LIMIT_REQUESTS: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return { child, exited, output: () => output };
}

/** The URL at which the server listens, once it does. Throws what it printed when it ends before. */
export async function urlOf({ child, output }: ServerProcess): Promise<string> {
  for (;;) {
    const url = /listens on (http:\S+)/.exec(output())?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new Error(output());
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const COMMAND_LIMIT_MS = 120_000;

/** What a command printed, and the code it ended with. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built package to its end, with this environment and nothing of our own but PATH. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ended> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [EDGEPLANE, ...args], {
    env: { PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: COMMAND_LIMIT_MS,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, stdout, stderr };
}
