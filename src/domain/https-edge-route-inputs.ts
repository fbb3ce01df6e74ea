import { z } from "zod";
import { nestedBackendSettings } from "./backend-references.js";
import { matchType } from "./core/enumerations.js";
import type { Issue } from "./core/errors.js";
import { ALWAYS, orUnchanged, reference, texts } from "./core/fields.js";
import { routeMatch } from "./formats/route-matches.js";
import { severalLogins } from "./modules/combinations.js";
import { moduleInputs } from "./modules/documents.js";
import { modulesOf } from "./modules/index.js";

// The rules of what is given for a route.

const fields = {
  ...texts,
  ...moduleInputs(modulesOf("httpsEdgeRoute")),
};

export const httpsEdgeRouteInputs = {
  create: z.strictObject({
    edgeId: reference("httpsEdge"),
    matchType,
    match: routeMatch,
    ...fields,
  }),
  update: z.strictObject({
    matchType: orUnchanged(matchType),
    match: orUnchanged(routeMatch),
    ...fields,
  }),
};

const nestedBackend = { backend: nestedBackendSettings.nullish() };

/** The same rule with a backend that may be new. */
export const nestedHttpsEdgeRouteInputs = {
  create: httpsEdgeRouteInputs.create.extend(nestedBackend),
  update: httpsEdgeRouteInputs.update.extend(nestedBackend),
};

/** The rule of a route that is stored together with its edge, whose backend is given as `backend` says. */
export function routeOfNewEdge<Backend extends z.ZodType>(backend: Backend) {
  return httpsEdgeRouteInputs.create
    .omit({ edgeId: true })
    .extend({ backend: backend.nullish() })
    .superRefine((route, ctx) => {
      if (typeof route !== "object" || route === null) return;
      for (const { path, message } of severalLogins(route, null)) {
        ctx.addIssue({ code: "custom", message, path: [...path] });
      }
    }, ALWAYS);
}

/** A route that is created together with its edge. */
export const newHttpsEdgeRoute = routeOfNewEdge(nestedBackendSettings);

export type CreateInput =
  | z.output<typeof httpsEdgeRouteInputs.create>
  | z.output<typeof nestedHttpsEdgeRouteInputs.create>;
export type UpdateInput =
  | z.output<typeof httpsEdgeRouteInputs.update>
  | z.output<typeof nestedHttpsEdgeRouteInputs.update>;
export type RouteInput = Omit<CreateInput, "edgeId">;

/** The same text for routes that match the same requests in the same way, of which an edge has one. */
export function matchKey(route: { readonly matchType: string; readonly match: string }): string {
  return JSON.stringify([route.matchType, route.match]);
}

/** An issue for each of several new routes of an edge that matches in the same way as one before it. */
export function repeatedMatches(routes: unknown): Issue[] {
  if (!Array.isArray(routes)) return [];
  const first = new Map<string, number>();
  return routes.flatMap((route: unknown, index) => {
    const found = z.looseObject({ matchType: z.string(), match: z.string() }).safeParse(route);
    if (!found.success) return [];
    const key = matchKey(found.data);
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, index);
      return [];
    }
    const message = `has the same match type as the route at position ${other}, which has this match already`;
    return [{ path: [index, "match"], message }];
  });
}
