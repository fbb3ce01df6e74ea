import { Prisma } from "../../../database/index.js";
import { hostport } from "../../formats/networks.js";
import { moduleNamesOf } from "../../modules/index.js";
import { REFERENCES } from "../../storage/graph.js";
import { includes, listOf } from "./filter.js";
import { itemHasModule, moduleMember } from "./modules.js";
import { usesBackend } from "./use.js";

export const tlsEdgeList = listOf({
  kinds: ["tlsEdge"],
  members: {
    hostport: includes("tls_edges", "hostports", hostport),
    module: moduleMember(moduleNamesOf("tlsEdge"), (filter) => itemHasModule("tlsEdge", filter)),
    backendId: usesBackend((backends) => Prisma.sql`item.backend_id = ANY(${backends})`),
  },
});

export const tlsEdgesUsingBackendList = {
  sequence: tlsEdgeList,
  reference: REFERENCES.backendOfTlsEdge,
};
