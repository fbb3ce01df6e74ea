import { z } from "zod";
import { changeBackend, lockBackend } from "./backends.js";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { refuse } from "./core/errors.js";
import { ALWAYS, list, reference, texts, userMap, wholeNumber } from "./core/fields.js";
import { LEAF_BACKENDS } from "./core/ids.js";
import { leafBackendId, leafBackendReference, MAX_CHILDREN, repeatedIds } from "./leaf-backends.js";
import type { WeightedBackend } from "./reads/backends.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

export const MAX_WEIGHT = 10_000;

export const weight = wholeNumber(0, MAX_WEIGHT);
const childId = reference(...LEAF_BACKENDS);

/** Weights by child: an HTTP response, static or tunnel group backend, so that children cannot form a circle. */
const backends = userMap(weight, MAX_CHILDREN).superRefine((children, ctx) => {
  for (const id of Object.keys(children)) {
    for (const { message } of childId.safeParse(id).error?.issues ?? []) {
      ctx.addIssue({ code: "custom", message, path: [id] });
    }
  }
});

const fields = {
  ...texts,
  backends: backends.nullish(),
};

export const weightedBackendInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

const weightedChild = z.strictObject({ backend: leafBackendReference, weight });

const nestedFields = {
  ...fields,
  backends: list(weightedChild, MAX_CHILDREN)
    .superRefine((children, ctx) => {
      const ids = Array.isArray(children) ? children.map((child) => child?.backend?.id) : [];
      for (const index of repeatedIds(ids)) {
        ctx.addIssue({ code: "custom", message: "is given twice", path: [index, "backend", "id"] });
      }
    }, ALWAYS)
    .nullish(),
};

/** The same with a list of children, which may be new. */
export const nestedWeightedBackendInputs = {
  create: z.strictObject(nestedFields),
  update: z.strictObject(nestedFields),
};

type Children = Readonly<Record<string, number>> | readonly z.output<typeof weightedChild>[];
type CreateInput =
  | z.output<typeof weightedBackendInputs.create>
  | z.output<typeof nestedWeightedBackendInputs.create>;
type UpdateInput =
  | z.output<typeof weightedBackendInputs.update>
  | z.output<typeof nestedWeightedBackendInputs.update>;

/** Throws INVALID_REQUEST for a child that does not exist. */
export function createWeightedBackend(
  context: Context,
  input: CreateInput,
): Promise<WeightedBackend> {
  return inTransaction(context, async (context) => {
    refuse(await danglingReferences(context, input));
    const backends = await weightsById(context, input.backends ?? {});
    const row = { ...newRow("weightedBackend"), ...createdTexts(input), kind: "weighted" as const };
    await context.db.backend.create({
      data: { ...row, children: { create: childRows(backends) } },
      select: ID_ALONE,
    });
    return created(context, "weightedBackend", { ...row, backends });
  });
}

/**
 * Absent leaves a field as it is, null clears it, a map of children replaces the old one.
 * Throws NOT_FOUND, and INVALID_REQUEST for a child that does not exist.
 */
export function updateWeightedBackend(
  context: Context,
  id: string,
  input: UpdateInput,
): Promise<WeightedBackend> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, "weighted", id);
    refuse(await danglingReferences(context, input));
    const children = input.backends === null ? {} : input.backends;
    const backends = children && (await weightsById(context, children));
    const wanted = { ...changedTexts(input), backends };
    return changeBackend(context, current, wanted, ({ backends, ...texts }) => ({
      ...texts,
      ...(backends && { children: { deleteMany: {}, create: childRows(backends) } }),
    }));
  });
}

/** Weights by the ids of the children, of which those that are new are created, in order. */
async function weightsById(
  context: Context,
  children: Children,
): Promise<Readonly<Record<string, number>>> {
  if (!isList(children)) return children;
  const weights: [string, number][] = [];
  for (const { backend, weight } of children) {
    weights.push([await leafBackendId(context, backend), weight]);
  }
  return Object.fromEntries(weights);
}

function isList(children: Children): children is Extract<Children, readonly unknown[]> {
  return Array.isArray(children);
}

function childRows(weights: Readonly<Record<string, number>>) {
  return Object.entries(weights).map(([childId, weight], position) => ({
    childId,
    weight,
    position,
  }));
}
