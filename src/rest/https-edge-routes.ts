import { parse } from "../domain/core/fields.js";
import { httpsEdgeRouteInputs } from "../domain/https-edge-route-inputs.js";
import {
  createHttpsEdgeRoute,
  deleteHttpsEdgeRoute,
  getHttpsEdgeRoute,
  type HttpsEdgeRoute,
  listRoutesOfHttpsEdge,
  updateHttpsEdgeRoute,
} from "../domain/https-edge-routes.js";
import { getOne } from "../domain/reads/read.js";
import {
  bodyWithoutPathIds,
  type Endpoint,
  idOf,
  type Link,
  listEndpoint,
  type RestRequest,
  timestamp,
  withoutNulls,
} from "./contract/contract.js";
import { moduleViews, showModules } from "./contract/module-views.js";
import { moduleEndpoints } from "./contract/modules.js";
import { formerPolicyEndpoints, withStructuredPolicy } from "./contract/structured-policies.js";
import { type Body, mended, without } from "./contract/tolerances.js";

const LIST = "/edges/https/:edgeId/routes";
const ONE = `${LIST}/:id`;

const modules = moduleViews("httpsEdgeRoute");
const inputs = withStructuredPolicy("httpsEdgeRoute", httpsEdgeRouteInputs);

export function httpsEdgeRouteView(route: HttpsEdgeRoute, link: Link) {
  return {
    edge_id: route.edgeId,
    id: route.id,
    created_at: timestamp(route.createdAt),
    uri: link(`/edges/https/${route.edgeId}/routes/${route.id}`),
    match_type: route.matchType,
    match: route.match,
    description: route.description,
    metadata: route.metadata,
    ...showModules(modules, route, link),
  };
}

const get = (request: RestRequest) =>
  getHttpsEdgeRoute(request.context, idOf(request), edgeIdOf(request));

export const httpsEdgeRoutes: readonly Endpoint[] = [
  {
    method: "POST",
    path: LIST,
    status: 201,
    async handle(request) {
      const edgeId = edgeIdOf(request);
      await getOne(request.context, "httpsEdge", edgeId);
      const input = { ...bodyWithoutPathIds(request), edgeId };
      const route = await createHttpsEdgeRoute(request.context, parse(inputs.create, input));
      return httpsEdgeRouteView(route, request.link);
    },
  },
  {
    method: "GET",
    path: ONE,
    status: 200,
    handle: async (request) => httpsEdgeRouteView(await get(request), request.link),
  },
  listEndpoint<HttpsEdgeRoute>({
    kind: "httpsEdgeRoute",
    path: LIST,
    listKey: "routes",
    async list(context, page, { edgeId = "" }) {
      await getOne(context, "httpsEdge", edgeId);
      return listRoutesOfHttpsEdge(context, edgeId, page);
    },
    view: httpsEdgeRouteView,
  }),
  {
    method: "PATCH",
    path: ONE,
    status: 200,
    async handle(request) {
      const body = mended(bodyWithoutPathIds(request), [unsetTextsLeave]);
      const input = parse(inputs.update, body);
      const route = await updateHttpsEdgeRoute(
        request.context,
        idOf(request),
        withoutNulls(input),
        edgeIdOf(request),
      );
      return httpsEdgeRouteView(route, request.link);
    },
  },
  {
    method: "DELETE",
    path: ONE,
    status: 204,
    handle: (request) => deleteHttpsEdgeRoute(request.context, idOf(request), edgeIdOf(request)),
  },
  ...moduleEndpoints({
    path: ONE,
    rule: httpsEdgeRouteInputs.update,
    views: modules,
    get,
    update: (request, input) =>
      updateHttpsEdgeRoute(request.context, idOf(request), input, edgeIdOf(request)),
  }),
  ...formerPolicyEndpoints(ONE),
];

function edgeIdOf({ params }: RestRequest): string {
  return params.edgeId ?? "";
}

/**
 * Some clients send every text of a route with every change, and "" for what nobody set: where the match is such, so are
 * the others. A change that is written by hand sends no empty match, so it can clear the others.
 */
function unsetTextsLeave(body: Body): Body {
  if (body.match !== "" || body.matchType !== "") return body;
  return without(body, (name, value) => TEXTS.has(name) && value === "");
}

const TEXTS: ReadonlySet<string> = new Set(["description", "metadata"]);
