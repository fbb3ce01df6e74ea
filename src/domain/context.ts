import { setTimeout as sleep } from "node:timers/promises";
import type { Database, TransactionClient } from "../database/index.js";
import { DomainError } from "./errors.js";
import type { Keyring } from "./keyring.js";

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
}

/** What one process has for all requests. */
export interface Services {
  readonly db: Database | TransactionClient;
  readonly keyring: Keyring;
  readonly settings: Settings;
  /** A key with full rights that is not stored; null when there is none. */
  readonly bootstrapKey: string | null;
  /** Ends what a connection of the database is doing, by its process id; null where nothing can run unseen. */
  readonly cancelStatement: ((processId: number) => Promise<void>) | null;
}

/** All that a service function needs, as an argument, so that it composes inside a transaction. */
export interface Context extends Services {
  readonly actor: Actor;
  /** Aborted when nobody waits for the answer any more: no further statement is sent, and no change is kept. */
  readonly signal?: AbortSignal | undefined;
}

/** Throws FORBIDDEN unless the caller may change things. */
export function requireWrite({ actor }: Context): void {
  if (actor.scope === "write") return;
  throw new DomainError("FORBIDDEN", "This API key may only read.");
}

/**
 * Runs a change that is one statement, and atomic by itself. Throws FORBIDDEN for a read-only key. It takes a
 * transaction all the same when the caller may stop waiting: a statement alone could not be taken back.
 */
export async function inOneStatement<Result>(
  context: Context,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  if (context.signal) return inTransaction(context, change);
  requireWrite(context);
  return change(context);
}

/**
 * Runs `change` in one transaction: all of it is committed, or nothing. Every change of the domain goes
 * through here or through `inOneStatement`, so no service can forget that a key must be allowed to write.
 * Throws FORBIDDEN for a read-only key. Inside another transaction it joins that one.
 */
export async function inTransaction<Result>(
  context: Context,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  requireWrite(context);
  const { db, signal } = context;
  if (!("$transaction" in db)) return change(context);
  return db.$transaction((db) => {
    const inside = { ...context, db };
    return signal ? unlessAborted(inside, signal, change) : change(inside);
  });
}

const CANCEL_AGAIN_MS = 100;

/** Inside a transaction: cancels what it is running as soon as `signal` says so, and has it rolled back. */
async function unlessAborted<Result>(
  context: Context,
  signal: AbortSignal,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const processId = context.cancelStatement && (await connectionOf(context));
  let running = true;
  let cancelling = Promise.resolve();
  const cancel = async () => {
    // Again and again, since one may hit the moment between two statements.
    while (running && context.cancelStatement && processId) {
      await context.cancelStatement(processId);
      await sleep(CANCEL_AGAIN_MS);
    }
  };
  const onAbort = () => {
    cancelling = cancel();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const result = await change(context);
    signal.throwIfAborted();
    return result;
  } finally {
    running = false;
    signal.removeEventListener("abort", onAbort);
    // The connection goes to another request after this, which must not be cancelled in its place.
    await cancelling;
  }
}

async function connectionOf({ db }: Context): Promise<number | null> {
  const [row] = await db.$queryRaw<{ id: number }[]>`SELECT pg_backend_pid() AS id`;
  return row?.id ?? null;
}
