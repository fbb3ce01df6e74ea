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

/** How a desired state is applied. */
export interface ApplyOptions {
  /** The caller's own name for the resource, under which it is kept; or the id of one that exists. */
  readonly key: string;
  /** Only says what would change. */
  readonly dryRun?: boolean | null | undefined;
  /** Refuses unless the resource is at this version. */
  readonly expectedVersion?: number | null | undefined;
}

/** One resource that differed from the desired state. */
export interface AppliedChange {
  readonly action: ChangeAction;
  readonly kind: ResourceKind;
  /** Null for what a dry run would create. */
  readonly id: string | null;
  readonly version: number;
  /** Tells it from the others, for people: the key, or what it was matched by. */
  readonly label: string;
  readonly differences: readonly Difference[];
}

export interface Applied {
  /** Null when a dry run would create it. */
  readonly id: string | null;
  /** In the order in which they were made; empty when everything was as desired. */
  readonly changes: readonly AppliedChange[];
}

/** Says by what to tell a resource from others. */
export type Label = (id: string, label: string) => void;

const KINDS: Readonly<Record<AppliedKind, readonly ResourceKind[]>> = {
  backend: BACKENDS,
  httpsEdge: ["httpsEdge"],
  ipPolicy: ["ipPolicy"],
};

/**
 * Finds what is applied under the key, and lets `change` make it as desired, in one transaction: `id` is null when
 * there is none, and `change` returns the id of what it made then. Whoever else applies under the key waits.
 * Throws NOT_FOUND for a key that is the id of nothing, and CONFLICT when another version was expected.
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
    // Ids that a dry run gave out will be others in earnest.
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

/** Refuses a desired state with another kind of backend than the one that is there. */
export function requireKind(kind: ResourceKind, id: string): void {
  const present = kindOfId(id);
  if (present === kind || present === null) return;
  const message = `is the key of ${oneOfKind(present)}, and the kind of a backend cannot change`;
  throw new DomainError("CONFLICT", `\`key\` ${message}.`, [{ path: ["key"], message }]);
}

/** `input` with null, which clears, for each field of `rule` that is absent: what is desired is the whole state. */
export function wholeState<Input extends object>(rule: z.ZodObject, input: Input): Input {
  const absent = Object.keys(rule.shape).filter((name) => Reflect.get(input, name) === undefined);
  return { ...input, ...Object.fromEntries(absent.map((name) => [name, null])) };
}
