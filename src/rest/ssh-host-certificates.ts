import {
  createSshHostCertificate,
  deleteSshHostCertificate,
  sshHostCertificateInputs,
  updateSshHostCertificate,
} from "../domain/ssh-host-certificates.js";
import { collection, timestamp } from "./contract/contract.js";
import { epochSeconds } from "./contract/tolerances.js";

export const sshHostCertificates = collection({
  kind: "sshHostCertificate",
  path: "/ssh_host_certificates",
  listKey: "ssh_host_certificates",
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
