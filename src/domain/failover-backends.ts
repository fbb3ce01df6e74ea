import { z } from "zod";
import { changeBackend, lockBackend } from "./backends.js";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { refuse } from "./core/errors.js";
import { ALWAYS, exactlyOne, list, reference, texts, uniqueList } from "./core/fields.js";
import { LEAF_BACKENDS } from "./core/ids.js";
import { leafBackendId, MAX_CHILDREN, newLeafBackends, repeatedIds } from "./leaf-backends.js";
import type { FailoverBackend } from "./reads/backends.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";
import { createWeightedBackend, nestedWeightedBackendInputs } from "./weighted-backends.js";

const fields = {
  ...texts,
  // Any kind but another failover, so that children cannot form a circle.
  backends: uniqueList(reference(...LEAF_BACKENDS, "weightedBackend"), MAX_CHILDREN).nullish(),
};

export const failoverBackendInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

/** The rules of new children of a failover, by their kind: any but another failover. */
export const newFailoverChildren = {
  ...newLeafBackends,
  weightedBackend: nestedWeightedBackendInputs.create,
};

/** A child of a failover: by its id, or a new one that is created in the same transaction. */
const failoverChild = exactlyOne({
  id: reference(...LEAF_BACKENDS, "weightedBackend"),
  ...newFailoverChildren,
});

const nestedFields = {
  ...fields,
  backends: list(failoverChild, MAX_CHILDREN)
    .superRefine((children, ctx) => {
      const ids = Array.isArray(children) ? children.map((child) => child?.id) : [];
      for (const index of repeatedIds(ids)) {
        ctx.addIssue({ code: "custom", message: "is given twice", path: [index, "id"] });
      }
    }, ALWAYS)
    .nullish(),
};

/** The same with children that may be new. */
export const nestedFailoverBackendInputs = {
  create: z.strictObject(nestedFields),
  update: z.strictObject(nestedFields),
};

type FailoverChild = z.output<typeof failoverChild>;
type CreateInput =
  | z.output<typeof failoverBackendInputs.create>
  | z.output<typeof nestedFailoverBackendInputs.create>;
type UpdateInput =
  | z.output<typeof failoverBackendInputs.update>
  | z.output<typeof nestedFailoverBackendInputs.update>;

/** Returns the id of the child; a new child is created first. */
export async function failoverChildId(
  context: Context,
  { weightedBackend, ...leaf }: FailoverChild,
): Promise<string> {
  if (weightedBackend) return (await createWeightedBackend(context, weightedBackend)).id;
  return leafBackendId(context, leaf);
}

/** Specification, section 4.1. Throws INVALID_REQUEST for a child that does not exist. */
export function createFailoverBackend(
  context: Context,
  input: CreateInput,
): Promise<FailoverBackend> {
  return inTransaction(context, async (context) => {
    refuse(await danglingReferences(context, input));
    const backends = await childIds(context, input.backends ?? []);
    const row = { ...newRow("failoverBackend"), ...createdTexts(input), kind: "failover" as const };
    await context.db.backend.create({
      data: { ...row, children: { create: childRows(backends) } },
      select: ID_ALONE,
    });
    return created(context, "failoverBackend", { ...row, backends });
  });
}

/**
 * Absent leaves a field as it is, null clears it, a list of children replaces the old one.
 * Throws NOT_FOUND, and INVALID_REQUEST for a child that does not exist.
 */
export function updateFailoverBackend(
  context: Context,
  id: string,
  input: UpdateInput,
): Promise<FailoverBackend> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, "failover", id);
    refuse(await danglingReferences(context, input));
    const backends = input.backends === null ? [] : input.backends;
    const ids = backends && (await childIds(context, backends));
    const wanted = { ...changedTexts(input), backends: ids };
    return changeBackend(context, current, wanted, ({ backends, ...texts }) => ({
      ...texts,
      ...(backends && { children: { deleteMany: {}, create: childRows(backends) } }),
    }));
  });
}

/** The ids of `children`, of which those that are new are created, in order. */
async function childIds(
  context: Context,
  children: readonly (string | FailoverChild)[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const child of children) {
    ids.push(typeof child === "string" ? child : await failoverChildId(context, child));
  }
  return ids;
}

function childRows(ids: readonly string[]) {
  return ids.map((childId, position) => ({ childId, position }));
}
