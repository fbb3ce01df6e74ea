import { Prisma } from "../../../database/index.js";
import type { BackendKind } from "../../core/enumerations.js";
import { BACKEND_KINDS, BACKENDS } from "../../core/ids.js";
import { hasIdOfKind } from "../../storage/graph.js";
import type { List } from "../sequences.js";
import { listOf } from "./filter.js";
import { unused } from "./use.js";

const listOfKind = <Kind extends BackendKind>(kind: Kind) =>
  listOf<(typeof BACKEND_KINDS)[Kind]>({
    kinds: [BACKEND_KINDS[kind]],
    members: { unused: unused(BACKEND_KINDS[kind]) },
    always: [hasIdOfKind(Prisma.sql`item.id`, BACKEND_KINDS[kind])],
  });

/** The backends of each kind. */
export const backendLists = {
  failover: listOfKind("failover"),
  http_response: listOfKind("http_response"),
  static: listOfKind("static"),
  tunnel_group: listOfKind("tunnel_group"),
  weighted: listOfKind("weighted"),
} satisfies Record<BackendKind, List>;

/** Backends of all kinds. Those of one kind are found faster by the list of that. */
export const backendList = listOf({
  kinds: BACKENDS,
  members: { unused: unused(...BACKENDS) },
});
