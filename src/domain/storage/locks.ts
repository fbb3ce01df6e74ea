import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { RESOURCES, type ResourceKind } from "../core/ids.js";
import { identifier, REFERENCES } from "./graph.js";

// The order of locks: a transaction that locks several rows locks the owner first, then its parts in the order of their
// ids, so that no two transactions wait for each other. It reads the rows with the next statement, since what a
// statement reads may be older than the locks that it takes.

/** Locks the row until the transaction ends, so that later reads in the transaction stay valid. */
export async function lockRow({ db }: Context, kind: ResourceKind, id: string): Promise<void> {
  const table = Prisma.raw(`"${RESOURCES[kind].table}"`);
  await db.$queryRaw`SELECT 1 FROM ${table} WHERE "id" = ${id} FOR UPDATE`;
}

/** Takes a shared lock: nobody can change or delete the row until the transaction ends. */
export async function keepRow({ db }: Context, kind: ResourceKind, id: string): Promise<void> {
  const table = Prisma.raw(`"${RESOURCES[kind].table}"`);
  await db.$queryRaw`SELECT 1 FROM ${table} WHERE "id" = ${id} FOR KEY SHARE`;
}

/**
 * Locks all rows of `kind` that are part of a locked row until the transaction ends. None of them can be changed,
 * deleted or added before.
 */
export async function lockRowsOf(
  { db }: Context,
  kind: "httpsEdgeRoute" | "ipPolicyRule",
  ownerId: string,
): Promise<void> {
  const { from, column } = OWNERS[kind];
  await db.$queryRaw`
    SELECT count(*) FROM (
      SELECT 1 FROM ${identifier(from)} WHERE ${identifier(column)} = ${ownerId} ORDER BY "id" FOR UPDATE
    ) AS held`;
}

const OWNERS = {
  httpsEdgeRoute: REFERENCES.edgeOfRoute,
  ipPolicyRule: REFERENCES.policyOfRule,
};
