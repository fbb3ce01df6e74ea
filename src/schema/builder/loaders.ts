import DataLoader from "dataloader";

/** The batches of one request: for each function that reads many, a loader per variant of its other arguments. */
export type Loaders = Map<unknown, Map<string, unknown>>;

/** A request that loads. */
interface Loading {
  readonly loaders: Loaders;
  readonly signal?: AbortSignal;
}

/** Reads the value of one key, together with all others that this request asks the same `source` and `variant` for. */
export function loadFrom<Value>(
  { loaders, signal }: Loading,
  source: unknown,
  variant: string,
  readMap: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  key: string,
): Promise<Value | null> {
  signal?.throwIfAborted();
  const variants = loaders.get(source) ?? new Map<string, unknown>();
  loaders.set(source, variants);
  const loader =
    variants.get(variant) ??
    new DataLoader<string, Value | null>(async (keys) => {
      const values = await readMap(keys);
      return keys.map((wanted) => values.get(wanted) ?? null);
    });
  variants.set(variant, loader);
  // A source and a variant always go with the same type of value.
  return (loader as DataLoader<string, Value | null>).load(key);
}
