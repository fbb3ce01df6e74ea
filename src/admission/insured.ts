import {
  type RateLimiterAbstract,
  RateLimiterCompatibleAbstract,
  RateLimiterRes,
  RLWrapperTimeouts,
} from "rate-limiter-flexible";

/** Counts requests of a name, as the library does: resolves when they fit in, and else rejects, both with a result. */
export type Consume = (name: string, requests: number) => Promise<RateLimiterRes>;

/** Who counts for several processes. */
export interface Store {
  readonly consume: Consume;
  /** Milliseconds: who does not answer for so long does not count. */
  readonly limitMs: number;
}

/**
 * A limiter that counts in the store, and in `memory` while that fails or does not answer in time. `onError` gets the
 * reason, once until it counts again.
 */
export function insured(
  { consume, limitMs }: Store,
  memory: RateLimiterAbstract,
  onError: (error: unknown) => void,
): RateLimiterAbstract {
  let isFailing = false;
  const heard: Consume = async (name, requests) => {
    try {
      const result = await consume(name, requests);
      isFailing = false;
      return result;
    } catch (error) {
      if (error instanceof RateLimiterRes) {
        isFailing = false;
      } else {
        if (!isFailing) onError(error);
        isFailing = true;
      }
      throw error;
    }
  };
  return new RLWrapperTimeouts({
    limiter: new Counters(heard),
    timeoutMs: limitMs,
    insuranceLimiter: memory,
  });
}

/** The form in which the library takes a limiter of others. */
class Counters extends RateLimiterCompatibleAbstract {
  readonly #consume: Consume;

  constructor(consume: Consume) {
    super();
    this.#consume = consume;
  }

  override consume(name: string | number, requests = 1): Promise<RateLimiterRes> {
    return this.#consume(String(name), requests);
  }
}
