import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Asked, Count, Counted, Counters, Limit } from "./counters.js";

/** Networks whose requests are counted. */
const MOST_NETWORKS = 10_000;

/** A limiter of the library, for names of which there is a bounded number. */
export function memoryLimiter({ requests, seconds }: Limit): RateLimiterMemory {
  return new RateLimiterMemory({ points: requests, duration: seconds, keyPrefix: "" });
}

/** The same for any names: it forgets those that came longest ago when there are more than `most`. */
export function boundedLimiter(
  { requests, seconds }: Limit,
  most = MOST_NETWORKS,
): RateLimiterMemory {
  return new BoundedLimiter({ points: requests, duration: seconds, keyPrefix: "" }, most);
}

class BoundedLimiter extends RateLimiterMemory {
  readonly #names: LRUCache<string, true>;

  constructor(options: ConstructorParameters<typeof RateLimiterMemory>[0], max: number) {
    super(options);
    this.#names = new LRUCache({ max, dispose: (_, name) => void this.delete(name) });
  }

  override consume(name: string | number, requests?: number): Promise<RateLimiterRes> {
    this.#names.set(String(name), true);
    return super.consume(name, requests);
  }
}

/** The counters of a primary, for all of its workers. */
export function memoryCounters(limit: Limit): Counters {
  return { keys: countIn(memoryLimiter(limit)), networks: countIn(boundedLimiter(limit)) };
}

function countIn(limiter: RateLimiterMemory): Count {
  const count = async ({ name, requests }: Asked): Promise<Counted> => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(name, requests).catch(orRefusal);
    return { requests: consumedPoints, endsIn: msBeforeNext };
  };
  return (asked) => Promise.all(asked.map(count));
}

/** The library rejects with a result when a window is full. */
export function orRefusal(reason: unknown): RateLimiterRes {
  if (reason instanceof RateLimiterRes) return reason;
  throw reason;
}
