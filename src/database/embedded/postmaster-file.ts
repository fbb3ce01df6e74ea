import { execFile } from "node:child_process";
import { readFile, readlink, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** The time that each way of stopping may take for a server that was left behind. */
const STOP_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 50;

/**
 * Ends the PostgreSQL that a killed process left running on `database`. Returns whether there was one, or whether one
 * ended without a clean stop; it then recovers at its next start. The caller has exclusive access to the directory.
 */
export async function stopLeftBehind(database: string): Promise<"none" | "running" | "crashed"> {
  const file = path.join(database, "postmaster.pid");
  const pid = await pidIn(file);
  if (pid === null) return "none";
  if (!isRunning(pid)) return "crashed";
  if (!(await isPostmaster(pid, database))) {
    // The number belongs to another process by now, which PostgreSQL would take for its own.
    await rm(file, { force: true });
    return "crashed";
  }
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (await ends(pid, signal)) return "running";
  }
  throw new Error(
    `The database server with process id ${pid}, which runs on ${database}, cannot be stopped.`,
  );
}

async function pidIn(file: string): Promise<number | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Whether the process is a server that works in `database`, or was started on it where the system does not tell. */
async function isPostmaster(pid: number, database: string): Promise<boolean> {
  const command = await commandOf(pid);
  if (!command.includes("postgres")) return false;
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return workingFolder === database || command.includes(` -D ${database} `);
}

async function commandOf(pid: number): Promise<string> {
  try {
    if (process.platform === "linux") {
      return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
    }
    return (await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)])).stdout;
  } catch {
    return "";
  }
}

async function ends(pid: number, signal: NodeJS.Signals): Promise<boolean> {
  if (isRunning(pid)) process.kill(pid, signal);
  for (let waited = 0; waited < STOP_LIMIT_MS; waited += LOOK_EVERY_MS) {
    // One that has ended and that nobody asks for its end has no command any more.
    if (!isRunning(pid) || (await commandOf(pid)) === "") return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}
