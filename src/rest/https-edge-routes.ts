import { z } from "zod";
import { matchType } from "../domain/core/enumerations.js";
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
import { id, row, type Shown } from "./contract/answers.js";
import {
  bodyWithoutPathIds,
  type Endpoint,
  idOf,
  type Link,
  listEndpoint,
  NO_BODY,
  type RestRequest,
  shows,
  timestamp,
  withoutNulls,
} from "./contract/contract.js";
import { lockOf } from "./contract/entity-tags.js";
import { MODULE_EXAMPLES } from "./contract/module-examples.js";
import { moduleAnswers, moduleViews, showModules } from "./contract/module-views.js";
import { moduleEndpoints } from "./contract/modules.js";
import { formerPolicyEndpoints, withStructuredPolicy } from "./contract/structured-policies.js";
import { mended, type Tolerance, without } from "./contract/tolerances.js";

const LIST = "/edges/https/:edgeId/routes";
const ONE = `${LIST}/:id`;

const modules = moduleViews("httpsEdgeRoute");
const { inputs, documented, tolerates } = withStructuredPolicy(
  "httpsEdgeRoute",
  httpsEdgeRouteInputs,
);

export const httpsEdgeRouteAnswer = z.strictObject({
  edge_id: id("httpsEdge"),
  ...row("httpsEdgeRoute"),
  match_type: matchType,
  match: z.string(),
  ...moduleAnswers(modules),
});

export function httpsEdgeRouteView(
  route: HttpsEdgeRoute,
  link: Link,
): Shown<typeof httpsEdgeRouteAnswer> {
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

const lock = lockOf("httpsEdgeRoute");

const get = (request: RestRequest) =>
  getHttpsEdgeRoute(request.context, idOf(request), edgeIdOf(request));

export const httpsEdgeRoutes: readonly Endpoint[] = [
  {
    method: "POST",
    path: LIST,
    status: 201,
    operation: {
      id: "createHttpsEdgeRoute",
      kind: "httpsEdgeRoute",
      summary: "Creates a route of an HTTPS edge.",
      refusals: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
    },
    takes: {
      name: "CreateHttpsEdgeRoute",
      rule: documented.create,
      tolerates: tolerates.create,
      example: {
        matchType: "path_prefix",
        match: "/api",
        backend: MODULE_EXAMPLES.backend,
        compression: MODULE_EXAMPLES.compression,
      },
    },
    answer: httpsEdgeRouteAnswer,
    async handle(request) {
      const edgeId = edgeIdOf(request);
      await getOne(request.context, "httpsEdge", edgeId);
      const input = { ...bodyWithoutPathIds(request), edgeId };
      const route = await createHttpsEdgeRoute(request.context, parse(inputs.create, input));
      return shows(route, httpsEdgeRouteView(route, request.link));
    },
  },
  {
    method: "GET",
    path: ONE,
    status: 200,
    operation: {
      id: "getHttpsEdgeRoute",
      kind: "httpsEdgeRoute",
      summary: "Returns a route of an HTTPS edge.",
      refusals: ["NOT_FOUND"],
    },
    answer: httpsEdgeRouteAnswer,
    async handle(request) {
      const route = await get(request);
      return shows(route, httpsEdgeRouteView(route, request.link));
    },
  },
  listEndpoint({
    kind: "httpsEdgeRoute",
    path: LIST,
    listKey: "routes",
    answer: httpsEdgeRouteAnswer,
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
    operation: {
      id: "updateHttpsEdgeRoute",
      kind: "httpsEdgeRoute",
      summary:
        "Changes a route of an HTTPS edge. A field or module that is absent or null keeps its value; a module that is given replaces the old one.",
      refusals: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
    },
    takes: {
      name: "UpdateHttpsEdgeRoute",
      rule: documented.update,
      tolerates: tolerates.update,
      example: { match: "/v2", compression: { enabled: false } },
    },
    answer: httpsEdgeRouteAnswer,
    lock,
    async handle(request) {
      const body = mended(bodyWithoutPathIds(request), [UNSET_TEXTS_LEAVE]);
      const input = parse(inputs.update, body);
      const route = await updateHttpsEdgeRoute(
        request.context,
        idOf(request),
        withoutNulls(input),
        edgeIdOf(request),
      );
      return shows(route, httpsEdgeRouteView(route, request.link));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    status: 204,
    operation: {
      id: "deleteHttpsEdgeRoute",
      kind: "httpsEdgeRoute",
      summary: "Deletes a route of an HTTPS edge.",
      refusals: ["FORBIDDEN", "NOT_FOUND"],
    },
    answer: null,
    lock,
    async handle(request) {
      await deleteHttpsEdgeRoute(request.context, idOf(request), edgeIdOf(request));
      return NO_BODY;
    },
  },
  ...moduleEndpoints({
    kind: "httpsEdgeRoute",
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
const UNSET_TEXTS_LEAVE: Tolerance = {
  mend(body) {
    if (body.match !== "" || body.matchType !== "") return body;
    return without(body, (name, value) => TEXTS.has(name) && value === "");
  },
};

const TEXTS: ReadonlySet<string> = new Set(["description", "metadata"]);
