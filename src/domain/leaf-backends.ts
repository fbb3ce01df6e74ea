import type { z } from "zod";
import type { Context } from "./core/context.js";
import { exactlyOne, reference } from "./core/fields.js";
import { LEAF_BACKENDS } from "./core/ids.js";
import { createHttpResponseBackend, httpResponseBackendInputs } from "./http-response-backends.js";
import { createStaticBackend, staticBackendInputs } from "./static-backends.js";
import { createTunnelGroupBackend, tunnelGroupBackendInputs } from "./tunnel-group-backends.js";

/** The maximum number of children of one backend (Part 0, Failover children). */
export const MAX_CHILDREN = 50;

/** The rules of new backends without children, by their kind. */
export const newLeafBackends = {
  httpResponseBackend: httpResponseBackendInputs.create,
  staticBackend: staticBackendInputs.create,
  tunnelGroupBackend: tunnelGroupBackendInputs.create,
};

/** A backend without children: by its id, or a new one. */
export const leafBackendReference = exactlyOne({
  id: reference(...LEAF_BACKENDS),
  ...newLeafBackends,
});

type LeafBackendReference = z.output<typeof leafBackendReference>;

/**
 * Returns the id of the backend; a new backend is created first. Runs inside the transaction of the resource that
 * refers to it.
 */
export async function leafBackendId(
  context: Context,
  { id, httpResponseBackend, staticBackend, tunnelGroupBackend }: LeafBackendReference,
): Promise<string> {
  if (httpResponseBackend) {
    return (await createHttpResponseBackend(context, httpResponseBackend)).id;
  }
  if (staticBackend) return (await createStaticBackend(context, staticBackend)).id;
  if (tunnelGroupBackend) return (await createTunnelGroupBackend(context, tunnelGroupBackend)).id;
  if (id !== undefined) return id;
  throw new Error("The rule of a reference lets none through without an id or a new backend.");
}

/** The positions of ids that are in `ids` twice; each child may be given only once. */
export function repeatedIds(ids: readonly unknown[]): number[] {
  return [...ids.keys()].filter((index) => {
    const id = ids[index];
    return typeof id === "string" && ids.indexOf(id) < index;
  });
}
