import { z } from "zod";
import { getOne } from "../domain/reads/read.js";
import { createTlsEdge, deleteTlsEdge, tlsEdgeInputs, updateTlsEdge } from "../domain/tls-edges.js";
import { row } from "./contract/answers.js";
import { collection, idOf, timestamp } from "./contract/contract.js";
import { moduleAnswers, moduleViews, showModules } from "./contract/module-views.js";
import { moduleEndpoints } from "./contract/modules.js";
import { formerPolicyEndpoints, withStructuredPolicy } from "./contract/structured-policies.js";

const PATH = "/edges/tls";

const modules = moduleViews("tlsEdge");

export const tlsEdges = [
  ...collection({
    kind: "tlsEdge",
    path: PATH,
    listKey: "tls_edges",
    answer: z.strictObject({
      ...row("tlsEdge"),
      hostports: z.array(z.string()),
      ...moduleAnswers(modules),
    }),
    example: { hostports: ["mail.example.com:993"], tlsTermination: { minVersion: "1.2" } },
    ...withStructuredPolicy("tlsEdge", tlsEdgeInputs),
    create: createTlsEdge,
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
  ...moduleEndpoints({
    kind: "tlsEdge",
    path: `${PATH}/:id`,
    rule: tlsEdgeInputs.update,
    views: modules,
    get: (request) => getOne(request.context, "tlsEdge", idOf(request)),
    update: (request, input) => updateTlsEdge(request.context, idOf(request), input),
  }),
  ...formerPolicyEndpoints(`${PATH}/:id`),
];
