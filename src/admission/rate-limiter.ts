import { LRUCache } from "lru-cache";
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Services } from "../domain/core/context.js";
import { commandCounters } from "./command-counters.js";
import { insured } from "./insured.js";
import { sharedCounters } from "./shared-counters.js";

export interface RateLimitSettings {
  /** Requests that may come in a window; at least 1. */
  readonly requests: number;
  /** The length of a window, which begins with its first request; at least 1. */
  readonly seconds: number;
  /** Who counts: each command by itself, or all processes on one database together. */
  readonly store: "memory" | "database";
  /** Whether this process is one of several workers, whose primary counts for all of them. Default false. */
  readonly inWorkers?: boolean;
}

/** How far a window is used up. */
export interface Usage {
  /** The request does not fit in any more. */
  readonly isOver: boolean;
  /** Requests that still fit in. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly endsIn: number;
}

export interface RateLimiter {
  /** Counts requests of `name`, which pass together or not at all. */
  count(name: string, requests: number): Promise<Usage>;
  /** The usage of a name whose window is full, of which nobody has to be asked any more; null of any other. */
  full(name: string): Usage | null;
}

/** Names of which a process knows that their windows are full. */
const MOST_FULL = 10_000;

/**
 * A limiter for names of which there is a bounded number, in the store of the settings. When that does not count, the
 * process counts by itself; `onStoreError` gets the reason, once until it counts again.
 */
export function createRateLimiter(
  settings: RateLimitSettings,
  services: Pick<Services, "executeAlone">,
  onStoreError: (error: unknown) => void,
): RateLimiter {
  const memory = new RateLimiterMemory(optionsOf(settings));
  const store =
    settings.store === "database"
      ? sharedCounters(settings, services)
      : settings.inWorkers
        ? commandCounters(settings, "keys")
        : null;
  return limiterOf(settings, store ? insured(store, memory, onStoreError) : memory);
}

/**
 * A limiter in memory for any names: it forgets those that came longest ago when there are more than `most`. That of a
 * worker is insured in the same way.
 */
export function createBoundedLimiter(
  settings: RateLimitSettings,
  most: number,
  onStoreError: (error: unknown) => void,
): RateLimiter {
  const memory = new RateLimiterMemory(optionsOf(settings));
  const counters = settings.inWorkers ? commandCounters(settings, "networks") : null;
  const names = new LRUCache<string, true>({
    max: most,
    dispose(_, name) {
      memory.delete(name);
      counters?.forget(name);
    },
  });
  const limiter = limiterOf(settings, counters ? insured(counters, memory, onStoreError) : memory);
  return {
    ...limiter,
    count(name, requests) {
      names.set(name, true);
      return limiter.count(name, requests);
    },
  };
}

function optionsOf({ requests, seconds }: RateLimitSettings) {
  return { points: requests, duration: seconds, keyPrefix: "" };
}

function limiterOf(
  { requests: most }: RateLimitSettings,
  limiter: RateLimiterAbstract,
): RateLimiter {
  /** When their windows end. */
  const fullUntil = new LRUCache<string, number>({ max: MOST_FULL });
  const full = (name: string): Usage | null => {
    const endsIn = (fullUntil.get(name) ?? 0) - Date.now();
    return endsIn > 0 ? { isOver: true, remaining: 0, endsIn } : null;
  };
  return {
    full,
    async count(name, requests) {
      const known = full(name);
      if (known) return known;
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter
        .consume(name, requests)
        .catch(orRefusal);
      if (remainingPoints === 0) fullUntil.set(name, Date.now() + msBeforeNext);
      return {
        isOver: consumedPoints > most,
        remaining: remainingPoints,
        endsIn: msBeforeNext,
      };
    },
  };
}

/** The library rejects with a result when a window is full. */
function orRefusal(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}
