import { Prisma } from "../../../database/index.js";
import { hostport } from "../../formats/networks.js";
import type { Condition } from "../sequences.js";
import { includes, listOf } from "./filter.js";
import { HTTPS_EDGE, HTTPS_EDGE_ROUTE, hasModule, itemHasModule, moduleMember } from "./modules.js";
import { usesBackend } from "./use.js";

/** The edges with a route that meets `condition`, which is about `route`. */
const hasRoute = (condition: Condition) =>
  Prisma.sql`EXISTS (SELECT FROM https_edge_routes AS route
    WHERE route.edge_id = item.id AND ${condition})`;

export const httpsEdgeList = listOf({
  kinds: ["httpsEdge"],
  members: {
    hostport: includes("https_edges", "hostports", hostport),
    module: moduleMember([...HTTPS_EDGE, ...HTTPS_EDGE_ROUTE], (filter) =>
      HTTPS_EDGE.includes(filter.kind)
        ? itemHasModule("httpsEdge", filter)
        : hasRoute(hasModule("route", filter)),
    ),
    backendId: usesBackend((backends) => hasRoute(Prisma.sql`route.backend_id = ANY(${backends})`)),
  },
});
