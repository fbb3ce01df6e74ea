import { MAX_MATCH_BYTES } from "../domain/formats/route-matches.js";
import { nestedHttpsEdgeRouteInputs } from "../domain/https-edge-route-inputs.js";
import {
  createHttpsEdgeRoute,
  deleteHttpsEdgeRoute,
  type HttpsEdgeRoute,
  updateHttpsEdgeRoute,
} from "../domain/https-edge-routes.js";
import {
  httpsEdgeRouteList,
  routesUsingBackendList,
} from "../domain/lists/filters/https-edge-routes.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { REFERENCES } from "../domain/storage/graph.js";
import { BackendInterface } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { type InputFields, textInputs } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import { pageArguments } from "./builder/pages.js";
import { collection } from "./collection.js";
import { IpPolicyType } from "./ip-policies.js";
import { httpsEdgeRouteModuleFields, httpsEdgeRouteModuleInputFields } from "./modules/index.js";
import { HttpsEdgeRouteModuleFilter } from "./modules/kinds.js";
import { listField } from "./reads/links.js";

const MatchType = builder.enumType("MatchType", {
  description: "The way in which a route compares its `match` with a request.",
  values: {
    EXACT_PATH: {
      value: "exact_path",
      description: "The path of the request is equal to the path of the match.",
    },
    PATH_PREFIX: {
      value: "path_prefix",
      description: "The path of the request starts with the path of the match.",
    },
  } as const,
});

export const HttpsEdgeRouteType = builder.objectRef<HttpsEdgeRoute>("HttpsEdgeRoute").implement({
  description:
    "A rule of an HTTPS edge: it selects requests by hostname and path, and applies its modules to them.",
  interfaces: [Node],
  fields: (t) => ({
    matchType: t.expose("matchType", {
      type: MatchType,
      description: "The way in which `match` is compared with a request.",
    }),
    match: t.exposeString("match", {
      description: "A path, a hostname, or a hostname and a path.",
    }),
    ...httpsEdgeRouteModuleFields(t),
  }),
});

/** The inputs for the match of a new route. */
export function matchInputs(t: InputFields) {
  return {
    matchType: t.field({
      type: MatchType,
      required: true,
      description: "The way in which `match` is compared with a request.",
    }),
    match: t.string({
      required: true,
      description: `A path that starts with \`/\`, a hostname, or both: at most ${MAX_MATCH_BYTES} bytes, unique for its match type in the edge.`,
    }),
  };
}

export const NewHttpsEdgeRouteInput = builder.inputType("NewHttpsEdgeRouteInput", {
  description: "A new route that is created together with its HTTPS edge.",
  fields: (t) => ({
    ...matchInputs(t),
    ...textInputs(t),
    ...httpsEdgeRouteModuleInputFields(t),
  }),
});

export const httpsEdgeRoutes = collection({
  kind: "httpsEdgeRoute",
  plural: "httpsEdgeRoutes",
  type: HttpsEdgeRouteType,
  list: httpsEdgeRouteList,
  filter: (t) => ({
    edgeId: t.id({ description: "Only those of this HTTPS edge." }),
    matchType: t.field({ type: MatchType, description: "Only those with this match type." }),
    match: t.string({
      description: `Only those with exactly this \`match\`: 1 to ${MAX_MATCH_BYTES} bytes, case-sensitive.`,
    }),
    matchPrefix: t.string({
      description: `Only those whose \`match\` starts with this text: 1 to ${MAX_MATCH_BYTES} bytes, case-sensitive.`,
    }),
    module: t.field({
      type: HttpsEdgeRouteModuleFilter,
      description: "Only those with this module.",
    }),
    backendId: t.id({
      description:
        "Only those that send requests to this backend, directly or through failover and weighted backends.",
    }),
  }),
  create: {
    rule: nestedHttpsEdgeRouteInputs.create,
    inputNote: "Its modules are created with it.",
    fields: (t) => ({
      edgeId: t.id({ required: true, description: "The id of the HTTPS edge." }),
      ...matchInputs(t),
      ...httpsEdgeRouteModuleInputFields(t),
    }),
    run: createHttpsEdgeRoute,
  },
  update: {
    rule: nestedHttpsEdgeRouteInputs.update,
    inputNote: "A module that is null is removed; a module that is given replaces the old one.",
    fields: (t) => ({
      matchType: t.field({
        type: MatchType,
        description: "The way in which `match` is compared with a request. Null keeps the value.",
      }),
      match: t.string({
        description: `A path that starts with \`/\`, a hostname, or both: at most ${MAX_MATCH_BYTES} bytes, unique for its match type in the edge. Null keeps the value.`,
      }),
      ...httpsEdgeRouteModuleInputFields(t),
    }),
    run: updateHttpsEdgeRoute,
  },
  remove: { run: deleteHttpsEdgeRoute },
});

builder.interfaceField(BackendInterface, "httpsEdgeRoutes", (t) =>
  t.field({
    type: httpsEdgeRoutes.connection,
    description: "The HTTPS edge routes that send requests directly to this backend.",
    args: listArguments(t, httpsEdgeRoutes),
    ...listField(routesUsingBackendList),
  }),
);

builder.objectField(IpPolicyType, "httpsEdgeRoutes", (t) =>
  t.field({
    type: httpsEdgeRoutes.connection,
    description: "The HTTPS edge routes whose IP restriction has this policy.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("httpsEdgeRoute"),
      reference: REFERENCES.ipPoliciesOfRoute,
    }),
  }),
);
