import type { ChangeSignal, Database, Prisma, TransactionClient } from "../../database/index.js";
import {
  type ChangeSet,
  emptyChangeSet,
  record,
  writeChanges,
  writeWithChanges,
} from "../changes/log.js";
import {
  requireSigningPairs,
  type SigningPairs,
  withSigningPairs,
} from "../modules/signing-pairs.js";
import { diskFull } from "../storage/errors.js";
import { interruptible } from "../storage/interruption.js";
import { retried } from "../storage/retries.js";
import type { Row } from "../storage/rows.js";
import { DomainError } from "./errors.js";
import type { ResourceKind } from "./ids.js";
import type { Keyring } from "./keyring.js";
import type { ReadBudget } from "./read-budget.js";

/** Who is asking. `keyId` is null for the bootstrap key of the environment. */
export interface Actor {
  readonly keyId: string | null;
  readonly scope: "read" | "write";
}

interface Settings {
  /** The domain below which reserved addresses and SAML service URLs lie. */
  readonly baseDomain: string;
  /** The longest validity that an SSH certificate may have, in seconds. */
  readonly maxCertificateLifetime: number;
  /** Routes that an HTTPS edge may get; one that has more keeps them. */
  readonly maxRoutesPerEdge: number;
}

/** What one process has for all requests. */
export interface Services {
  readonly db: Database | TransactionClient;
  /** Sends a statement that only reads, outside of any transaction; returns the texts of its one column. */
  readTexts(text: string, values: readonly unknown[]): Promise<string[]>;
  /** Sends a statement that changes something and is a transaction by itself. */
  executeAlone(text: string, values: readonly unknown[]): Promise<void>;
  /** Tells whoever follows the change log, in any process, that it has grown. */
  readonly changeSignal: ChangeSignal;
  readonly keyring: Keyring;
  readonly settings: Settings;
  /** A key with full rights that is not stored; null when there is none. */
  readonly bootstrapKey: string | null;
  /** Ends what a connection of the database is doing, by its process id; null where nothing can run unseen. */
  readonly cancelStatement: ((processId: number) => Promise<void>) | null;
  /** The disk of the database has no room for changes. */
  isDiskFull(): boolean;
}

/** All that a service function needs, as an argument, so that it composes inside a transaction. */
export interface Context extends Services {
  readonly actor: Actor;
  /** Of the request: stands in the change log and in the request log. */
  readonly operationId: string;
  /** What the transaction that `db` is has changed so far. */
  readonly changeSet?: ChangeSet;
  /** What it may store of signing pairs: see `signingPairFor`. */
  readonly signingPairs?: SigningPairs;
  /** Aborted when nobody waits for the answer any more: no further statement is sent, and no change is kept. */
  readonly signal?: AbortSignal;
  /** What the request may read in all. */
  readonly budget?: ReadBudget;
  /** The transaction will be taken back: what is signed or secret must not leave it. */
  readonly isTrial?: true;
}

/** Throws FORBIDDEN unless the caller may change things, and UNAVAILABLE while the disk is full. */
export function requireWrite({ actor, isDiskFull }: Context): void {
  if (actor.scope !== "write") throw new DomainError("FORBIDDEN", "This API key may only read.");
  if (isDiskFull()) throw diskFull();
}

/**
 * Runs `change` in one transaction: all of it is committed, or nothing, and what it changes stands in the
 * change log. Every change of the domain goes through here or through `insertAlone`, so no service can forget
 * that a key must be allowed to write. Throws FORBIDDEN for a read-only key. Inside another transaction it
 * joins that one.
 *
 * `change` does nothing outside of the database, since it may run several times: when PostgreSQL took it back for
 * the sake of another transaction (`retried`), and when it lacked what takes long to make (`withSigningPairs`).
 */
export async function inTransaction<Result>(
  context: Context,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  requireWrite(context);
  const { db, signal, changeSignal } = context;
  // A client of a transaction could open others inside.
  if (context.changeSet || !("$transaction" in db)) return change(context);
  const attempt = async (signingPairs: SigningPairs) => {
    signingPairs.missing.clear();
    const changeSet = emptyChangeSet();
    const result = await db.$transaction((db) =>
      interruptible({ ...context, db, changeSet, signingPairs }, async (inside) => {
        const result = await change(inside);
        requireSigningPairs(signingPairs);
        await writeChanges(inside, changeSet);
        return result;
      }),
    );
    if (changeSet.entries.length > 0) changeSignal.announce();
    return result;
  };
  return withSigningPairs(signal, (signingPairs) => retried(signal, () => attempt(signingPairs)));
}

/**
 * Stores `row`, which is new, by the statement `insert` alone: atomic by itself, together with its entry in the
 * change log, and one round trip to the database. Throws FORBIDDEN for a read-only key. It takes a transaction
 * all the same when the caller may stop waiting: a statement alone could not be taken back.
 */
export async function insertAlone(
  context: Context,
  kind: ResourceKind,
  row: Row,
  insert: Prisma.Sql,
): Promise<void> {
  requireWrite(context);
  if (context.signal && !context.changeSet) {
    return inTransaction(context, (inside) => insertAlone(inside, kind, row, insert));
  }
  const changeSet = context.changeSet ?? emptyChangeSet();
  record(changeSet, kind, null, row);
  if (context.changeSet) {
    await context.db.$executeRaw`${insert}`;
    return;
  }
  await retried(context.signal, () => writeWithChanges(context, insert, changeSet));
  context.changeSignal.announce();
}

/**
 * Runs `change` with all of its checks and takes it back: nothing is stored or logged. Returns what it would
 * have returned, and throws what it would have thrown.
 */
export async function withoutEffect<Result>(
  context: Context,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  requireWrite(context);
  const { db, signal } = context;
  if (context.changeSet || !("$transaction" in db)) {
    throw new Error("A transaction cannot take back a part.");
  }
  const takenBack = new Error("The change was only tried.");
  const results: Result[] = [];
  const attempt = () =>
    db.$transaction(async (db) => {
      const inside = { ...context, db, changeSet: emptyChangeSet(), isTrial: true } as const;
      results.push(await interruptible(inside, change));
      throw takenBack;
    });
  try {
    await retried(signal, attempt);
  } catch (error) {
    if (error !== takenBack) throw error;
  }
  const [result] = results;
  return result as Result;
}
