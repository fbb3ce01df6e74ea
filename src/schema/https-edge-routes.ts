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
import { listField } from "./reads/reads.js";

const MatchType = builder.enumType("MatchType", {
  description: "How a route compares its `match` with a request.",
  values: {
    EXACT_PATH: { value: "exact_path", description: "The path is the same." },
    PATH_PREFIX: { value: "path_prefix", description: "The path begins with it." },
  } as const,
});

export const HttpsEdgeRouteType = builder.objectRef<HttpsEdgeRoute>("HttpsEdgeRoute").implement({
  description: "What an HTTPS edge does with the requests that it matches.",
  interfaces: [Node],
  fields: (t) => ({
    matchType: t.expose("matchType", {
      type: MatchType,
      description: "How `match` is compared with a request.",
    }),
    match: t.exposeString("match", {
      description: "A path, a hostname, or a hostname and a path.",
    }),
    ...httpsEdgeRouteModuleFields(t),
  }),
});

/** How a new route matches. */
export function matchInputs(t: InputFields) {
  return {
    matchType: t.field({
      type: MatchType,
      required: true,
      description: "How `match` is compared with a request.",
    }),
    match: t.string({
      required: true,
      description: `A path that starts with \`/\`, a hostname, or both: at most ${MAX_MATCH_BYTES} bytes, unique for its type within the edge.`,
    }),
  };
}

export const NewHttpsEdgeRouteInput = builder.inputType("NewHttpsEdgeRouteInput", {
  description: "A route that is created together with its HTTPS edge, with its modules.",
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
    edgeId: t.id({ description: "Those of this HTTPS edge." }),
    matchType: t.field({ type: MatchType, description: "Those that compare in this way." }),
    match: t.string({
      description: `Those with exactly this \`match\`: 1 to ${MAX_MATCH_BYTES} bytes, the case of letters counts.`,
    }),
    matchPrefix: t.string({
      description: `Those whose \`match\` begins with this: 1 to ${MAX_MATCH_BYTES} bytes, the case of letters counts.`,
    }),
    module: t.field({ type: HttpsEdgeRouteModuleFilter, description: "Those with this module." }),
    backendId: t.id({
      description:
        "Those that send to this backend, directly or through failover and weighted backends.",
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
    inputNote: "A module that is null is removed, and one that is given replaces the old one.",
    fields: (t) => ({
      matchType: t.field({ type: MatchType, description: "Null leaves it as it is." }),
      match: t.string({
        description: `As on create, at most ${MAX_MATCH_BYTES} bytes. Null leaves it as it is.`,
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
    description: "The HTTPS edge routes that send requests to it.",
    args: listArguments(t, httpsEdgeRoutes),
    ...listField(routesUsingBackendList),
  }),
);

builder.objectField(IpPolicyType, "httpsEdgeRoutes", (t) =>
  t.field({
    type: httpsEdgeRoutes.connection,
    description: "The HTTPS edge routes that check it.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("httpsEdgeRoute"),
      reference: REFERENCES.ipPoliciesOfRoute,
    }),
  }),
);
