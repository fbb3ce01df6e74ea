import type { z } from "zod";
import type { Context } from "../core/context.js";
import type { SigningPairs } from "./signing-pairs.js";

/** The owner of a module. Secrets are bound to it, and its URLs are made from it. */
export interface Place {
  readonly context: Context;
  readonly ownerId: string;
}

/** The owner of a module, inside a transaction that stores it. */
export interface StoringPlace extends Place {
  readonly context: Context & { readonly signingPairs: SigningPairs | null };
}

/** A module as it is stored, and as its owner shows it. */
interface Settled<Stored, Value> {
  readonly stored: Stored;
  readonly value: Value;
}

/**
 * A traffic module that is one JSON document on its owner.
 * `Input` is what a caller gives, checked and completed; `Stored` what the column holds, with secrets
 * sealed; `Value` what the owner shows.
 */
export interface DocumentModule<Input, Stored extends object, Value> {
  /** Checks what a caller gives and completes it with the defaults. */
  readonly rule: z.ZodType<Input>;
  /**
   * The document for the column, and what the owner shows of it. `previous` is the document that it replaces, if any.
   * It waits for nothing, since a transaction is open around it.
   */
  store(input: Input, place: StoringPlace, previous: Stored | null): Settled<Stored, Value>;
  /** The stored document, parsed. Throws when it is none of this module. */
  parse(column: unknown): Stored;
  /** What the owner shows; secrets are "" for a key that may only read. */
  read(stored: Stored, place: Place): Value;
  /**
   * Where in the document sealed texts may stand, which are left out when nobody asks for a secret. The field that
   * each is sealed for is the name of the module and that of the last member, such as `oauth.clientSecret`.
   */
  readonly sealed?: readonly (readonly string[])[];
}

/**
 * A module that refers to other resources: its owner has a column that says whether it is enabled, and refers to them
 * as `storage/graph.ts` says.
 */
export interface ReferringModule<Value = unknown> {
  /** Checks what a caller gives and completes it with the defaults. It is shown as given. */
  readonly rule: z.ZodType<Value>;
  /** The member with the id, or the ids in order. */
  readonly refersBy: string;
}

/** A module without secrets or outputs: shown and stored as given. `document` may be a cheaper rule for reading. */
export function plainModule<Settings extends object>(
  rule: z.ZodType<Settings>,
  document: z.ZodType<Settings> = rule,
): DocumentModule<Settings, Settings, Settings> {
  return {
    rule,
    store: (settings) => ({ stored: settings, value: settings }),
    parse: (column) => document.parse(column),
    read: (settings) => settings,
  };
}

/** Seals `secret` for its owner and field; "" stays "", since there is nothing to hide. */
export function sealSecret({ context, ownerId }: Place, field: string, secret: string): string {
  return secret === "" ? "" : context.keyring.seal(secret, `${ownerId}.${field}`);
}

/** The secret in clear for keys that may write, else "" (Part 0, Secrets). */
export function openSecret({ context, ownerId }: Place, field: string, sealed: string): string {
  if (sealed === "" || context.actor.scope !== "write") return "";
  return context.keyring.open(sealed, `${ownerId}.${field}`);
}
