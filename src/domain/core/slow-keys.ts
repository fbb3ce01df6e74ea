// Making a key takes a tenth of a second and more, of 4096 bits seconds, and a transaction would hold its locks and its
// connection meanwhile. Only the transaction finds out which keys it needs, though: so it does without them, is taken
// back, and runs again once they are made.

/** The keys that one transaction has, by names, and how to make those that it lacks. */
export interface SlowKeys<Key = unknown> {
  readonly made: Map<string, Key>;
  readonly missing: Map<string, () => Promise<Key>>;
}

export function noKeys<Key>(): SlowKeys<Key> {
  return { made: new Map(), missing: new Map() };
}

/**
 * The key of that name. Null, and the transaction runs again with it, when it is not made yet; so the name must be the
 * same then.
 */
export function keyFor<Key>(
  keys: SlowKeys<Key>,
  name: string,
  make: () => Promise<Key>,
): Key | null {
  const key = keys.made.get(name);
  if (key === undefined) keys.missing.set(name, make);
  return key ?? null;
}

const takenBack = new Error("The transaction lacks keys.");

/** Whether `error` ended a transaction that is to run again with the keys that it lacked. */
export function isLackOfKeys(error: unknown): boolean {
  return error === takenBack;
}

/** The same where the attempt cannot go on without it: ends it. */
export function keyOrEnd<Key>(keys: SlowKeys<Key>, name: string, make: () => Promise<Key>): Key {
  const key = keyFor(keys, name, make);
  if (key === null) throw takenBack;
  return key;
}

/** To be called at the beginning of an attempt. */
export function forgetMissing(...all: readonly SlowKeys[]): void {
  for (const { missing } of all) missing.clear();
}

/** To be called at the end of an attempt: ends it when keys were missing. */
export function requireKeys(...all: readonly SlowKeys[]): void {
  if (all.some(({ missing }) => missing.size > 0)) throw takenBack;
}

/** Runs `attempt`, again and again with the keys in `all` that it lacked, until it has all. */
export async function withKeys<Result>(
  signal: AbortSignal | undefined,
  all: readonly SlowKeys[],
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let runs = 0; runs < MOST_RUNS; runs++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLackOfKeys(error)) throw error;
    }
    for (const keys of all) await makeMissing(keys, signal);
  }
  throw new Error("Each run of the transaction lacks other keys.");
}

/** The second run has all keys, unless others have changed meanwhile what it reads. */
const MOST_RUNS = 10;

/** Keys that are made at a time. Each takes one of libuv's four threads: the others are for files and host names. */
const AT_A_TIME = 2;

/** Several requests take turns key by key. Throws when `signal` is aborted, with at most the keys under way to follow. */
async function makeMissing(
  { made, missing }: SlowKeys,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = [...missing];
  missing.clear();
  const makeNext = async () => {
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      const [name, make] = next;
      const key = await inTurn(() => {
        signal?.throwIfAborted();
        return make();
      });
      made.set(name, key);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, makeNext));
}

let free = AT_A_TIME;
const waiting: (() => void)[] = [];

async function inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await action();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}
