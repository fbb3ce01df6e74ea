import { z } from "zod";
import type { CertificateManagementPolicy } from "../../domain/formats/certificate-management.js";

export const certificateManagementPolicyAnswer = z
  .strictObject({ authority: z.string(), private_key_type: z.enum(["rsa", "ecdsa"]) })
  .nullable();

/** How the certificates of a domain are managed, as JSON; null when they are not. */
export function showCertificateManagementPolicy(policy: CertificateManagementPolicy | null) {
  return policy && { authority: policy.authority, private_key_type: policy.privateKeyType };
}
