import {
  certificateAuthorityInputs,
  createCertificateAuthority,
  deleteCertificateAuthority,
  updateCertificateAuthority,
} from "../domain/certificate-authorities.js";
import { certificateAuthorityList } from "../domain/lists/filters/certificate-authorities.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { CertificateAuthorityRef } from "./builder/resource-types.js";
import { readPage, readResource } from "./reads/reads.js";

export const CertificateAuthorityType = CertificateAuthorityRef.implement({
  description:
    "Who may sign the client certificates that mutual TLS accepts. Its certificate never changes.",
  interfaces: [Node],
  fields: (t) => ({
    caPem: t.exposeString("caPem", {
      description: "The authority's X.509 certificate in PEM, as given.",
    }),
    subjectCommonName: t.exposeString("subjectCommonName", {
      description: "The common name of the certificate's subject; empty when it has none.",
    }),
    notBefore: t.expose("notBefore", {
      type: "DateTime",
      description: "The first moment at which the certificate is valid.",
    }),
    notAfter: t.expose("notAfter", {
      type: "DateTime",
      description: "The last moment at which the certificate is valid.",
    }),
    keyUsages: t.stringList({
      description:
        "What its key may be used for, such as `cert_sign` (RFC 5280); empty when not limited.",
      resolve: ({ keyUsages }) => [...keyUsages],
    }),
    extendedKeyUsages: t.stringList({
      description:
        "What its key may further be used for, such as `client_auth`, or an object identifier; empty when not limited.",
      resolve: ({ extendedKeyUsages }) => [...extendedKeyUsages],
    }),
  }),
});

const CertificateAuthorityConnection = connectionOf(
  CertificateAuthorityType,
  "CertificateAuthority",
  "certificate authorities",
);

const certificateAuthorityListInputs = listInputs(
  "CertificateAuthority",
  "certificate authorities",
  (t) => ({
    expiringBefore: t.field({
      type: "DateTime",
      description: "Those that have not expired yet and will have before this time.",
    }),
    unused: t.boolean({
      description: "True: those that no mutual TLS of an edge trusts. False: all others.",
    }),
  }),
);

const CreateInput = builder
  .inputType("CreateCertificateAuthorityInput", {
    description: "A new certificate authority.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      caPem: t.string({
        required: true,
        description:
          "The authority's X.509 certificate: one PEM block of at most 64 KiB; cannot be changed later.",
      }),
    }),
  })
  .validate(certificateAuthorityInputs.create);

const UpdateInput = builder
  .inputType("UpdateCertificateAuthorityInput", {
    description: "Absent leaves a field as it is, null clears it. The certificate stays.",
    fields: (t) => ({ description: descriptionInput(t), metadata: metadataInput(t) }),
  })
  .validate(certificateAuthorityInputs.update);

builder.queryFields((t) => ({
  certificateAuthority: t.field({
    type: CertificateAuthorityType,
    nullable: true,
    description: "One certificate authority.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "certificateAuthority", id),
  }),
  certificateAuthorities: t.field({
    type: CertificateAuthorityConnection,
    description: "All certificate authorities; newest first by default.",
    args: listArguments(t, certificateAuthorityListInputs),
    resolve: (_, args, context, info) => readPage(context, info, certificateAuthorityList, args),
  }),
}));

builder.mutationFields((t) => ({
  createCertificateAuthority: t.field({
    type: CertificateAuthorityType,
    nullable: true,
    description: "Creates a certificate authority from its certificate.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The authority." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createCertificateAuthority(context, args.input)),
  }),
  updateCertificateAuthority: t.field({
    type: CertificateAuthorityType,
    nullable: true,
    description: "Changes a certificate authority.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "certificateAuthority", args, (context, id) =>
        updateCertificateAuthority(context, id, args.input),
      ),
  }),
  deleteCertificateAuthority: t.id({
    nullable: true,
    description:
      "Deletes a certificate authority and returns its id. Refused while the mutual TLS of an edge trusts it.",
    args: changeArguments(t),
    resolve: (_, args, context) =>
      deleteOne(context, "certificateAuthority", args, deleteCertificateAuthority),
  }),
}));
