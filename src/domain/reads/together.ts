import DataLoader from "dataloader";

/** The maximum number of running statements of one kind. Further keys wait and are looked up together. */
const MOST_UNDER_WAY = 2;
/** How long it waits at most: a statement that does not end holds up no others. */
const LONGEST_WAIT_MS = 250;

/** Keys that one statement looks up, as parameters: always as many, so that PostgreSQL keeps its plan. */
export const SLOTS: readonly number[] = Array.from({ length: 8 }, (_, slot) => slot);

/** The key in a slot. A statement looks up one that is given twice only once. */
export function inSlot<Key>(keys: readonly Key[], slot: number): Key | undefined {
  return keys[slot] ?? keys.at(-1);
}

/**
 * Returns a function that looks up one key, together with all others that arrive while the maximum number of look-ups
 * is running, or in the same turn of the event loop: under load several requests become one statement, of `most` keys.
 * Nothing is kept, and what was committed before the call is seen.
 */
export function together<Key, Found>(
  lookUp: (keys: readonly Key[]) => Promise<Found[]>,
  most: number,
): (key: Key) => Promise<Found> {
  let underWay = 0;
  const waiting = new Set<() => void>();
  const begin = (dispatch: () => void) => {
    if (underWay < MOST_UNDER_WAY) return dispatch();
    const go = () => {
      clearTimeout(limit);
      waiting.delete(go);
      dispatch();
    };
    const limit = setTimeout(go, LONGEST_WAIT_MS);
    waiting.add(go);
  };
  const loader = new DataLoader<Key, Found>(
    async (keys) => {
      underWay += 1;
      try {
        return await lookUp(keys);
      } finally {
        underWay -= 1;
        const [next] = waiting;
        next?.();
      }
    },
    {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn: (dispatch) => setImmediate(begin, dispatch),
    },
  );
  return (key) => loader.load(key);
}
