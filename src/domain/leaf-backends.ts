import type { z } from "zod";
import type { Context } from "./core/context.js";
import { exactlyOne, reference } from "./core/fields.js";
import { LEAF_BACKENDS } from "./core/ids.js";
import { createHttpResponseBackend, httpResponseBackendInputs } from "./http-response-backends.js";
import { createStaticBackend, staticBackendInputs } from "./static-backends.js";
import { createTunnelGroupBackend, tunnelGroupBackendInputs } from "./tunnel-group-backends.js";

/** Children of one backend (Part 0, Failover children). */
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

/** The id of the backend, which is created when it is new. Runs inside the transaction of what refers to it. */
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

/** The positions of the ids that stand in `ids` before: a child is given once. */
export function repeatedIds(ids: readonly unknown[]): number[] {
  return [...ids.keys()].filter((index) => {
    const id = ids[index];
    return typeof id === "string" && ids.indexOf(id) < index;
  });
}
