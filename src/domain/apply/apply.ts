import type { z } from "zod";
import type { Difference } from "../changes/differences.js";
import type { ChangeAction } from "../changes/log.js";
import { inDryRun, inTransaction, type Transaction } from "../changes/transactions.js";
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
  /** Whether this is a dry run, which only returns the changes. */
  readonly dryRun?: boolean | null | undefined;
  /** Refuses unless the resource is at this version. */
  readonly expectedVersion?: number | null | undefined;
}

/** One resource that differed from the desired state. */
export interface AppliedChange {
  readonly action: ChangeAction;
  readonly kind: ResourceKind;
  /** Null when a dry run would create it. */
  readonly id: string | null;
  readonly version: number;
  /** A label for people: the key, or the fields that identify the part. */
  readonly label: string;
  readonly differences: readonly Difference[];
}

export interface Applied {
  /** Null when a dry run would create it. */
  readonly id: string | null;
  /** In the order of the changes; empty when the resource had the desired state. */
  readonly changes: readonly AppliedChange[];
}

/** Sets the label of a resource. */
export type Label = (id: string, label: string) => void;

const KINDS: Readonly<Record<AppliedKind, readonly ResourceKind[]>> = {
  backend: BACKENDS,
  httpsEdge: ["httpsEdge"],
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
  { key, dryRun, expectedVersion }: ApplyOptions,
  change: (context: Transaction, id: string | null, label: Label) => Promise<string>,
): Promise<Applied> {
  const run = dryRun ? inDryRun : inTransaction;
  return run(context, async (context) => {
    const present = await lockPresent(context, kind, key);
    if (expectedVersion != null) requireVersion(present, expectedVersion);
    const labels = new Map<string, string>();
    const id = await change(context, present?.id ?? null, (id, label) => labels.set(id, label));
    if (!present) await keepUnderKey(context, kind, key, id);
    const entries = context.changeSet.entries;
    // A real apply creates other ids than its dry run, so these are not shown.
    const made = entries.filter(({ action }) => dryRun && action === "created");
    const gone = new Set<unknown>(made.map(({ resourceId }) => resourceId));
    const changes = entries.map(({ resourceId, differences, ...entry }) => ({
      ...entry,
      id: gone.has(resourceId) ? null : resourceId,
      label: labels.get(resourceId) ?? key,
      differences: differences.filter(({ after }) => !gone.has(after)),
    }));
    return { id: gone.has(id) ? null : id, changes };
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
