import { setTimeout as sleep } from "node:timers/promises";

/** The result of `work`. Throws when the database does not give it in time; the work goes on then. */
export async function within<Result>(ms: number, work: PromiseLike<Result>): Promise<Result> {
  const limit = new AbortController();
  const over = sleep(ms, undefined, { signal: limit.signal }).then((): never => {
    throw new Error("The database does not answer in time.");
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    over.catch(() => {});
    limit.abort();
  }
}
