import type { CertificateManagementPolicy } from "../../domain/formats/certificate-management.js";

/** How the certificates of a domain are managed, as JSON; null when they are not. */
export function showCertificateManagementPolicy(policy: CertificateManagementPolicy | null) {
  return policy && { authority: policy.authority, private_key_type: policy.privateKeyType };
}
