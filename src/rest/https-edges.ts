import { z } from "zod";
import {
  createHttpsEdge,
  deleteHttpsEdge,
  getHttpsEdgeWithRoutes,
  httpsEdgeInputs,
  listHttpsEdgesWithRoutes,
  lockHttpsEdgeWithRoutes,
  updateHttpsEdge,
} from "../domain/https-edges.js";
import { getOne } from "../domain/reads/read.js";
import { row } from "./contract/answers.js";
import { collectionReadBy, idOf, timestamp } from "./contract/contract.js";
import { moduleAnswers, moduleViews, showModules } from "./contract/module-views.js";
import { moduleEndpoints } from "./contract/modules.js";
import { httpsEdgeRouteAnswer, httpsEdgeRouteView } from "./https-edge-routes.js";

const PATH = "/edges/https";

const WITH_ROUTES = {
  get: getHttpsEdgeWithRoutes,
  list: listHttpsEdgesWithRoutes,
  lock: lockHttpsEdgeWithRoutes,
};

const modules = moduleViews("httpsEdge");

export const httpsEdges = [
  ...collectionReadBy(WITH_ROUTES, {
    kind: "httpsEdge",
    path: PATH,
    listKey: "https_edges",
    answer: z.strictObject({
      ...row("httpsEdge"),
      hostports: z.array(z.string()),
      ...moduleAnswers(modules),
      routes: z.array(httpsEdgeRouteAnswer),
    }),
    example: {
      description: "Shop",
      hostports: ["shop.example.com:443"],
      tlsTermination: { minVersion: "1.2" },
    },
    inputs: httpsEdgeInputs,
    create: async (context, input) => ({ ...(await createHttpsEdge(context, input)), routes: [] }),
    async update(context, id, input) {
      await updateHttpsEdge(context, id, input);
      return getHttpsEdgeWithRoutes(context, id);
    },
    remove: deleteHttpsEdge,
    view: (edge, link) => ({
      id: edge.id,
      uri: link(`${PATH}/${edge.id}`),
      created_at: timestamp(edge.createdAt),
      description: edge.description,
      metadata: edge.metadata,
      hostports: edge.hostports,
      ...showModules(modules, edge, link),
      routes: edge.routes.map((route) => httpsEdgeRouteView(route, link)),
    }),
  }),
  ...moduleEndpoints({
    kind: "httpsEdge",
    path: `${PATH}/:id`,
    rule: httpsEdgeInputs.update,
    views: modules,
    get: (request) => getOne(request.context, "httpsEdge", idOf(request)),
    update: (request, input) => updateHttpsEdge(request.context, idOf(request), input),
  }),
];
