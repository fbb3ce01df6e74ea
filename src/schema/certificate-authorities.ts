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
    "An authority whose client certificates mutual TLS accepts. Its certificate cannot be changed.",
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
      description: "The start of validity: the first second in which the certificate is valid.",
    }),
    notAfter: t.expose("notAfter", {
      type: "DateTime",
      description: "The end of validity: the last second in which the certificate is valid.",
    }),
    keyUsages: t.stringList({
      description:
        "The key usages of the certificate, such as `cert_sign` (RFC 5280); empty when not limited.",
      resolve: ({ keyUsages }) => [...keyUsages],
    }),
    extendedKeyUsages: t.stringList({
      description:
        "The extended key usages of the certificate, such as `client_auth`, or an object identifier; empty when not limited.",
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
      description: "Only those that have not expired but expire before this time.",
    }),
    unused: t.boolean({
      description: "True: only those that no mutual TLS module uses. False: only the others.",
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
    inputNote: "The certificate cannot be changed.",
    run: updateCertificateAuthority,
  },
  remove: {
    note: "Refused while a mutual TLS module uses it.",
    run: deleteCertificateAuthority,
  },
});
