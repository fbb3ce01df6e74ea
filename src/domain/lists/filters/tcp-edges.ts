import { Prisma } from "../../../database/index.js";
import { moduleNamesOf } from "../../modules/index.js";
import { REFERENCES } from "../../storage/graph.js";
import { HOSTPORT } from "../orders.js";
import { hasHostport, listOf } from "./filter.js";
import { itemHasModule, moduleMember } from "./modules.js";
import { usesBackend } from "./use.js";

export const tcpEdgeList = listOf({
  kinds: ["tcpEdge"],
  orders: [HOSTPORT],
  members: {
    hostport: hasHostport("tcpEdge"),
    module: moduleMember(moduleNamesOf("tcpEdge"), (filter) => itemHasModule("tcpEdge", filter)),
    backendId: usesBackend((backends) => Prisma.sql`item.backend_id = ANY(${backends})`),
  },
});

export const tcpEdgesUsingBackendList = {
  sequence: tcpEdgeList,
  reference: REFERENCES.backendOfTcpEdge,
};
