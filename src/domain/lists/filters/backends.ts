import { Prisma } from "../../../database/index.js";
import type { BackendKind } from "../../core/enumerations.js";
import { BACKEND_KINDS, BACKENDS } from "../../core/ids.js";
import { hasIdOfKind } from "../../storage/graph.js";
import { listOf } from "./filter.js";
import { unused } from "./use.js";

/** The list of the backends of one kind. */
export function backendListOf<Kind extends BackendKind>(kind: Kind) {
  const resource = BACKEND_KINDS[kind];
  return listOf<(typeof BACKEND_KINDS)[Kind]>({
    kinds: [resource],
    members: { unused: unused(resource) },
    always: [hasIdOfKind(Prisma.sql`item.id`, resource)],
  });
}

/** Backends of all kinds. Those of one kind are found faster by the list of that. */
export const backendList = listOf({
  kinds: BACKENDS,
  members: { unused: unused(...BACKENDS) },
});
