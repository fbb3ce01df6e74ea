import { Prisma } from "../../../database/index.js";
import { matchType } from "../../core/enumerations.js";
import { reference, requiredText } from "../../core/fields.js";
import { MAX_MATCH_BYTES } from "../../formats/route-matches.js";
import { moduleNamesOf } from "../../modules/index.js";
import { REFERENCES } from "../../storage/graph.js";
import { MATCH } from "../orders.js";
import { equals, listOf, member } from "./filter.js";
import { itemHasModule, moduleMember } from "./modules.js";
import { literally } from "./search.js";
import { usesBackend } from "./use.js";

const matchText = requiredText(MAX_MATCH_BYTES);
/** The index has the match type first. */
const anyMatchType = Prisma.sql`item.match_type IN (${Prisma.join(matchType.options)})`;

export const httpsEdgeRouteList = listOf({
  kinds: ["httpsEdgeRoute"],
  orders: [MATCH],
  members: {
    edgeId: equals("edge_id", reference("httpsEdge")),
    matchType: equals("match_type", matchType),
    match: member(matchText, (match) => Prisma.sql`${anyMatchType} AND item.match = ${match}`),
    matchPrefix: member(
      matchText,
      (prefix) => Prisma.sql`${anyMatchType} AND item.match LIKE ${`${literally(prefix)}%`}`,
    ),
    module: moduleMember(moduleNamesOf("httpsEdgeRoute"), (filter) =>
      itemHasModule("httpsEdgeRoute", filter),
    ),
    backendId: usesBackend((backends) => Prisma.sql`item.backend_id = ANY(${backends})`),
  },
});

export const routesOfHttpsEdgeList = {
  sequence: httpsEdgeRouteList,
  reference: REFERENCES.edgeOfRoute,
};
export const routesUsingBackendList = {
  sequence: httpsEdgeRouteList,
  reference: REFERENCES.backendOfRoute,
};
