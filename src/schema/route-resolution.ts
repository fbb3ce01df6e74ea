import { brandWithType } from "@pothos/core";
import {
  type AppliedModule,
  MOST_OTHER_EDGES,
  type RouteResolution,
  resolveRoute,
} from "../domain/questions/route-resolution.js";
import { builder, Node } from "./builder/builder.js";
import { HttpsEdgeRouteType } from "./https-edge-routes.js";
import { HttpsEdgeType } from "./https-edges.js";
import { ModuleKind } from "./modules/kinds.js";
import { Module } from "./modules/module.js";
import { MODULE_TYPES } from "./modules/types.js";
import { loadNodes } from "./reads/reads.js";
import { contextForSelected } from "./reads/secrets.js";

const AppliedModuleType = builder.objectRef<AppliedModule>("AppliedModule").implement({
  description: "A module that acts on a request.",
  fields: (t) => ({
    kind: t.expose("kind", { type: ModuleKind, description: "Which module." }),
    module: t.field({
      type: Module,
      description: "Its settings, of the type that its kind has.",
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
  description: "What becomes of a request.",
  values: {
    ROUTED: { value: "routed", description: "A route of an HTTPS edge matches it." },
    NO_ROUTE: {
      value: "no_route",
      description: "An HTTPS edge has the hostport, but none of its routes matches.",
    },
    TLS_EDGE: {
      value: "tls_edge",
      description:
        "Only TLS edges have the hostport: they forward the connection, and have no routes.",
    },
    NO_EDGE: { value: "no_edge", description: "No edge has a hostport that matches." },
  } as const,
});

const RouteResolutionType = builder.objectRef<RouteResolution>("RouteResolution").implement({
  description: "Which edge and route serve a URL.",
  fields: (t) => ({
    outcome: t.expose("outcome", {
      type: OutcomeType,
      description: "What becomes of the request; says why there is no edge or route.",
    }),
    hostport: t.string({
      description:
        "Where the request goes, as `host:port`: in lower case, and an internationalized name in ASCII.",
      resolve: ({ target: { host, port } }) => `${host}:${port}`,
    }),
    path: t.string({
      description:
        "The path that routes are compared with: as written, without query and fragment.",
      resolve: ({ target: { path } }) => path,
    }),
    matchedHostport: t.exposeString("matchedHostport", {
      nullable: true,
      description:
        "The edge's hostport that matches, in lower case: `hostport` itself or a wildcard. Null when none does.",
    }),
    edge: t.expose("edge", {
      type: HttpsEdgeType,
      nullable: true,
      description: "The HTTPS edge that serves it; null when there is none.",
    }),
    route: t.expose("route", {
      type: HttpsEdgeRouteType,
      nullable: true,
      description: "The route of that edge that matches; null when none does.",
    }),
    modules: t.field({
      type: [AppliedModuleType],
      description:
        "The enabled modules of the edge and the route, in the order in which they act: TLS termination, mutual TLS, IP restriction, user agent filter, circuit breaker, webhook verification, OAuth or OpenID Connect or SAML, request headers, traffic policy, WebSocket TCP converter, backend, and for the response compression and response headers.",
      resolve: ({ modules }) => [...modules],
    }),
    otherEdges: t.field({
      type: [Node],
      description: `Other edges with the same hostport: HTTPS edges, which are newer than the one that serves, then TLS edges. Each kind oldest first, at most ${MOST_OTHER_EDGES} in all.`,
      resolve: ({ otherEdgeIds }, _, context, info) => loadNodes(context, info, otherEdgeIds),
    }),
  }),
});

builder.queryField("resolveRoute", (t) =>
  t.field({
    type: RouteResolutionType,
    nullable: true,
    description:
      "Which edge and route serve a URL. The edge is the one with the very `host:port` before one with a wildcard (`*.` stands for one label or more; the longest wins), the oldest HTTPS edge if several have it. Of its routes one for the very hostname comes before one for a wildcard hostname (the longest first), and that before one for any hostname; then EXACT_PATH before the longest PATH_PREFIX, which is compared as text, so that `/ap` is a prefix of `/api`. A match that is a hostname alone is for every path. Letter case counts in paths, not in hostnames. Null, beside an error, when the URL cannot be read.",
    args: {
      url: t.arg.string({
        required: true,
        description:
          "Such as `https://example.com/path`, at most 8192 bytes. The port is 443 by default; query and fragment do not matter. The path is compared as it is written: percent-encoding, `.` and `..` stay.",
      }),
    },
    extensions: { cost: SEARCH_COST },
    resolve: (_, { url }, context, info) => resolveRoute(contextForSelected(context, info), url),
  }),
);
