import type { z } from "zod";
import { deleted } from "../changes/log.js";
import type { Transaction } from "../changes/transactions.js";
import type { Context } from "../core/context.js";
import { refuse } from "../core/errors.js";
import { BACKENDS } from "../core/ids.js";
import { httpsEdgeRouteInputs, matchKey, routeOfNewEdge } from "../https-edge-route-inputs.js";
import {
  changeRoute,
  type HttpsEdgeRoute,
  insertRoutes,
  type NewRoute,
  newRoute,
  tooManyRoutes,
} from "../https-edge-routes.js";
import {
  createHttpsEdge,
  edgeWithRoutes,
  httpsEdgeInputs,
  updateHttpsEdge,
} from "../https-edges.js";
import { originalParts } from "../reads/read.js";
import { lockRowsOf } from "../storage/locks.js";
import { newRow } from "../storage/rows.js";
import { type Applied, type ApplyOptions, apply, wholeState } from "./apply.js";
import {
  appliedBackendSettings,
  type FoundReference,
  resolveReferences,
} from "./desired-references.js";

/** The desired state of a route. */
export const appliedHttpsEdgeRoute = routeOfNewEdge(appliedBackendSettings);

/** The desired state of an edge, with all of its routes. */
export const appliedHttpsEdge = edgeWithRoutes(appliedHttpsEdgeRoute);

type Route = z.output<typeof appliedHttpsEdgeRoute>;
type SettledRoute = NewRoute<Omit<z.output<typeof httpsEdgeRouteInputs.create>, "edgeId">>;

/**
 * Brings an edge and its routes to the desired state `input`, in one transaction. Routes are identified by match type
 * and match; routes that are not in the desired state are deleted, and an absent field gets its default. Throws
 * INVALID_REQUEST for references that do not exist and for more routes than an edge may have, and what `apply` throws.
 */
export function applyHttpsEdge(
  context: Context,
  { routes: given, ...edge }: z.output<typeof appliedHttpsEdge>,
  options: ApplyOptions,
): Promise<Applied> {
  const row = newRow("httpsEdge");
  const desired = (given ?? []).map(newRoute);
  return apply(context, "httpsEdge", options, async (context, id) => {
    const routes = await settledRoutes(context, edge, desired);
    if (id === null) {
      const created = await createHttpsEdge(context, edge, row);
      await addRoutes(context, created.id, routes);
      return created.id;
    }
    await updateHttpsEdge(context, id, wholeState(httpsEdgeInputs.update, edge));
    await applyRoutes(context, id, routes);
    return id;
  });
}

/** The routes with the ids of their backends. */
async function settledRoutes(
  context: Transaction,
  edge: object,
  desired: readonly NewRoute<Route>[],
): Promise<SettledRoute[]> {
  const routes = desired.map(({ input }) => input);
  const places = routes.flatMap(({ backend }, index): FoundReference[] =>
    backend
      ? [
          {
            path: ["routes", index, "backend", "backend"],
            reference: backend.backend,
            kinds: BACKENDS,
          },
        ]
      : [],
  );
  const { ids, issues } = await resolveReferences(context, { ...edge, routes }, places);
  refuse(issues);
  const left = [...ids];
  return desired.map(({ row, input: { backend, ...input } }) => {
    if (!backend) return { row, input };
    const settled = { enabled: backend.enabled, backendId: left.shift() ?? "" };
    return { row, input: { ...input, backend: settled } };
  });
}

async function applyRoutes(
  context: Transaction,
  edgeId: string,
  desired: readonly SettledRoute[],
): Promise<void> {
  // No route is added at the same time, since the edge is locked.
  await lockRowsOf(context, "httpsEdgeRoute", edgeId);
  const originals = await originalParts(context, "httpsEdgeRoute", edgeId);
  const present = originals.map(({ value }) => value);
  const wanted = new Set(desired.map(({ input }) => matchKey(input)));
  await deleteRoutes(
    context,
    present.filter((route) => !wanted.has(matchKey(route))),
  );
  const byMatch = new Map(originals.map((original) => [matchKey(original.value), original]));
  for (const { input } of desired) {
    const route = byMatch.get(matchKey(input));
    if (route) await changeRoute(context, route, wholeState(httpsEdgeRouteInputs.update, input));
  }
  const added = desired.filter(({ input }) => !byMatch.has(matchKey(input)));
  await addRoutes(context, edgeId, added);
}

async function deleteRoutes(
  context: Transaction,
  routes: readonly HttpsEdgeRoute[],
): Promise<void> {
  if (routes.length === 0) return;
  await context.db.httpsEdgeRoute.deleteMany({ where: { id: { in: routes.map(({ id }) => id) } } });
  for (const route of routes) deleted(context, "httpsEdgeRoute", route);
}

async function addRoutes(
  context: Transaction,
  edgeId: string,
  routes: readonly SettledRoute[],
): Promise<void> {
  if (routes.length === 0) return;
  refuse(await tooManyRoutes(context, edgeId, routes.length, ["routes"]));
  await insertRoutes(context, edgeId, routes);
}
