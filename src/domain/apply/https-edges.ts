import type { z } from "zod";
import { deleted } from "../change-log.js";
import type { Context } from "../context.js";
import { refuse } from "../errors.js";
import {
  changeRoute,
  httpsEdgeRouteInputs,
  insertRoutes,
  type NewRoute,
  newRoute,
  routeOfNewEdge,
  toHttpsEdgeRoute,
  tooManyRoutes,
  wayToMatch,
} from "../https-edge-routes.js";
import { type HttpsEdgeRouteRow, readHttpsEdgeRowWithRoutes } from "../https-edge-rows.js";
import {
  createHttpsEdge,
  edgeWithRoutes,
  httpsEdgeInputs,
  updateHttpsEdge,
} from "../https-edges.js";
import { BACKENDS } from "../references.js";
import { lockRowsOf, newRow } from "../rows.js";
import { type Applied, type ApplyOptions, apply, type Label, wholeState } from "./apply.js";
import { appliedBackendSettings, type Place, resolveReferences } from "./references.js";

/** A route as it is to be. */
export const appliedHttpsEdgeRoute = routeOfNewEdge(appliedBackendSettings);

/** An edge as it is to be, with all of its routes. */
export const appliedHttpsEdge = edgeWithRoutes(appliedHttpsEdgeRoute);

type Route = z.output<typeof appliedHttpsEdgeRoute>;
type SettledRoute = NewRoute<Omit<z.output<typeof httpsEdgeRouteInputs.create>, "edgeId">>;

/**
 * Makes an edge and its routes as `input` says, in one transaction: routes are matched by the way in which they
 * match, those that are not wished are deleted, and what is absent gets its default. Throws INVALID_REQUEST for
 * references that do not exist and for more routes than an edge may have, and what `apply` throws.
 */
export function applyHttpsEdge(
  context: Context,
  { routes: given, ...edge }: z.output<typeof appliedHttpsEdge>,
  options: ApplyOptions,
): Promise<Applied> {
  const row = newRow("httpsEdge");
  const wished = (given ?? []).map(newRoute);
  return apply(context, "httpsEdge", options, async (context, id, label) => {
    const routes = await settledRoutes(context, edge, wished);
    if (id === null) {
      const created = await createHttpsEdge(context, edge, row);
      await insertLabelled(context, created.id, routes, label);
      return created.id;
    }
    await updateHttpsEdge(context, id, wholeState(httpsEdgeInputs.update, edge));
    await applyRoutes(context, id, routes, label);
    return id;
  });
}

/** The routes with the ids of their backends. */
async function settledRoutes(
  context: Context,
  edge: object,
  wished: readonly NewRoute<Route>[],
): Promise<SettledRoute[]> {
  const routes = wished.map(({ input }) => input);
  const places = routes.flatMap(({ backend }, index): Place[] =>
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
  return wished.map(({ row, input: { backend, ...input } }) => {
    if (!backend) return { row, input };
    const settled = { enabled: backend.enabled, backendId: left.shift() ?? "" };
    return { row, input: { ...input, backend: settled } };
  });
}

async function applyRoutes(
  context: Context,
  edgeId: string,
  wished: readonly SettledRoute[],
  label: Label,
): Promise<void> {
  // None is added meanwhile either, since the edge is held.
  await lockRowsOf(context, "httpsEdgeRoute", edgeId);
  const present = (await readHttpsEdgeRowWithRoutes(context, edgeId))?.routes ?? [];
  for (const row of present) label(row.id, labelOf(row));
  const wanted = new Set(wished.map(({ input }) => wayToMatch(input)));
  await deleteRoutes(
    context,
    present.filter((row) => !wanted.has(wayToMatch(row))),
  );
  const rows = new Map(present.map((row) => [wayToMatch(row), row]));
  for (const { input } of wished) {
    const row = rows.get(wayToMatch(input));
    if (row) await changeRoute(context, row, wholeState(httpsEdgeRouteInputs.update, input));
  }
  const added = wished.filter(({ input }) => !rows.has(wayToMatch(input)));
  await insertLabelled(context, edgeId, added, label);
}

async function deleteRoutes(context: Context, rows: readonly HttpsEdgeRouteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await context.db.httpsEdgeRoute.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  for (const row of rows) deleted(context, "httpsEdgeRoute", toHttpsEdgeRoute(context, row));
}

async function insertLabelled(
  context: Context,
  edgeId: string,
  routes: readonly SettledRoute[],
  label: Label,
): Promise<void> {
  if (routes.length === 0) return;
  refuse(await tooManyRoutes(context, edgeId, routes.length, ["routes"]));
  for (const route of await insertRoutes(context, edgeId, routes)) label(route.id, labelOf(route));
}

function labelOf(route: { readonly matchType: string; readonly match: string }): string {
  return `${route.matchType} ${route.match}`;
}
