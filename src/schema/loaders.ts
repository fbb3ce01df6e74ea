import DataLoader from "dataloader";
import type { Context } from "../domain/context.js";
import type { ResourceKind } from "../domain/ids.js";
import { findOne } from "../domain/rows.js";
import type { GraphqlContext } from "./builder.js";

/** Reads many resources by id; returns those that exist, in any order. */
export type ReadMany<Value> = (context: Context, ids: readonly string[]) => Promise<Value[]>;

/** The batches of one request: for each function that reads many, a loader per variant of its other arguments. */
export type Loaders = Map<unknown, Map<string, unknown>>;

/** Reads one resource, together with all others that this request asks `readMany` for. */
export function load<Value extends { id: string }>(
  context: GraphqlContext,
  readMany: ReadMany<Value>,
  id: string,
): Promise<Value | null> {
  const readMap = async (ids: readonly string[]) =>
    new Map((await readMany(context, ids)).map((value) => [value.id, value]));
  return loadFrom(context, readMany, "", readMap, id);
}

/** Reads one resource that a row refers to. Throws NOT_FOUND when it was deleted since the row was read. */
export async function loadExisting<Value extends { id: string }>(
  context: GraphqlContext,
  kind: ResourceKind,
  readMany: ReadMany<Value>,
  id: string,
): Promise<Value> {
  return findOne(kind, id, () => load(context, readMany, id));
}

/** Reads several resources, in the order of `ids`. One that was deleted meanwhile is left out. */
export async function loadAll<Value extends { id: string }>(
  context: GraphqlContext,
  readMany: ReadMany<Value>,
  ids: readonly string[],
): Promise<Value[]> {
  const values = await Promise.all(ids.map((id) => load(context, readMany, id)));
  return values.filter((value) => value !== null);
}

/** Reads the value of one key, together with all others that this request asks the same `source` and `variant` for. */
export function loadFrom<Value>(
  { loaders, signal }: GraphqlContext,
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
