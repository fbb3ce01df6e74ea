import { tlsEdgeList, tlsEdgesUsingBackendList } from "../domain/lists/filters/tls-edges.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { REFERENCES } from "../domain/storage/graph.js";
import {
  createTlsEdge,
  deleteTlsEdge,
  nestedTlsEdgeInputs,
  type TlsEdge,
  updateTlsEdge,
} from "../domain/tls-edges.js";
import { BackendInterface } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { hostportsInput, type InputFields } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import { pageArguments } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { collection } from "./collection.js";
import { connectionEdgeFilter } from "./connection-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { tlsEdgeModuleFields, tlsEdgeModuleInputFields } from "./modules/index.js";
import { TlsEdgeModuleFilter } from "./modules/kinds.js";
import { listField } from "./reads/links.js";

const TlsEdgeType = builder.objectRef<TlsEdge>("TlsEdge").implement({
  description: "Serves TLS on its hostports and forwards the connections to its backend.",
  interfaces: [Node],
  fields: (t) => ({
    hostports: t.stringList({
      description: "Where it is served, as `host:port`, in the order given.",
      resolve: ({ hostports }) => [...hostports],
    }),
    ...tlsEdgeModuleFields(t),
  }),
});

const fields = (t: InputFields) => ({
  hostports: hostportsInput(t),
  ...tlsEdgeModuleInputFields(t),
});

export const tlsEdges = collection({
  kind: "tlsEdge",
  plural: "tlsEdges",
  type: TlsEdgeType,
  list: tlsEdgeList,
  filter: connectionEdgeFilter(TlsEdgeModuleFilter),
  searched: "description, metadata or a hostport",
  create: { rule: nestedTlsEdgeInputs.create, fields, run: createTlsEdge },
  update: {
    rule: nestedTlsEdgeInputs.update,
    inputNote: "A module that is null is removed; a module that is given replaces the old one.",
    fields,
    run: updateTlsEdge,
  },
  remove: { run: deleteTlsEdge },
});

builder.interfaceField(BackendInterface, "tlsEdges", (t) =>
  t.field({
    type: tlsEdges.connection,
    description: "The TLS edges that forward directly to this backend.",
    args: listArguments(t, tlsEdges),
    ...listField(tlsEdgesUsingBackendList),
  }),
);

builder.objectField(CertificateAuthorityType, "tlsEdges", (t) =>
  t.field({
    type: tlsEdges.connection,
    description: "The TLS edges whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("tlsEdge"),
      reference: REFERENCES.certificateAuthoritiesOfTlsEdge,
    }),
  }),
);

builder.objectField(IpPolicyType, "tlsEdges", (t) =>
  t.field({
    type: tlsEdges.connection,
    description: "The TLS edges whose IP restriction has this policy.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("tlsEdge"),
      reference: REFERENCES.ipPoliciesOfTlsEdge,
    }),
  }),
);
