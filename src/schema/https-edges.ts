import { MAX_LIST_ITEMS } from "../domain/core/fields.js";
import type { HttpsEdgeRoute } from "../domain/https-edge-routes.js";
import {
  createHttpsEdge,
  deleteHttpsEdge,
  type HttpsEdge,
  httpsEdgeInputs,
  nestedHttpsEdgeInput,
  updateHttpsEdge,
} from "../domain/https-edges.js";
import { routesOfHttpsEdgeList } from "../domain/lists/filters/https-edge-routes.js";
import { httpsEdgeList } from "../domain/lists/filters/https-edges.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { REFERENCES } from "../domain/storage/graph.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import {
  descriptionInput,
  hostportFilter,
  hostportsInput,
  idArgument,
  metadataInput,
} from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { pageArguments } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import {
  HttpsEdgeRouteConnection,
  HttpsEdgeRouteType,
  httpsEdgeRouteListInputs,
  NewHttpsEdgeRouteInput,
} from "./https-edge-routes.js";
import { httpsEdgeModuleFields, httpsEdgeModuleInputFields } from "./modules/index.js";
import { HttpsEdgeModuleFilter } from "./modules/kinds.js";
import { listField, readPage, readResource, targetField } from "./reads/reads.js";

export const HttpsEdgeType = builder.objectRef<HttpsEdge>("HttpsEdge").implement({
  description: "Serves HTTPS on its hostports, as its routes say.",
  interfaces: [Node],
  fields: (t) => ({
    hostports: t.stringList({
      description: "Where it is served, as `host:port`, in the order given.",
      resolve: ({ hostports }) => [...hostports],
    }),
    ...httpsEdgeModuleFields(t),
    routes: t.field({
      type: HttpsEdgeRouteConnection,
      description: "What it does with requests; newest route first by default.",
      args: listArguments(t, httpsEdgeRouteListInputs),
      ...listField(routesOfHttpsEdgeList),
    }),
  }),
});

builder.objectField(HttpsEdgeRouteType, "edge", (t) =>
  t.field({
    type: HttpsEdgeType,
    description: "The edge that it belongs to.",
    ...targetField({
      to: "https_edges",
      member: "edgeId",
      id: ({ edgeId }: HttpsEdgeRoute) => edgeId,
    }),
  }),
);

const HttpsEdgeConnection = connectionOf(HttpsEdgeType, "HttpsEdge", "HTTPS edges");

builder.objectField(CertificateAuthorityType, "httpsEdges", (t) =>
  t.field({
    type: HttpsEdgeConnection,
    description: "The HTTPS edges whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("httpsEdge"),
      reference: REFERENCES.certificateAuthoritiesOfHttpsEdge,
    }),
  }),
);

const httpsEdgeListInputs = listInputs(
  "HttpsEdge",
  "HTTPS edges",
  (t) => ({
    hostport: hostportFilter(t),
    module: t.field({
      type: HttpsEdgeModuleFilter,
      description: "Those with this module, or with a route that has it.",
    }),
    backendId: t.id({
      description:
        "Those with a route to this backend, directly or through failover and weighted backends.",
    }),
  }),
  "description, metadata and hostports",
);

const CreateInput = builder
  .inputType("CreateHttpsEdgeInput", {
    description:
      "A new HTTPS edge with its routes and all of their modules: created together, or not at all.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      hostports: hostportsInput(t),
      ...httpsEdgeModuleInputFields(t),
      routes: t.field({
        type: [NewHttpsEdgeRouteInput],
        description: `Its routes: at most ${MAX_LIST_ITEMS}, each match once for its type; none when unspecified.`,
      }),
    }),
  })
  .validate(nestedHttpsEdgeInput);

const UpdateInput = builder
  .inputType("UpdateHttpsEdgeInput", {
    description:
      "Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      hostports: hostportsInput(t),
      ...httpsEdgeModuleInputFields(t),
    }),
  })
  .validate(httpsEdgeInputs.update);

builder.queryFields((t) => ({
  httpsEdge: t.field({
    type: HttpsEdgeType,
    nullable: true,
    description: "One HTTPS edge.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "httpsEdge", id),
  }),
  httpsEdges: t.field({
    type: HttpsEdgeConnection,
    description: "All HTTPS edges; newest first by default.",
    args: listArguments(t, httpsEdgeListInputs),
    resolve: (_, args, context, info) => readPage(context, info, httpsEdgeList, args),
  }),
}));

builder.mutationFields((t) => ({
  createHttpsEdge: t.field({
    type: HttpsEdgeType,
    nullable: true,
    description: "Creates an HTTPS edge with its routes.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The edge." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createHttpsEdge(context, args.input)),
  }),
  updateHttpsEdge: t.field({
    type: HttpsEdgeType,
    nullable: true,
    description: "Changes an HTTPS edge.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "httpsEdge", args, (context, id) =>
        updateHttpsEdge(context, id, args.input),
      ),
  }),
  deleteHttpsEdge: t.id({
    nullable: true,
    description: "Deletes an HTTPS edge with its routes and returns its id.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "httpsEdge", args, deleteHttpsEdge),
  }),
}));
