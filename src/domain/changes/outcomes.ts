import type { Context } from "../core/context.js";
import type { ResourceKind } from "../core/ids.js";
import type { Difference } from "./differences.js";
import type { ChangeAction, ChangeSet } from "./log.js";
import { inDryRun, isTransaction, type Observed } from "./transactions.js";

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
  if (isTransaction(context)) {
    const { entries } = context.changeSet;
    const before = entries.length;
    const result = await change(context);
    return { result, changes: entries.slice(before) };
  }
  const changes: AppliedChange[] = [];
  const observe = ({ entries }: ChangeSet) => {
    for (const entry of entries) changes.push(entry);
  };
  const observed: Observed = { ...context, observe };
  const result = await change(observed);
  return { result, changes };
}

/** Stands in a dry run for what it makes up: the real change makes something else. */
const NEW = "[new]";

/** Fields of a new resource that are made and not given. */
const MADE_FIELDS: Partial<Record<ResourceKind, string>> = {
  reservedAddr: "addr",
  sshCertificateAuthority: "publicKey",
};

/** An id wherever it stands, also within a URL. Prefixes are bounded, so that long texts take linear time. */
const ID = /(?<![a-z])[a-z]{1,10}_[0-9A-Za-z]{27}/g;

function wouldBeChanges({ entries }: ChangeSet): AppliedChange[] {
  const made = entries.filter(({ action }) => action === "created");
  if (made.length === 0) return [...entries];
  const news = new Set(made.map(({ resourceId }) => resourceId));
  const withoutNew = (text: string) => text.replace(ID, (id) => (news.has(id) ? NEW : id));
  return entries.map(({ resourceId, label, differences, ...entry }) => {
    const isNew = news.has(resourceId);
    const madeUp = isNew ? madeUpIn(entry.kind, differences) : undefined;
    return {
      ...entry,
      resourceId: isNew ? null : resourceId,
      label: madeUp && madeUp.after === label ? NEW : label,
      differences: differences.map((each) =>
        each === madeUp ? { ...each, after: NEW } : shown(each, withoutNew),
      ),
    };
  });
}

function madeUpIn(kind: ResourceKind, differences: readonly Difference[]): Difference | undefined {
  const field = MADE_FIELDS[kind];
  return differences.find(({ path: [name] }) => name === field);
}

/** A difference with each of its texts as `show` has it. */
function shown({ path, before, after }: Difference, show: (text: string) => string): Difference {
  const value = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(value);
    return typeof given === "string" ? show(given) : given;
  };
  return { path: path.map(show), before: value(before), after: value(after) };
}
