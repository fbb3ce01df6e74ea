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
import { hostportFilter, hostportsInput } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import { pageArguments } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { collection } from "./collection.js";
import {
  HttpsEdgeRouteType,
  httpsEdgeRoutes,
  NewHttpsEdgeRouteInput,
} from "./https-edge-routes.js";
import { httpsEdgeModuleFields, httpsEdgeModuleInputFields } from "./modules/index.js";
import { HttpsEdgeModuleFilter } from "./modules/kinds.js";
import { listField, targetField } from "./reads/links.js";

export const HttpsEdgeType = builder.objectRef<HttpsEdge>("HttpsEdge").implement({
  description: "Serves HTTPS on its hostports. Its routes decide how each request is handled.",
  interfaces: [Node],
  fields: (t) => ({
    hostports: t.stringList({
      description: "Where it is served, as `host:port`, in the order given.",
      resolve: ({ hostports }) => [...hostports],
    }),
    ...httpsEdgeModuleFields(t),
    routes: t.field({
      type: httpsEdgeRoutes.connection,
      description: "The routes, which decide how each request is handled; newest first by default.",
      args: listArguments(t, httpsEdgeRoutes),
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

export const httpsEdges = collection({
  kind: "httpsEdge",
  plural: "httpsEdges",
  type: HttpsEdgeType,
  list: httpsEdgeList,
  filter: (t) => ({
    hostport: hostportFilter(t),
    module: t.field({
      type: HttpsEdgeModuleFilter,
      description: "Only those that have this module, or a route that has it.",
    }),
    backendId: t.id({
      description:
        "Only those with a route that sends requests to this backend, directly or through failover and weighted backends.",
    }),
  }),
  searched: "description, metadata or a hostport",
  create: {
    note: "Its routes are created with it.",
    rule: nestedHttpsEdgeInput,
    inputNote:
      "Its routes and all of their modules are created with it; on an error nothing is created.",
    fields: (t) => ({
      hostports: hostportsInput(t),
      ...httpsEdgeModuleInputFields(t),
      routes: t.field({
        type: [NewHttpsEdgeRouteInput],
        description: `Its routes: at most ${MAX_LIST_ITEMS}, each match once for its type; default none.`,
      }),
    }),
    run: createHttpsEdge,
  },
  update: {
    rule: httpsEdgeInputs.update,
    inputNote: "A module that is null is removed; a module that is given replaces the old one.",
    fields: (t) => ({ hostports: hostportsInput(t), ...httpsEdgeModuleInputFields(t) }),
    run: updateHttpsEdge,
  },
  remove: { note: "Its routes are deleted with it.", run: deleteHttpsEdge },
});

builder.objectField(CertificateAuthorityType, "httpsEdges", (t) =>
  t.field({
    type: httpsEdges.connection,
    description: "The HTTPS edges whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("httpsEdge"),
      reference: REFERENCES.certificateAuthoritiesOfHttpsEdge,
    }),
  }),
);
