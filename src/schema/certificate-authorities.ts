import {
  certificateAuthorityInputs,
  createCertificateAuthority,
  deleteCertificateAuthority,
  updateCertificateAuthority,
} from "../domain/certificate-authorities.js";
import { certificateAuthorityList } from "../domain/lists/filters/certificate-authorities.js";
import { Node } from "./builder/builder.js";
import { CertificateAuthorityRef } from "./builder/resource-types.js";
import { collection } from "./collection.js";

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

collection({
  kind: "certificateAuthority",
  plural: "certificateAuthorities",
  type: CertificateAuthorityType,
  list: certificateAuthorityList,
  filter: (t) => ({
    expiringBefore: t.field({
      type: "DateTime",
      description: "Those that have not expired yet and will have before this time.",
    }),
    unused: t.boolean({
      description: "True: those that no mutual TLS of an edge trusts. False: all others.",
    }),
  }),
  create: {
    rule: certificateAuthorityInputs.create,
    fields: (t) => ({
      caPem: t.string({
        required: true,
        description:
          "The authority's X.509 certificate: one PEM block of at most 64 KiB; cannot be changed later.",
      }),
    }),
    run: createCertificateAuthority,
  },
  update: {
    rule: certificateAuthorityInputs.update,
    inputNote: "The certificate stays.",
    run: updateCertificateAuthority,
  },
  remove: {
    note: "Refused while the mutual TLS of an edge trusts it.",
    run: deleteCertificateAuthority,
  },
});
