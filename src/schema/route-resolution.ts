import { brandWithType } from "@pothos/core";
import { parse } from "../domain/core/fields.js";
import { MAX_URL_BYTES } from "../domain/formats/request-urls.js";
import { NAMES_IN_ORDER_OF_ACTION } from "../domain/modules/index.js";
import {
  type AppliedModule,
  MOST_OTHER_EDGES,
  type RouteResolution,
  resolveRoute,
  routeArguments,
} from "../domain/questions/route-resolution.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder, Node } from "./builder/builder.js";
import { HttpsEdgeRouteType } from "./https-edge-routes.js";
import { HttpsEdgeType } from "./https-edges.js";
import { ModuleKind } from "./modules/kinds.js";
import { Module } from "./modules/module.js";
import { MODULE_TYPES } from "./modules/types.js";
import { loadNodes } from "./reads/reads.js";
import { contextForSelected } from "./reads/secrets.js";

const AppliedModuleType = builder.objectRef<AppliedModule>("AppliedModule").implement({
  description: "A module that is applied to a request.",
  fields: (t) => ({
    kind: t.expose("kind", { type: ModuleKind, description: "The kind of the module." }),
    module: t.field({
      type: Module,
      description: "The settings of the module.",
      resolve: ({ kind, settings }) => {
        const module = { ...settings };
        brandWithType(module, MODULE_TYPES[kind].type);
        return module;
      },
    }),
  }),
});

/** Points: it looks as often into indexes as an edge has routes. */
const SEARCH_COST = 10;

const OutcomeType = builder.enumType("RouteResolutionOutcome", {
  description: "The outcome of a request.",
  values: {
    ROUTED: { value: "routed", description: "A route of an HTTPS edge matches." },
    NO_ROUTE: {
      value: "no_route",
      description: "An HTTPS edge has the hostport, but none of its routes match.",
    },
    TLS_EDGE: {
      value: "tls_edge",
      description:
        "No HTTPS edge has the hostport, but a TLS edge has. It forwards the connection and has no routes.",
    },
    TCP_EDGE: {
      value: "tcp_edge",
      description:
        "Only TCP edges have the hostport. They forward the connection and have no routes.",
    },
    NO_EDGE: { value: "no_edge", description: "No edge has a hostport that matches." },
  } as const,
});

const RouteResolutionType = builder.objectRef<RouteResolution>("RouteResolution").implement({
  description: "The edge and the route that serve a URL.",
  fields: (t) => ({
    outcome: t.expose("outcome", {
      type: OutcomeType,
      description: "The outcome of the request. It explains why there is no edge or route.",
    }),
    hostport: t.string({
      description:
        "The destination of the request as `host:port`, in lower case. An internationalized name is in its ASCII form.",
      resolve: ({ target: { host, port } }) => `${host}:${port}`,
    }),
    path: t.string({
      description:
        "The path that is compared with routes: as written in the URL, without query and fragment.",
      resolve: ({ target: { path } }) => path,
    }),
    matchedHostport: t.exposeString("matchedHostport", {
      nullable: true,
      description:
        "The hostport of the edge that matches, in lower case: `hostport` itself or a wildcard. Null when none matches.",
    }),
    edge: t.expose("edge", {
      type: HttpsEdgeType,
      nullable: true,
      description: "The HTTPS edge that serves the URL; null when none does.",
    }),
    route: t.expose("route", {
      type: HttpsEdgeRouteType,
      nullable: true,
      description: "The route of this edge that serves the URL; null when none does.",
    }),
    modules: t.field({
      type: [AppliedModuleType],
      description: `The enabled modules of the edge and the route, in the order in which they act: ${NAMES_IN_ORDER_OF_ACTION.map((name) => `\`${name}\``).join(", ")}.`,
      extensions: { holds: NAMES_IN_ORDER_OF_ACTION.length },
      resolve: ({ modules }) => [...modules],
    }),
    otherEdges: t.field({
      type: [Node],
      description: `Other edges with the same hostport: HTTPS edges that are newer than the one that serves, then TLS edges, then TCP edges. Each kind is oldest first, at most ${MOST_OTHER_EDGES} in all.`,
      extensions: { holds: MOST_OTHER_EDGES },
      resolve: ({ otherEdgeIds }, _, context, info) => loadNodes(context, info, otherEdgeIds),
    }),
  }),
});

builder.queryField("resolveRoute", (t) =>
  t.field({
    type: RouteResolutionType,
    nullable: true,
    description:
      "Finds the edge and the route that serve a URL. An edge with exactly this `host:port` wins over an edge with a wildcard; `*.` matches one or more labels, and the longest wildcard wins. If several edges have the hostport, the oldest HTTPS edge serves. Among its routes, a route for exactly this hostname wins over a route for a wildcard hostname (the longest wins), which wins over a route for any hostname. After that, EXACT_PATH wins over the longest PATH_PREFIX. A prefix is compared as text, so `/ap` is a prefix of `/api`. A match with only a hostname matches every path. Paths are case-sensitive, hostnames are not. Null, with an error, when the URL is not valid.",
    args: {
      url: t.arg.string({
        required: true,
        description: `The URL, such as \`https://example.com/path\`, at most ${MAX_URL_BYTES} bytes. The default port is 443. Query and fragment are ignored. The path is compared as written: percent-encoding, \`.\` and \`..\` are not resolved.`,
      }),
    },
    extensions: { cost: SEARCH_COST, ...checkedBy((args) => parse(routeArguments, args)) },
    resolve: (_, { url }, context, info) => resolveRoute(contextForSelected(context, info), url),
  }),
);
