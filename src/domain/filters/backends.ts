import { Prisma } from "../../database/index.js";
import { type BackendKind, hasIdOfKind } from "../backends.js";
import type { ResourceKind } from "../ids.js";
import type { List } from "../lists.js";
import { BACKENDS } from "../references.js";
import { listOf } from "./filter.js";
import { unused } from "./use.js";

const shared = {
  table: "backends",
  searched: Prisma.sql`coalesce(item.address, '')`,
};

const listOfKind = (kind: BackendKind, resource: ResourceKind) =>
  listOf({
    ...shared,
    kinds: [resource],
    members: { unused: unused(resource) },
    always: [hasIdOfKind(Prisma.sql`item.id`, kind)],
  });

/** The backends of each kind. */
export const backendLists = {
  failover: listOfKind("failover", "failoverBackend"),
  http_response: listOfKind("http_response", "httpResponseBackend"),
  static: listOfKind("static", "staticBackend"),
  tunnel_group: listOfKind("tunnel_group", "tunnelGroupBackend"),
  weighted: listOfKind("weighted", "weightedBackend"),
} satisfies Record<BackendKind, List>;

/** Backends of all kinds. Those of one kind are found faster by the list of that. */
export const backendList = listOf({
  ...shared,
  kinds: BACKENDS,
  members: { unused: unused(...BACKENDS) },
});
