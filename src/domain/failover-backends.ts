import { z } from "zod";
import {
  countBackends,
  deleteBackend,
  type FailoverBackend,
  getBackend,
  listBackends,
  lockBackend,
  toBackendOf,
  WITH_CHILDREN,
} from "./backends.js";
import { created, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { refuse } from "./errors.js";
import { description, metadata, uniqueList } from "./fields.js";
import type { PageRequest } from "./pages.js";
import { danglingReferences, LEAF_BACKENDS, reference } from "./references.js";
import { changedTexts, changes, createdTexts, newRow, touched } from "./rows.js";

/** Children of one backend (Part 0, Failover children). */
export const MAX_CHILDREN = 50;

const fields = {
  description: description.nullish(),
  metadata: metadata.nullish(),
  // Any kind but another failover, so that children cannot form a circle.
  backends: uniqueList(reference(...LEAF_BACKENDS, "weightedBackend"), MAX_CHILDREN).nullish(),
};

export const failoverBackendInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

/** Specification, section 4.1. Throws INVALID_REQUEST for a child that does not exist. */
export function createFailoverBackend(
  context: Context,
  input: z.output<typeof failoverBackendInputs.create>,
): Promise<FailoverBackend> {
  return inTransaction(context, async (context) => {
    refuse(await danglingReferences(context, input));
    const row = await context.db.backend.create({
      data: {
        ...newRow("failoverBackend"),
        ...createdTexts(input),
        kind: "failover",
        children: { create: childRows(input.backends ?? []) },
      },
      include: WITH_CHILDREN,
    });
    return created(context, "failoverBackend", toBackendOf("failover", row));
  });
}

/** Throws NOT_FOUND. */
export function getFailoverBackend(context: Context, id: string): Promise<FailoverBackend> {
  return getBackend(context, "failover", id);
}

/** Newest first. */
export function listFailoverBackends(
  context: Context,
  page: PageRequest,
): Promise<FailoverBackend[]> {
  return listBackends(context, "failover", page);
}

export function countFailoverBackends(context: Context): Promise<number> {
  return countBackends(context, "failover");
}

/**
 * Absent leaves a field as it is, null clears it, a list of children replaces the old one.
 * Throws NOT_FOUND, and INVALID_REQUEST for a child that does not exist.
 */
export function updateFailoverBackend(
  context: Context,
  id: string,
  input: z.output<typeof failoverBackendInputs.update>,
): Promise<FailoverBackend> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, "failover", id);
    refuse(await danglingReferences(context, input));
    const backends = input.backends === null ? [] : input.backends;
    const changed = changes(current, { ...changedTexts(input), backends });
    if (!changed) return current;
    const { backends: newBackends, ...texts } = changed;
    const row = await context.db.backend.update({
      where: { id },
      data: {
        ...texts,
        ...touched(),
        ...(newBackends && { children: { deleteMany: {}, create: childRows(newBackends) } }),
      },
      include: WITH_CHILDREN,
    });
    return updated(context, "failoverBackend", current, toBackendOf("failover", row));
  });
}

/** Throws NOT_FOUND, and IN_USE while something uses it. */
export function deleteFailoverBackend(context: Context, id: string): Promise<void> {
  return deleteBackend(context, "failover", id);
}

function childRows(ids: readonly string[]) {
  return ids.map((childId, position) => ({ childId, position }));
}
