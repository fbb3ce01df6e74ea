import type { Context } from "../core/context.js";
import type { ResourceKind } from "../core/ids.js";
import type { Difference } from "./differences.js";
import type { ChangeAction, ChangeSet } from "./log.js";
import { inDryRun, type Observed } from "./transactions.js";

/** One resource that a transaction created, changed or deleted, or that a dry run would. */
export interface AppliedChange {
  readonly action: ChangeAction;
  readonly kind: ResourceKind;
  /** Null when a dry run would create it. */
  readonly resourceId: string | null;
  /** After the change; the last version of a resource that was deleted. */
  readonly version: number;
  /** A label for people; "" for a resource that has nothing to be called by. */
  readonly label: string;
  readonly differences: readonly Difference[];
}

/** What a change returned, and what it changed, in order. */
export interface Outcome<Result> {
  readonly result: Result;
  readonly changes: readonly AppliedChange[];
}

/**
 * Runs `change`, or does a dry run of it, which stores nothing. Returns its result and everything that it changed, or
 * would change. Throws what `change` throws.
 */
export async function withOutcome<Result>(
  context: Context,
  isDryRun: boolean,
  change: (context: Context) => Promise<Result>,
): Promise<Outcome<Result>> {
  if (isDryRun) {
    return inDryRun(context, async (transaction) => {
      const result = await change(transaction);
      return { result, changes: wouldBeChanges(transaction.changeSet) };
    });
  }
  // Not inside a transaction of its own: a change begins one itself, which may run several times with the same ids.
  const changes: AppliedChange[] = [];
  const observed: Observed = { ...context, observe: ({ entries }) => changes.push(...entries) };
  const result = await change(observed);
  return { result, changes };
}

/** Stands in a dry run for the id of a resource that it would create: the real change gives it another one. */
const NEW = "[new]";

function wouldBeChanges({ entries }: ChangeSet): AppliedChange[] {
  const made = entries.filter(({ action }) => action === "created");
  const news = new Set(made.map(({ resourceId }) => resourceId));
  return entries.map(({ resourceId, differences, ...entry }) => ({
    ...entry,
    resourceId: news.has(resourceId) ? null : resourceId,
    differences: differences.map(withoutNewIds),
  }));

  function withoutNewIds({ path, before, after }: Difference): Difference {
    return { path: path.map(shown), before, after: shown(after) };
  }
  function shown<Value>(value: Value): Value;
  function shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value !== "string") return value;
    return value.replace(/[a-z]+_[0-9A-Za-z]{27}/g, (id) => (news.has(id) ? NEW : id));
  }
}
