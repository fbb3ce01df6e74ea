import { tcpEdgeList, tcpEdgesUsingBackendList } from "../domain/lists/filters/tcp-edges.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { REFERENCES } from "../domain/storage/graph.js";
import {
  createTcpEdge,
  deleteTcpEdge,
  nestedTcpEdgeInputs,
  type TcpEdge,
  updateTcpEdge,
} from "../domain/tcp-edges.js";
import { BackendInterface } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { hostportsInput, type InputFields } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import { pageArguments } from "./builder/pages.js";
import { collection } from "./collection.js";
import { connectionEdgeFilter } from "./connection-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { tcpEdgeModuleFields, tcpEdgeModuleInputFields } from "./modules/index.js";
import { TcpEdgeModuleFilter } from "./modules/kinds.js";
import { listField } from "./reads/links.js";

const TcpEdgeType = builder.objectRef<TcpEdge>("TcpEdge").implement({
  description: "Forwards the TCP connections to its hostports to its backend, as they are.",
  interfaces: [Node],
  fields: (t) => ({
    hostports: t.stringList({
      description: "Where it is served, as `host:port`, in the order given.",
      resolve: ({ hostports }) => [...hostports],
    }),
    ...tcpEdgeModuleFields(t),
  }),
});

const fields = (t: InputFields) => ({
  hostports: hostportsInput(t),
  ...tcpEdgeModuleInputFields(t),
});

export const tcpEdges = collection({
  kind: "tcpEdge",
  plural: "tcpEdges",
  type: TcpEdgeType,
  list: tcpEdgeList,
  filter: connectionEdgeFilter(TcpEdgeModuleFilter),
  searched: "description, metadata or a hostport",
  create: { rule: nestedTcpEdgeInputs.create, fields, run: createTcpEdge },
  update: {
    rule: nestedTcpEdgeInputs.update,
    inputNote: "A module that is null is removed; a module that is given replaces the old one.",
    fields,
    run: updateTcpEdge,
  },
  remove: { run: deleteTcpEdge },
});

builder.interfaceField(BackendInterface, "tcpEdges", (t) =>
  t.field({
    type: tcpEdges.connection,
    description: "The TCP edges that forward directly to this backend.",
    args: listArguments(t, tcpEdges),
    ...listField(tcpEdgesUsingBackendList),
  }),
);

builder.objectField(IpPolicyType, "tcpEdges", (t) =>
  t.field({
    type: tcpEdges.connection,
    description: "The TCP edges whose IP restriction has this policy.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("tcpEdge"),
      reference: REFERENCES.ipPoliciesOfTcpEdge,
    }),
  }),
);
