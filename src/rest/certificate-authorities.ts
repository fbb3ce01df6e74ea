import { z } from "zod";
import {
  certificateAuthorityInputs,
  createCertificateAuthority,
  deleteCertificateAuthority,
  updateCertificateAuthority,
} from "../domain/certificate-authorities.js";
import { row, time } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { EXAMPLE_CERTIFICATE } from "./contract/examples.js";

export const certificateAuthorities = collection({
  kind: "certificateAuthority",
  path: "/certificate_authorities",
  listKey: "certificate_authorities",
  answer: z.strictObject({
    ...row("certificateAuthority"),
    ca_pem: z.string(),
    subject_common_name: z.string(),
    not_before: time,
    not_after: time,
    key_usages: z.array(z.string()),
    extended_key_usages: z.array(z.string()),
  }),
  example: { description: "Devices", caPem: EXAMPLE_CERTIFICATE },
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
