import { z } from "zod";
import { sshKeyType } from "../domain/core/enumerations.js";
import {
  createSshHostCertificate,
  deleteSshHostCertificate,
  sshHostCertificateInputs,
  updateSshHostCertificate,
} from "../domain/ssh-host-certificates.js";
import { id, row, time } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { EXAMPLE_PUBLIC_KEY, exampleId } from "./contract/examples.js";
import { epochSeconds } from "./contract/tolerances.js";

export const sshHostCertificates = collection({
  kind: "sshHostCertificate",
  path: "/ssh_host_certificates",
  listKey: "ssh_host_certificates",
  answer: z.strictObject({
    ...row("sshHostCertificate"),
    public_key: z.string(),
    key_type: sshKeyType,
    ssh_certificate_authority_id: id("sshCertificateAuthority"),
    principals: z.array(z.string()),
    valid_after: time,
    valid_until: time,
    certificate: z.string(),
  }),
  example: {
    sshCertificateAuthorityId: exampleId("sshCertificateAuthority"),
    publicKey: EXAMPLE_PUBLIC_KEY,
    principals: ["build-1.example.com"],
  },
  inputs: sshHostCertificateInputs,
  tolerates: { create: [epochSeconds("validAfter", "validUntil")] },
  create: createSshHostCertificate,
  update: updateSshHostCertificate,
  remove: deleteSshHostCertificate,
  view: (certificate, link) => ({
    id: certificate.id,
    uri: link(`/ssh_host_certificates/${certificate.id}`),
    created_at: timestamp(certificate.createdAt),
    description: certificate.description,
    metadata: certificate.metadata,
    public_key: certificate.publicKey,
    key_type: certificate.keyType,
    ssh_certificate_authority_id: certificate.sshCertificateAuthorityId,
    principals: certificate.principals,
    valid_after: timestamp(certificate.validAfter),
    valid_until: timestamp(certificate.validUntil),
    certificate: certificate.certificate,
  }),
});
