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
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, type InputFields, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { pageArguments } from "./builder/pages.js";
import { IpPolicyType } from "./ip-policies.js";
import { httpsEdgeRouteModuleFields, httpsEdgeRouteModuleInputFields } from "./modules/index.js";
import { HttpsEdgeRouteModuleFilter } from "./modules/kinds.js";
import { listField, readPage, readResource } from "./reads/reads.js";

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

export const HttpsEdgeRouteConnection = connectionOf(
  HttpsEdgeRouteType,
  "HttpsEdgeRoute",
  "HTTPS edge routes",
);

builder.interfaceField(BackendInterface, "httpsEdgeRoutes", (t) =>
  t.field({
    type: HttpsEdgeRouteConnection,
    description: "The HTTPS edge routes that send requests to it.",
    args: listArguments(t, httpsEdgeRouteListInputs),
    ...listField(routesUsingBackendList),
  }),
);

builder.objectField(IpPolicyType, "httpsEdgeRoutes", (t) =>
  t.field({
    type: HttpsEdgeRouteConnection,
    description: "The HTTPS edge routes that check it.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("httpsEdgeRoute"),
      reference: REFERENCES.ipPoliciesOfRoute,
    }),
  }),
);

export const httpsEdgeRouteListInputs = listInputs("HttpsEdgeRoute", "HTTPS edge routes", (t) => ({
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
}));

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
    description: descriptionInput(t),
    metadata: metadataInput(t),
    ...httpsEdgeRouteModuleInputFields(t),
  }),
});

const CreateInput = builder
  .inputType("CreateHttpsEdgeRouteInput", {
    description: "A new route of an HTTPS edge, with its modules.",
    fields: (t) => ({
      edgeId: t.id({ required: true, description: "The id of the HTTPS edge." }),
      ...matchInputs(t),
      description: descriptionInput(t),
      metadata: metadataInput(t),
      ...httpsEdgeRouteModuleInputFields(t),
    }),
  })
  .validate(nestedHttpsEdgeRouteInputs.create);

const UpdateInput = builder
  .inputType("UpdateHttpsEdgeRouteInput", {
    description:
      "Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.",
    fields: (t) => ({
      matchType: t.field({ type: MatchType, description: "Null leaves it as it is." }),
      match: t.string({
        description: `As on create, at most ${MAX_MATCH_BYTES} bytes. Null leaves it as it is.`,
      }),
      description: descriptionInput(t),
      metadata: metadataInput(t),
      ...httpsEdgeRouteModuleInputFields(t),
    }),
  })
  .validate(nestedHttpsEdgeRouteInputs.update);

builder.queryFields((t) => ({
  httpsEdgeRoute: t.field({
    type: HttpsEdgeRouteType,
    nullable: true,
    description: "One route of an HTTPS edge.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "httpsEdgeRoute", id),
  }),
  httpsEdgeRoutes: t.field({
    type: HttpsEdgeRouteConnection,
    description: "The routes of all HTTPS edges; newest first by default.",
    args: listArguments(t, httpsEdgeRouteListInputs),
    resolve: (_, args, context, info) => readPage(context, info, httpsEdgeRouteList, args),
  }),
}));

builder.mutationFields((t) => ({
  createHttpsEdgeRoute: t.field({
    type: HttpsEdgeRouteType,
    nullable: true,
    description: "Creates a route of an HTTPS edge.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The route." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createHttpsEdgeRoute(context, args.input)),
  }),
  updateHttpsEdgeRoute: t.field({
    type: HttpsEdgeRouteType,
    nullable: true,
    description: "Changes a route of an HTTPS edge.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "httpsEdgeRoute", args, (context, id) =>
        updateHttpsEdgeRoute(context, id, args.input),
      ),
  }),
  deleteHttpsEdgeRoute: t.id({
    nullable: true,
    description: "Deletes a route of an HTTPS edge and returns its id.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "httpsEdgeRoute", args, deleteHttpsEdgeRoute),
  }),
}));
