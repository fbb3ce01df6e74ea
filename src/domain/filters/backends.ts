import { z } from "zod";
import { Prisma } from "../../database/index.js";
import { BACKEND_KINDS, type BackendKind, hasIdOfKind } from "../backends.js";
import type { ResourceKind } from "../ids.js";
import { equals, listOf } from "./filter.js";
import { unused } from "./use.js";

const shared = {
  table: "backends",
  searched: Prisma.sql`coalesce(item.address, '')`,
};

const isUnused = unused(
  { table: "backend_children", column: "child_id" },
  { table: "https_edge_routes", column: "backend_id" },
  { table: "tls_edges", column: "backend_id" },
);

const listOfKind = (kind: BackendKind, resource: ResourceKind) =>
  listOf({
    ...shared,
    kinds: [resource],
    members: { unused: isUnused },
    always: [hasIdOfKind(Prisma.sql`item.id`, kind)],
  });

export const failoverBackendList = listOfKind("failover", "failoverBackend");
export const httpResponseBackendList = listOfKind("http_response", "httpResponseBackend");
export const staticBackendList = listOfKind("static", "staticBackend");
export const tunnelGroupBackendList = listOfKind("tunnel_group", "tunnelGroupBackend");
export const weightedBackendList = listOfKind("weighted", "weightedBackend");

/** Backends of all kinds. */
export const backendList = listOf({
  ...shared,
  kinds: [
    "failoverBackend",
    "httpResponseBackend",
    "staticBackend",
    "tunnelGroupBackend",
    "weightedBackend",
  ],
  members: { kind: equals("kind", z.enum(BACKEND_KINDS)), unused: isUnused },
});
