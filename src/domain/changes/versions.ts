import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { DomainError } from "../core/errors.js";
import { RESOURCES, type ResourceKind } from "../core/ids.js";
import { findOne } from "../storage/rows.js";
import { inTransaction } from "./transactions.js";

/**
 * Runs `change` only if the resource has `version`, and locks it during the run. Throws NOT_FOUND, and CONFLICT with
 * the current version.
 */
export function atVersion<Result>(
  context: Context,
  kind: ResourceKind,
  id: string,
  version: number,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  return inTransaction(context, async (context) => {
    const present = await findOne(kind, id, () => lockVersion(context, kind, id));
    if (present === version) return change(context);
    throw staleVersion(kind, id, present, version);
  });
}

/** The error for a resource that has another version than expected. */
export function staleVersion(
  kind: ResourceKind,
  id: string,
  present: number,
  version: number,
): DomainError {
  return new DomainError(
    "CONFLICT",
    `The ${RESOURCES[kind].name} ${id} has version ${present}, but version ${version} was expected. Read it again and retry.`,
    [{ path: ["expectedVersion"], message: `must be the current version, which is ${present}` }],
    { currentVersion: present },
  );
}

/** Locks a resource until the transaction ends and returns its version; null when it does not exist. */
export async function lockVersion({ db }: Context, kind: ResourceKind, id: string) {
  const table = Prisma.raw(`"${RESOURCES[kind].table}"`);
  const [row] = await db.$queryRaw<{ version: number }[]>`
    SELECT version FROM ${table} WHERE id = ${id} FOR UPDATE`;
  return row?.version ?? null;
}
