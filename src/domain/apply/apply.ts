import type { z } from "zod";
import { inTransaction, type Transaction } from "../changes/transactions.js";
import { lockVersion, staleVersion } from "../changes/versions.js";
import type { Context } from "../core/context.js";
import { DomainError, invalidRequest } from "../core/errors.js";
import { BACKENDS, kindOfId, oneOfKind, type ResourceKind } from "../core/ids.js";
import { findOne } from "../storage/rows.js";
import { type AppliedKind, idsByKey, keepUnderKey, lockKey } from "./keys.js";

/** The options of an apply. */
export interface ApplyOptions {
  /** A key that the caller chooses for the resource, or the id of an existing resource. */
  readonly key: string;
  /** Refuses unless the resource is at this version. */
  readonly expectedVersion?: number | null | undefined;
}

/** The resource that an apply has brought to the desired state. */
export interface Applied {
  readonly id: string;
  /** Whether the apply created it. */
  readonly isNew: boolean;
}

const KINDS: Readonly<Record<AppliedKind, readonly ResourceKind[]>> = {
  backend: BACKENDS,
  httpsEdge: ["httpsEdge"],
  tlsEdge: ["tlsEdge"],
  tcpEdge: ["tcpEdge"],
  ipPolicy: ["ipPolicy"],
};

/**
 * Finds the resource that has the key, and runs `change`, which brings it to the desired state, in one transaction.
 * `id` is null when there is no resource yet; `change` then returns the id of the new one. Other applies with the same
 * key wait. Throws NOT_FOUND for a key that is an id that does not exist, and CONFLICT when the resource has another
 * version than expected.
 */
export function apply(
  context: Context,
  kind: AppliedKind,
  { key, expectedVersion }: ApplyOptions,
  change: (context: Transaction, id: string | null) => Promise<string>,
): Promise<Applied> {
  return inTransaction(context, async (context) => {
    const present = await lockPresent(context, kind, key);
    if (expectedVersion != null) requireVersion(present, expectedVersion);
    const id = await change(context, present?.id ?? null);
    if (!present) await keepUnderKey(context, kind, key, id);
    return { id, isNew: present === null };
  });
}

interface Present {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly version: number;
}

async function lockPresent(
  context: Context,
  kind: AppliedKind,
  key: string,
): Promise<Present | null> {
  const named = kindOfId(key);
  if (named && KINDS[kind].includes(named)) {
    const version = await findOne(named, key, () => lockVersion(context, named, key));
    return { kind: named, id: key, version };
  }
  if (named) {
    const message = `is the id of ${oneOfKind(named)}: give the id of a resource of the right kind, or a key that you choose`;
    throw invalidRequest([{ path: ["key"], message }]);
  }
  await lockKey(context, kind, key);
  const id = (await idsByKey(context, kind, [key])).get(key);
  const ofId = id === undefined ? null : kindOfId(id);
  if (id === undefined || ofId === null) return null;
  const version = await lockVersion(context, ofId, id);
  return version === null ? null : { kind: ofId, id, version };
}

function requireVersion(present: Present | null, expected: number): void {
  if (present?.version === expected) return;
  if (present) throw staleVersion(present.kind, present.id, present.version, expected);
  throw new DomainError(
    "CONFLICT",
    `No resource was applied with this key yet, but version ${expected} was expected.`,
    [{ path: ["expectedVersion"], message: "must be absent while the resource does not exist" }],
  );
}

/** Refuses a desired state with another kind of backend than the existing one. */
export function requireKind(kind: ResourceKind, id: string): void {
  const present = kindOfId(id);
  if (present === kind || present === null) return;
  const message = `is the key of ${oneOfKind(present)}, and the kind of a backend cannot change`;
  throw new DomainError("CONFLICT", `\`key\` ${message}.`, [{ path: ["key"], message }]);
}

/**
 * Returns `input` with null for each field of `rule` that is absent. A desired state is complete, so an absent field is
 * cleared.
 */
export function wholeState<Input extends object>(rule: z.ZodObject, input: Input): Input {
  const absent = Object.keys(rule.shape).filter((name) => Reflect.get(input, name) === undefined);
  return { ...input, ...Object.fromEntries(absent.map((name) => [name, null])) };
}
