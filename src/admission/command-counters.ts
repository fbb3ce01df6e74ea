import { RateLimiterCluster, RateLimiterClusterMaster } from "rate-limiter-flexible";
import { type Consume, STORE_LIMIT_MS } from "./insured.js";

/** Counts for all workers of a command, in its primary. To be called there before there are workers. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}

/** Counters in the memory of the primary. */
export interface CommandCounters {
  readonly consume: Consume;
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
    timeoutMs: STORE_LIMIT_MS,
  });
  return {
    async consume(name, requests) {
      if (!process.connected) throw new Error("The primary has gone.");
      return primary.consume(name, requests);
    },
    forget(name) {
      if (process.connected) primary.delete(name).catch(() => {});
    },
  };
}
