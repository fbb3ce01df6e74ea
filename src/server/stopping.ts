import type { Logger } from "pino";
import type { Config } from "../config.js";

const SHUTDOWN_LIMIT_MS = 15_000;

/** How long a process serves on that was told to stop. */
export function drainMsOf({ DRAIN_SECONDS }: Config): number {
  return DRAIN_SECONDS * 1000;
}

/** Ends the process with 1 when a shutdown that begins now takes longer than it may. `giveUp` is called before. */
export function limitShutdown(drainMs: number, log: Logger, giveUp: () => void = () => {}): void {
  const end = () => {
    log.error("the end takes too long, and is not waited for");
    log.flush();
    giveUp();
    process.exit(1);
  };
  setTimeout(end, drainMs + SHUTDOWN_LIMIT_MS).unref();
}

/** Calls `stop` at the first SIGTERM, and at the first SIGINT. The second of a kind ends the process. */
export function onTermination(stop: () => void): void {
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/** A function that calls `action` the first time alone. */
export function once(action: () => Promise<void>): () => void {
  let isCalled = false;
  return () => {
    if (isCalled) return;
    isCalled = true;
    void action();
  };
}
