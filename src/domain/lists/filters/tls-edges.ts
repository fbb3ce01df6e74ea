import { Prisma } from "../../../database/index.js";
import { moduleNamesOf } from "../../modules/index.js";
import { REFERENCES } from "../../storage/graph.js";
import { HOSTPORT } from "../orders.js";
import { hasHostport, listOf } from "./filter.js";
import { itemHasModule, moduleMember } from "./modules.js";
import { usesBackend } from "./use.js";

export const tlsEdgeList = listOf({
  kinds: ["tlsEdge"],
  orders: [HOSTPORT],
  members: {
    hostport: hasHostport("tlsEdge"),
    module: moduleMember(moduleNamesOf("tlsEdge"), (filter) => itemHasModule("tlsEdge", filter)),
    backendId: usesBackend((backends) => Prisma.sql`item.backend_id = ANY(${backends})`),
  },
});

export const tlsEdgesUsingBackendList = {
  sequence: tlsEdgeList,
  reference: REFERENCES.backendOfTlsEdge,
};
