import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "../core/errors.js";
import { isTransactionConflict } from "./errors.js";

const MOST_TRIES = 5;
/** Before the second try, and twice as long before each further one. */
const FIRST_WAIT_MS = 20;

/**
 * Runs `attempt`, a whole transaction that does nothing outside of the database, again while PostgreSQL takes it back
 * because of another one: a deadlock, or a serialization failure. Throws CONFLICT after five tries, and what
 * `signal` is aborted with.
 */
export async function retried<Result>(
  signal: AbortSignal | undefined,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransactionConflict(error)) throw error;
    }
    // Not as long as the other one waits, or both would meet again.
    const wait = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random());
    if (tries < MOST_TRIES) await sleep(wait);
    signal?.throwIfAborted();
  }
  throw new DomainError(
    "CONFLICT",
    `Other requests changed the same resources ${MOST_TRIES} times during this request. Nothing was changed. Try again.`,
  );
}
