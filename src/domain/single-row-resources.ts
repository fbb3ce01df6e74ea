import { deleted, updated } from "./changes/log.js";
import { inTransaction, type Transaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import type { ResourceKind } from "./core/ids.js";
import { getOne } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { lockRow } from "./storage/locks.js";
import { changedMembers, touched } from "./storage/rows.js";

// Changes and deletes of a resource that is stored in one row.

/** Stores the members of a resource that change. */
type Write<Wanted> = (
  transaction: Transaction,
  changed: Partial<Wanted> & ReturnType<typeof touched>,
) => PromiseLike<unknown>;

/**
 * Changes the members of a resource that are given in `wanted` and differ from their current value; `write` stores
 * them. Throws NOT_FOUND.
 */
export function changeResource<
  Kind extends ResourceKind,
  Wanted extends Partial<Resources[NoInfer<Kind>]>,
>(
  context: Context,
  kind: Kind,
  id: string,
  wanted: { [Key in keyof Wanted]: Wanted[Key] | undefined },
  write: Write<Wanted>,
): Promise<Resources[Kind]> {
  return changeResourceBy<Kind, Wanted>(context, kind, id, () => wanted, write);
}

/** The same where what is wanted depends on what the resource is. */
export function changeResourceBy<
  Kind extends ResourceKind,
  Wanted extends Partial<Resources[NoInfer<Kind>]>,
>(
  context: Context,
  kind: Kind,
  id: string,
  wantedOf: (current: Resources[Kind]) => { [Key in keyof Wanted]: Wanted[Key] | undefined },
  write: Write<Wanted>,
): Promise<Resources[Kind]> {
  return inTransaction(context, async (context) => {
    await lockRow(context, kind, id);
    const current = await getOne(context, kind, id);
    const changed = changedMembers(current, wantedOf(current));
    if (!changed) return current;
    const data = { ...changed, ...touched(current) };
    await write(context, data);
    return updated(context, kind, current, { ...current, ...data });
  });
}

/** Deletes a resource. `remove` deletes its row, or throws when the resource must stay. Throws NOT_FOUND. */
export function deleteResource(
  context: Context,
  kind: ResourceKind,
  id: string,
  remove: (transaction: Transaction) => PromiseLike<unknown>,
): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, kind, id);
    const current = await getOne(context, kind, id);
    await remove(context);
    deleted(context, kind, current);
  });
}
