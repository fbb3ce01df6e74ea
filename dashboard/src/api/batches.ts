/** What comes within this time is one batch. */
const BATCH_MS = 200;
/** Where something comes all the time, there is a batch so often. */
const PAUSE_MS = 1000;

interface Batches<Item> {
  add(item: Item): void;
  /** What was not given out yet never is. */
  stop(): void;
}

/** Gives out what is added in batches, in order: soon when little comes, and once a second when much comes. */
export function batchesOf<Item>(onBatch: (items: readonly Item[]) => void): Batches<Item> {
  let items: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    const batch = items;
    items = [];
    timer = batch.length === 0 ? undefined : setTimeout(flush, PAUSE_MS);
    if (batch.length > 0) onBatch(batch);
  };
  return {
    add(item) {
      items.push(item);
      timer ??= setTimeout(flush, BATCH_MS);
    },
    stop() {
      clearTimeout(timer);
      items = [];
    },
  };
}
