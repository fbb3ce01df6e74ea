import type { BackendKind } from "../domain/core/enumerations.js";
import type { BACKENDS } from "../domain/core/ids.js";
import { backendList } from "../domain/lists/filters/backends.js";
import { failoverBackendList } from "../domain/lists/filters/failover-backends.js";
import { httpResponseBackendList } from "../domain/lists/filters/http-response-backends.js";
import { staticBackendList } from "../domain/lists/filters/static-backends.js";
import { tunnelGroupBackendList } from "../domain/lists/filters/tunnel-group-backends.js";
import { weightedBackendList } from "../domain/lists/filters/weighted-backends.js";
import { type List, sequenceOf } from "../domain/lists/sequences.js";
import { REFERENCES } from "../domain/storage/graph.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder, Node, typeOfNode } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import type { InputFields } from "./builder/inputs.js";
import { type ListArguments, requestOf } from "./builder/list-requests.js";
import { listArguments, listInputs } from "./builder/lists.js";
import { pageArguments } from "./builder/pages.js";
import { BackendRef } from "./builder/resource-types.js";
import { listField } from "./reads/links.js";
import { readPage } from "./reads/reads.js";

type BackendResourceKind = (typeof BACKENDS)[number];

/** The interface of all kinds of backends; every reference to a backend accepts any kind. */
export const BackendInterface = BackendRef.implement({
  description:
    "A destination to which an edge, a route or another backend sends requests. Each kind of backend is a type of its own.",
  interfaces: [Node],
  resolveType: typeOfNode,
});

const BackendKindEnum = builder.enumType("BackendKind", {
  description: "A kind of backend.",
  values: {
    FAILOVER: {
      value: "failover",
      description: "Sends requests to the first child that can serve them.",
    },
    HTTP_RESPONSE: {
      value: "http_response",
      description: "Answers every request with the same response.",
    },
    STATIC: { value: "static", description: "Forwards to one address." },
    TUNNEL_GROUP: {
      value: "tunnel_group",
      description: "Forwards to tunnels that have given labels.",
    },
    WEIGHTED: { value: "weighted", description: "Spreads requests over its children by weight." },
  } as const,
});

/** The filter fields that every kind of backend has. */
export const unusedBackend = (t: InputFields) => ({
  unused: t.boolean({
    description:
      "True: only those that no route, TLS edge, TCP edge or other backend uses. False: only the others.",
  }),
});

const backendListInputs = listInputs(
  "Backend",
  "backends",
  backendList,
  (t) => ({
    kind: t.field({ type: BackendKindEnum, description: "Only those of this kind." }),
    ...unusedBackend(t),
  }),
  "description, metadata or address",
);

const BackendConnection = connectionOf(BackendInterface, "Backend", "backends of any kind");

builder.interfaceField(BackendInterface, "parents", (t) =>
  t.field({
    type: BackendConnection,
    description: "The failover and weighted backends that have this one as a child.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("failoverBackend", ["weightedBackend"]),
      reference: REFERENCES.childrenOfBackend,
    }),
  }),
);

const LISTS_BY_KIND: Readonly<Record<BackendKind, List<BackendResourceKind>>> = {
  failover: failoverBackendList,
  http_response: httpResponseBackendList,
  static: staticBackendList,
  tunnel_group: tunnelGroupBackendList,
  weighted: weightedBackendList,
};

interface BackendListArguments extends ListArguments {
  readonly filter?: { readonly kind?: BackendKind | null | undefined } | null | undefined;
}

/** The kind is no condition but another list. */
function askedBackends(args: BackendListArguments) {
  const { kind, ...filter } = args.filter ?? {};
  const list = (kind && LISTS_BY_KIND[kind]) ?? backendList;
  return { list, args: { ...args, filter } };
}

builder.queryField("backends", (t) =>
  t.field({
    type: BackendConnection,
    nullable: true,
    description: "The backends of all kinds; newest first by default.",
    args: listArguments(t, backendListInputs),
    extensions: checkedBy((args: BackendListArguments) => {
      const asked = askedBackends(args);
      return requestOf(asked.list, asked.args);
    }),
    resolve: (_, args, context, info) => {
      const asked = askedBackends(args);
      return readPage<BackendResourceKind>(context, info, asked.list, asked.args);
    },
  }),
);
