import { RateLimiterCluster, RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { Store } from "./insured.js";

/** More than a primary takes that is busy; each request waits for one that hangs. */
const LIMIT_MS = 500;

/** Counts for all workers of a command, in its primary. To be called there before there are workers. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}

/** Counters in the memory of the primary. */
export interface CommandCounters extends Store {
  forget(name: string): void;
}

/** In a worker: counters of windows of `seconds` for `most` requests, which all workers share that use the `prefix`. */
export function commandCounters(
  { requests: most, seconds }: { readonly requests: number; readonly seconds: number },
  prefix: string,
): CommandCounters {
  const primary = new RateLimiterCluster({
    points: most,
    duration: seconds,
    keyPrefix: prefix,
    timeoutMs: LIMIT_MS,
  });
  return {
    limitMs: LIMIT_MS,
    async consume(name, requests) {
      if (!process.connected) throw new Error("The primary has gone.");
      return primary.consume(name, requests);
    },
    forget(name) {
      if (process.connected) primary.delete(name).catch(() => {});
    },
  };
}
