import { z } from "zod";
import { sshKeyType } from "../domain/core/enumerations.js";
import {
  createSshUserCertificate,
  deleteSshUserCertificate,
  sshUserCertificateInputs,
  updateSshUserCertificate,
} from "../domain/ssh-user-certificates.js";
import { id, row, stringMap, time } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { EXAMPLE_PUBLIC_KEY, exampleId } from "./contract/examples.js";
import { epochSeconds } from "./contract/tolerances.js";

export const sshUserCertificates = collection({
  kind: "sshUserCertificate",
  path: "/ssh_user_certificates",
  listKey: "ssh_user_certificates",
  answer: z.strictObject({
    ...row("sshUserCertificate"),
    public_key: z.string(),
    key_type: sshKeyType,
    ssh_certificate_authority_id: id("sshCertificateAuthority"),
    principals: z.array(z.string()),
    critical_options: stringMap,
    extensions: stringMap,
    valid_after: time,
    valid_until: time,
    certificate: z.string(),
  }),
  example: {
    sshCertificateAuthorityId: exampleId("sshCertificateAuthority"),
    publicKey: EXAMPLE_PUBLIC_KEY,
    principals: ["ubuntu"],
    criticalOptions: { "source-address": "192.0.2.0/24" },
  },
  inputs: sshUserCertificateInputs,
  tolerates: { create: [epochSeconds("validAfter", "validUntil")] },
  create: createSshUserCertificate,
  update: updateSshUserCertificate,
  remove: deleteSshUserCertificate,
  view: (certificate, link) => ({
    id: certificate.id,
    uri: link(`/ssh_user_certificates/${certificate.id}`),
    created_at: timestamp(certificate.createdAt),
    description: certificate.description,
    metadata: certificate.metadata,
    public_key: certificate.publicKey,
    key_type: certificate.keyType,
    ssh_certificate_authority_id: certificate.sshCertificateAuthorityId,
    principals: certificate.principals,
    critical_options: certificate.criticalOptions,
    extensions: certificate.extensions,
    valid_after: timestamp(certificate.validAfter),
    valid_until: timestamp(certificate.validUntil),
    certificate: certificate.certificate,
  }),
});
