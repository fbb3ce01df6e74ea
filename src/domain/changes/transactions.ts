import type { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { DomainError } from "../core/errors.js";
import { type ResourceKind, withSameIds } from "../core/ids.js";
import { forgetMissing, noKeys, requireKeys, type SlowKeys, withKeys } from "../core/slow-keys.js";
import type { SigningPair, SigningPairs } from "../modules/signing-pairs.js";
import type { AuthorityKey } from "../ssh/authorities.js";
import { diskFull } from "../storage/errors.js";
import { interruptible } from "../storage/interruption.js";
import { retried } from "../storage/retries.js";
import type { Resource } from "../storage/rows.js";
import { type ChangeSet, emptyChangeSet, record, writeChanges, writeWithChanges } from "./log.js";

/** The context of a function that runs inside a transaction. */
export interface Transaction extends Context {
  /** The changes of the transaction up to now. */
  readonly changeSet: ChangeSet;
  /** What it may store of signing pairs: see `signingPairFor`. Null in a dry run, which stores none. */
  readonly signingPairs: SigningPairs | null;
  /** The keys of new SSH certificate authorities, by their ids. Null in a dry run, which makes its own. */
  readonly authorityKeys: SlowKeys<AuthorityKey> | null;
  /** The transaction will be rolled back, so nothing signed or secret may leave it. */
  readonly isDryRun: boolean;
}

/** A context whose caller is told what each transaction changed, once it is committed. */
export interface Observed extends Context {
  readonly observe: (changeSet: ChangeSet) => void;
}

function isObserved(context: Context): context is Observed {
  return "observe" in context;
}

/** Whether `context` belongs to a transaction. */
export function isTransaction(context: Context): context is Transaction {
  return "changeSet" in context;
}

/** Throws FORBIDDEN unless the caller may change things, and UNAVAILABLE while the disk is full. */
export function requireWrite({ actor, isDiskFull }: Context): void {
  if (actor.scope !== "write") throw new DomainError("FORBIDDEN", "This API key is read-only.");
  if (isDiskFull()) throw diskFull();
}

/**
 * Runs `change` in one transaction: it is committed as a whole or rolled back, and its changes are in the change log.
 * Every change of the domain goes through here or through `insertAlone`, so no service can forget that a key must be
 * allowed to write. Throws FORBIDDEN for a read-only key. Inside another transaction it joins that one.
 *
 * `change` does nothing outside of the database, since it may run several times: when PostgreSQL took it back for the
 * sake of another transaction (`retried`), and when it lacked what takes long to make (`withKeys`). The ids that
 * it makes are the same each time.
 */
export async function inTransaction<Result>(
  context: Context,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  requireWrite(context);
  if (isTransaction(context)) return change(context);
  const { signal, changeSignal, meter } = context;
  const withIds = withSameIds();
  const signingPairs = noKeys<SigningPair>();
  const authorityKeys = noKeys<AuthorityKey>();
  const attempt = async () => {
    forgetMissing(signingPairs, authorityKeys);
    const changeSet = emptyChangeSet();
    const begun = { changeSet, signingPairs, authorityKeys, isDryRun: false };
    const result = await transact(context, begun, async (transaction) => {
      const result = await withIds(() => change(transaction));
      requireKeys(signingPairs, authorityKeys);
      await writeChanges(transaction);
      return result;
    });
    if (changeSet.entries.length > 0) changeSignal.announce();
    meter?.changed(changeSet.entries);
    if (isObserved(context)) context.observe(changeSet);
    return result;
  };
  return withKeys(signal, [signingPairs, authorityKeys], () => retried(signal, attempt));
}

/**
 * Stores `row`, which is new, by the statement `insert` alone: atomic by itself, together with its entry in the
 * change log, and one round trip to the database. Throws FORBIDDEN for a read-only key. It takes a transaction
 * all the same when the caller may stop waiting: a statement alone could not be taken back.
 */
export async function insertAlone(
  context: Context,
  kind: ResourceKind,
  row: Resource,
  insert: Prisma.Sql,
): Promise<void> {
  requireWrite(context);
  if (isTransaction(context)) {
    record(context.changeSet, kind, null, row);
    await context.db.$executeRaw`${insert}`;
    return;
  }
  if (context.signal) {
    return inTransaction(context, (transaction) => insertAlone(transaction, kind, row, insert));
  }
  const changeSet = emptyChangeSet();
  record(changeSet, kind, null, row);
  await retried(context.signal, () => writeWithChanges(context, insert, changeSet));
  context.changeSignal.announce();
  context.meter?.changed(changeSet.entries);
  if (isObserved(context)) context.observe(changeSet);
}

/**
 * Runs `change` as a dry run: with all of its checks, then a rollback. Nothing is stored or logged. Returns the result
 * of `change`, or throws its error.
 */
export async function inDryRun<Result>(
  context: Context,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  requireWrite(context);
  if (isTransaction(context)) throw new Error("A transaction cannot take back a part.");
  const attempt = async () => {
    const begun = {
      changeSet: emptyChangeSet(),
      signingPairs: null,
      authorityKeys: null,
      isDryRun: true,
    };
    const results: Result[] = [];
    try {
      await transact(context, begun, async (transaction) => {
        results.push(await change(transaction));
        throw TAKEN_BACK;
      });
    } catch (error) {
      if (error !== TAKEN_BACK) throw error;
    }
    return results;
  };
  const [result] = await retried(context.signal, attempt);
  return result as Result;
}

const TAKEN_BACK = new Error("The change was a dry run.");

/** Runs `change` in a transaction of its own. */
function transact<Result>(
  context: Context,
  begun: Omit<Transaction, keyof Context>,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const { db } = context;
  if (!("$transaction" in db)) throw new Error("A transaction cannot begin inside of another.");
  return db.$transaction((db) => interruptible({ ...context, ...begun, db }, change));
}
