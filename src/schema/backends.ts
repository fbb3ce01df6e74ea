import { type Backend, backendsById } from "../domain/backends.js";
import { backendList, backendLists } from "../domain/filters/backends.js";
import { parentsOfBackend } from "../domain/related.js";
import { builder, Node } from "./builder.js";
import { connectionOf, pageArguments, relatedPageOf } from "./connections.js";
import { listArguments, listInputs, listPageOf } from "./lists.js";
import type { InputFields } from "./modules/module.js";

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

const BackendKindEnum = builder.enumType("BackendKind", {
  description: "A kind of backend.",
  values: {
    FAILOVER: { value: "failover", description: "Tries its children in order." },
    HTTP_RESPONSE: { value: "http_response", description: "Answers with the same response." },
    STATIC: { value: "static", description: "Forwards to one address." },
    TUNNEL_GROUP: { value: "tunnel_group", description: "Forwards to tunnels by their labels." },
    WEIGHTED: { value: "weighted", description: "Spreads over its children by their weights." },
  } as const,
});

/** What the filter of every kind of backend has. */
export const unusedBackend = (t: InputFields) => ({
  unused: t.boolean({
    description:
      "True: those that no route, no TLS edge and no other backend refers to. False: all others.",
  }),
});

const backendListInputs = listInputs(
  "Backend",
  "backends",
  (t) => ({
    kind: t.field({ type: BackendKindEnum, description: "Those of this kind." }),
    ...unusedBackend(t),
  }),
  "description, metadata and address",
);

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

builder.queryField("backends", (t) =>
  t.field({
    type: BackendConnection,
    description: "The backends of all kinds; newest first by default.",
    args: listArguments(t, backendListInputs),
    resolve: (_, args, context) => {
      const { kind, ...filter } = args.filter ?? {};
      const list = kind ? backendLists[kind] : backendList;
      return listPageOf(context, { ...args, filter }, list, backendsById);
    },
  }),
);
