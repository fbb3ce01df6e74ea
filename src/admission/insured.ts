import {
  type RateLimiterAbstract,
  RateLimiterCompatibleAbstract,
  RateLimiterRes,
  RLWrapperTimeouts,
} from "rate-limiter-flexible";
import { together } from "../domain/reads/together.js";
import { type Asked, type Count, type Counted, notCounted } from "./counters.js";

/** Requests that are counted together. */
const MOST_TOGETHER = 100;

/** Who counts for several processes. */
export interface Store {
  readonly count: Count;
  /** Milliseconds: who does not answer for so long does not count. */
  readonly limitMs: number;
}

/** Counts requests of a name, as the library does: resolves when they fit in, and else rejects, both with a result. */
type Consume = (name: string, requests: number) => Promise<RateLimiterRes>;

/**
 * A limiter of windows for `most` requests that counts in the store, and in `memory` while that fails or does not answer in
 * time. `onError` gets the reason, once until it counts again.
 */
export function insured(
  { count, limitMs }: Store,
  most: number,
  memory: RateLimiterAbstract,
  onError: (error: unknown) => void,
): RateLimiterAbstract {
  const countOne = together(inTurns(count), MOST_TOGETHER);
  let isFailing = false;
  const consume: Consume = async (name, requests) => {
    const counted = await countOne({ name, requests }).catch((error: unknown) => {
      if (!isFailing) onError(error);
      isFailing = true;
      throw error;
    });
    isFailing = false;
    const left = Math.max(most - counted.requests, 0);
    const result = new RateLimiterRes(left, counted.endsIn, counted.requests);
    return counted.requests > most ? Promise.reject(result) : result;
  };
  return new RLWrapperTimeouts({
    limiter: new Counters(consume),
    timeoutMs: limitMs,
    insuranceLimiter: memory,
  });
}

/**
 * Each gets the count at its own turn: what is counted together for a name is shared out in the order in which it came, so
 * that just as many pass as there is room for.
 */
function inTurns(count: Count): (asked: readonly Asked[]) => Promise<Counted[]> {
  return async (asked) => {
    const sums = new Map<string, number>();
    const turns = asked.map(({ name, requests }) => {
      const turn = (sums.get(name) ?? 0) + requests;
      sums.set(name, turn);
      return turn;
    });
    const counted = await count([...sums].map(([name, requests]) => ({ name, requests })));
    /** What was counted before these, and when the windows end. */
    const before = new Map(
      [...sums].map(([name, sum], index) => {
        const { requests, endsIn } = counted[index] ?? notCounted(name);
        return [name, { requests: requests - sum, endsIn }];
      }),
    );
    return asked.map(({ name }, index) => {
      const { requests, endsIn } = before.get(name) ?? notCounted(name);
      return { requests: requests + (turns[index] ?? 0), endsIn };
    });
  };
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
