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
}

/** All that a service function needs, as an argument, so that it composes inside a transaction. */
export interface Context extends Services {
  readonly actor: Actor;
}

/** Throws FORBIDDEN unless the caller may change things. */
export function requireWrite({ actor }: Context): void {
  if (actor.scope === "write") return;
  throw new DomainError("FORBIDDEN", "This API key may only read.");
}

/** The database for a change that is one statement, and atomic by itself. Throws FORBIDDEN for a read-only key. */
export function writable(context: Context): Context["db"] {
  requireWrite(context);
  return context.db;
}

/**
 * Runs `change` in one transaction: all of it is committed, or nothing. Every change of the domain goes
 * through here or through `writable`, so no service can forget that a key must be allowed to write.
 * Throws FORBIDDEN for a read-only key. Inside another transaction it joins that one.
 */
export async function inTransaction<Result>(
  context: Context,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  requireWrite(context);
  if (!("$transaction" in context.db)) return change(context);
  return context.db.$transaction((db) => change({ ...context, db }));
}
