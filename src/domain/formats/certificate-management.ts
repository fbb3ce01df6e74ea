import { z } from "zod";
import { orUnchanged, withDefault } from "../core/fields.js";

// How the certificates of a domain are managed (wire facts, Part 2, ReservedDomainCertPolicy). Reserved domains and
// agent ingresses have the same policy.

/** Who issues the certificates. */
const authority = z.enum(["letsencrypt"]);
/** The type of the keys that certificates are requested for. */
const privateKeyType = z.enum(["rsa", "ecdsa"]);

/** A policy, whole: `authority` is "letsencrypt" and `privateKeyType` "rsa" when unspecified. */
export const certificateManagementPolicy = z.strictObject({
  authority: withDefault(authority, "letsencrypt"),
  privateKeyType: withDefault(privateKeyType, "rsa"),
});

/** The change of a policy: absent, null and "" leave a member as it is. */
export const certificateManagementPolicyChange = z.strictObject({
  authority: orUnchanged(authority),
  privateKeyType: orUnchanged(privateKeyType),
});

export type CertificateManagementPolicy = z.output<typeof certificateManagementPolicy>;
type Change = z.output<typeof certificateManagementPolicyChange>;

/**
 * The policy after `change`; undefined when nothing is to change. Null ends the management. A change without members,
 * which typed clients send for one that is unset, changes nothing; one with members begins the management if need be,
 * with defaults for the others.
 */
export function changedCertificateManagementPolicy(
  current: CertificateManagementPolicy | null,
  change: Change | null | undefined,
): CertificateManagementPolicy | null | undefined {
  if (!change) return change;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  return certificateManagementPolicy.parse({ ...current, ...Object.fromEntries(given) });
}
