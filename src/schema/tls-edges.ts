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
import { connectionOf } from "./builder/connections.js";
import {
  descriptionInput,
  hostportFilter,
  hostportsInput,
  idArgument,
  metadataInput,
} from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { pageArguments } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { IpPolicyType } from "./ip-policies.js";
import { tlsEdgeModuleFields, tlsEdgeModuleInputFields } from "./modules/index.js";
import { TlsEdgeModuleFilter } from "./modules/kinds.js";
import { listField, readPage, readResource } from "./reads/reads.js";

const TlsEdgeType = builder.objectRef<TlsEdge>("TlsEdge").implement({
  description: "Serves TLS on its hostports and forwards what the connections carry.",
  interfaces: [Node],
  fields: (t) => ({
    hostports: t.stringList({
      description: "Where it is served, as `host:port`, in the order given.",
      resolve: ({ hostports }) => [...hostports],
    }),
    ...tlsEdgeModuleFields(t),
  }),
});

const TlsEdgeConnection = connectionOf(TlsEdgeType, "TlsEdge", "TLS edges");

builder.interfaceField(BackendInterface, "tlsEdges", (t) =>
  t.field({
    type: TlsEdgeConnection,
    description: "The TLS edges that forward to it.",
    args: listArguments(t, tlsEdgeListInputs),
    ...listField(tlsEdgesUsingBackendList),
  }),
);

builder.objectField(CertificateAuthorityType, "tlsEdges", (t) =>
  t.field({
    type: TlsEdgeConnection,
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
    type: TlsEdgeConnection,
    description: "The TLS edges that check it.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("tlsEdge"),
      reference: REFERENCES.ipPoliciesOfTlsEdge,
    }),
  }),
);

const tlsEdgeListInputs = listInputs(
  "TlsEdge",
  "TLS edges",
  (t) => ({
    hostport: hostportFilter(t),
    module: t.field({ type: TlsEdgeModuleFilter, description: "Those with this module." }),
    backendId: t.id({
      description:
        "Those that forward to this backend, directly or through failover and weighted backends.",
    }),
  }),
  "description, metadata and hostports",
);

const CreateInput = builder
  .inputType("CreateTlsEdgeInput", {
    description: "A new TLS edge.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      hostports: hostportsInput(t),
      ...tlsEdgeModuleInputFields(t),
    }),
  })
  .validate(nestedTlsEdgeInputs.create);

const UpdateInput = builder
  .inputType("UpdateTlsEdgeInput", {
    description:
      "Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      hostports: hostportsInput(t),
      ...tlsEdgeModuleInputFields(t),
    }),
  })
  .validate(nestedTlsEdgeInputs.update);

builder.queryFields((t) => ({
  tlsEdge: t.field({
    type: TlsEdgeType,
    nullable: true,
    description: "One TLS edge.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "tlsEdge", id),
  }),
  tlsEdges: t.field({
    type: TlsEdgeConnection,
    description: "All TLS edges; newest first by default.",
    args: listArguments(t, tlsEdgeListInputs),
    resolve: (_, args, context, info) => readPage(context, info, tlsEdgeList, args),
  }),
}));

builder.mutationFields((t) => ({
  createTlsEdge: t.field({
    type: TlsEdgeType,
    nullable: true,
    description: "Creates a TLS edge.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The edge." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createTlsEdge(context, args.input)),
  }),
  updateTlsEdge: t.field({
    type: TlsEdgeType,
    nullable: true,
    description: "Changes a TLS edge.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "tlsEdge", args, (context, id) => updateTlsEdge(context, id, args.input)),
  }),
  deleteTlsEdge: t.id({
    nullable: true,
    description: "Deletes a TLS edge and returns its id.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "tlsEdge", args, deleteTlsEdge),
  }),
}));
