import { type Backend, backendsById } from "../domain/backends.js";
import { parentsOfBackend } from "../domain/related.js";
import { builder, Node } from "./builder.js";
import { connectionOf, pageArguments, relatedPageOf } from "./connections.js";

const TYPE_NAMES = {
  failover: "FailoverBackend",
  http_response: "HttpResponseBackend",
  static: "StaticBackend",
  tunnel_group: "TunnelGroupBackend",
  weighted: "WeightedBackend",
} as const satisfies Record<Backend["kind"], string>;

/** Whatever the kind: everything that refers to a backend takes any. */
export const BackendInterface = builder.interfaceRef<Backend>("Backend").implement({
  description:
    "Where an edge, a route or another backend sends requests. Each kind is a type of its own.",
  interfaces: [Node],
  resolveType: ({ kind }) => TYPE_NAMES[kind],
});

const BackendConnection = connectionOf(BackendInterface, "Backend", "backends of any kind");

builder.interfaceField(BackendInterface, "parents", (t) =>
  t.field({
    type: BackendConnection,
    description: "The failover and weighted backends that have this one as a child.",
    args: pageArguments(t),
    resolve: ({ id }, args, context) =>
      relatedPageOf(context, parentsOfBackend, backendsById, id, args),
  }),
);
