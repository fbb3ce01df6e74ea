import { LRUCache } from "lru-cache";
import type { RateLimiterAbstract } from "rate-limiter-flexible";
import type { Services } from "../domain/core/context.js";
import type { Counters, Limit, Sender } from "./counters.js";
import { countInDatabase } from "./database-counters.js";
import { insured, type Store } from "./insured.js";
import { boundedLimiter, memoryLimiter, orRefusal } from "./memory-counters.js";

export interface RateLimitSettings extends Limit {
  /** Who counts: each command by itself, or all processes on one database together. */
  readonly store: "memory" | "database";
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

export interface RateLimiters {
  readonly keys: RateLimiter;
  readonly networks: RateLimiter;
}

/** Names of which a process knows that their windows are full. */
const MOST_FULL = 10_000;
/** As long as requests wait for a connection to the database. */
const DATABASE_LIMIT_MS = 2_000;
/** More than a primary takes that is busy; each request waits for one that hangs. */
const PRIMARY_LIMIT_MS = 500;

/**
 * The limiters of a process. Keys are counted in the store of the settings, networks in memory: that of the process, or of
 * the primary whose counters these are. When that does not count, the process counts by itself; `onStoreError` gets the
 * reason, once until it counts again.
 */
export function createRateLimiters(
  settings: RateLimitSettings,
  services: Pick<Services, "executeAlone">,
  primary: Counters | null,
  onStoreError: (error: unknown) => void,
): RateLimiters {
  const limiter = (store: Store | null, memory: RateLimiterAbstract) =>
    limiterOf(
      settings.requests,
      store ? insured(store, settings.requests, memory, onStoreError) : memory,
    );
  const inPrimary = (sender: Sender): Store | null =>
    primary && { count: primary[sender], limitMs: PRIMARY_LIMIT_MS };
  const inDatabase = (): Store => ({
    count: countInDatabase(services, settings.seconds),
    limitMs: DATABASE_LIMIT_MS,
  });
  const keys = settings.store === "database" ? inDatabase() : inPrimary("keys");
  return {
    keys: limiter(keys, memoryLimiter(settings)),
    networks: limiter(inPrimary("networks"), boundedLimiter(settings)),
  };
}

/** A limiter of windows for `most` requests. */
export function limiterOf(most: number, limiter: RateLimiterAbstract): RateLimiter {
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
