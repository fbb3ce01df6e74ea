import {
  createTlsEdge,
  deleteTlsEdge,
  getTlsEdge,
  listTlsEdges,
  type TlsEdge,
  tlsEdgeInputs,
  updateTlsEdge,
} from "../domain/tls-edges.js";
import { collection, idOf, timestamp } from "./contract/contract.js";
import * as show from "./contract/module-views.js";
import { type ModuleViews, moduleRows, showModules } from "./contract/modules.js";

const PATH = "/edges/tls";

const modules: ModuleViews<TlsEdge> = {
  backend: ({ backend }, link) => backend && show.backend(backend, link),
  ip_restriction: ({ ipRestriction }, link) =>
    ipRestriction && show.ipRestriction(ipRestriction, link),
  mutual_tls: ({ mutualTls }, link) => mutualTls && show.mutualTls(mutualTls, link),
  tls_termination: ({ tlsTermination }) => tlsTermination && show.tlsTermination(tlsTermination),
  traffic_policy: ({ trafficPolicy }) => trafficPolicy && show.trafficPolicy(trafficPolicy),
};

export const tlsEdges = [
  ...collection({
    kind: "tlsEdge",
    path: PATH,
    listKey: "tls_edges",
    inputs: tlsEdgeInputs,
    create: createTlsEdge,
    get: getTlsEdge,
    list: listTlsEdges,
    update: updateTlsEdge,
    remove: deleteTlsEdge,
    view: (edge, link) => ({
      id: edge.id,
      description: edge.description,
      metadata: edge.metadata,
      created_at: timestamp(edge.createdAt),
      uri: link(`${PATH}/${edge.id}`),
      hostports: edge.hostports,
      ...showModules(modules, edge, link),
    }),
  }),
  ...moduleRows({
    path: `${PATH}/:id`,
    rule: tlsEdgeInputs.update,
    views: modules,
    get: (request) => getTlsEdge(request.context, idOf(request)),
    update: (request, input) => updateTlsEdge(request.context, idOf(request), input),
  }),
];
