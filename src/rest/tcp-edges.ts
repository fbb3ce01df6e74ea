import { z } from "zod";
import { getOne } from "../domain/reads/read.js";
import { createTcpEdge, deleteTcpEdge, tcpEdgeInputs, updateTcpEdge } from "../domain/tcp-edges.js";
import { row } from "./contract/answers.js";
import { collection, idOf, timestamp } from "./contract/contract.js";
import { moduleAnswers, moduleViews, showModules } from "./contract/module-views.js";
import { moduleEndpoints } from "./contract/modules.js";
import { formerPolicyEndpoints, withStructuredPolicy } from "./contract/structured-policies.js";

const PATH = "/edges/tcp";

const modules = moduleViews("tcpEdge");

export const tcpEdges = [
  ...collection({
    kind: "tcpEdge",
    path: PATH,
    listKey: "tcp_edges",
    answer: z.strictObject({
      ...row("tcpEdge"),
      hostports: z.array(z.string()),
      ...moduleAnswers(modules),
    }),
    example: { hostports: ["1.tcp.eu.example.com:20000"] },
    ...withStructuredPolicy("tcpEdge", tcpEdgeInputs),
    create: createTcpEdge,
    update: updateTcpEdge,
    remove: deleteTcpEdge,
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
    kind: "tcpEdge",
    path: `${PATH}/:id`,
    rule: tcpEdgeInputs.update,
    views: modules,
    get: (request) => getOne(request.context, "tcpEdge", idOf(request)),
    update: (request, input) => updateTcpEdge(request.context, idOf(request), input),
  }),
  ...formerPolicyEndpoints(`${PATH}/:id`),
];
