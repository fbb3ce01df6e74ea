import { Prisma } from "../../../database/index.js";
import { moduleNamesOf } from "../../modules/index.js";
import { HOSTPORT } from "../orders.js";
import type { Condition } from "../sequences.js";
import { hasHostport, listOf } from "./filter.js";
import { hasModule, itemHasModule, moduleMember } from "./modules.js";
import { usesBackend } from "./use.js";

const OWN_MODULES: readonly string[] = moduleNamesOf("httpsEdge");

/** The edges with a route that meets `condition`, which is about `route`. */
const hasRoute = (condition: Condition) =>
  Prisma.sql`EXISTS (SELECT FROM https_edge_routes AS route
    WHERE route.edge_id = item.id AND ${condition})`;

export const httpsEdgeList = listOf({
  kinds: ["httpsEdge"],
  orders: [HOSTPORT],
  members: {
    hostport: hasHostport("httpsEdge"),
    module: moduleMember([...OWN_MODULES, ...moduleNamesOf("httpsEdgeRoute")], (filter) =>
      OWN_MODULES.includes(filter.kind)
        ? itemHasModule("httpsEdge", filter)
        : hasRoute(hasModule("route", filter)),
    ),
    backendId: usesBackend((backends) => hasRoute(Prisma.sql`route.backend_id = ANY(${backends})`)),
  },
});
