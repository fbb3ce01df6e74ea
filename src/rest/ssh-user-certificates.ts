import {
  createSshUserCertificate,
  deleteSshUserCertificate,
  sshUserCertificateInputs,
  updateSshUserCertificate,
} from "../domain/ssh-user-certificates.js";
import { collection, timestamp } from "./contract/contract.js";
import { epochSeconds } from "./contract/tolerances.js";

export const sshUserCertificates = collection({
  kind: "sshUserCertificate",
  path: "/ssh_user_certificates",
  listKey: "ssh_user_certificates",
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
