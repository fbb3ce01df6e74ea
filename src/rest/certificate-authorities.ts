import {
  certificateAuthorityInputs,
  createCertificateAuthority,
  deleteCertificateAuthority,
  updateCertificateAuthority,
} from "../domain/certificate-authorities.js";
import { collection, timestamp } from "./contract/contract.js";

export const certificateAuthorities = collection({
  kind: "certificateAuthority",
  path: "/certificate_authorities",
  listKey: "certificate_authorities",
  inputs: certificateAuthorityInputs,
  create: createCertificateAuthority,
  update: updateCertificateAuthority,
  remove: deleteCertificateAuthority,
  view: (authority, link) => ({
    id: authority.id,
    uri: link(`/certificate_authorities/${authority.id}`),
    created_at: timestamp(authority.createdAt),
    description: authority.description,
    metadata: authority.metadata,
    ca_pem: authority.caPem,
    subject_common_name: authority.subjectCommonName,
    not_before: timestamp(authority.notBefore),
    not_after: timestamp(authority.notAfter),
    key_usages: authority.keyUsages,
    extended_key_usages: authority.extendedKeyUsages,
  }),
});
