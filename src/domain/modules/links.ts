import { z } from "zod";
import { reference, uniqueList } from "../core/fields.js";
import { BACKENDS } from "../core/ids.js";
import { enabled } from "./enabled.js";
import type { ReferringModule } from "./module.js";

export const MAX_IP_POLICIES = 100;
export const MAX_CERTIFICATE_AUTHORITIES = 10;

const AT_LEAST_ONE = { message: "must have at least 1 item", params: { limit: 1 } };

/** The destination of the traffic (specification, EndpointBackend): one backend of any kind, required. */
export const backendSettings = z.strictObject({ enabled, backendId: reference(...BACKENDS) });

/** 1 to 100 IP policies, each once; the order is kept. */
export const ipPolicyIds = uniqueList(reference("ipPolicy"), MAX_IP_POLICIES).refine(
  (ids) => ids.length > 0,
  AT_LEAST_ONE,
);

/** Restricts source addresses (specification, EndpointIPPolicy) by IP policies. */
export const ipRestrictionSettings = z.strictObject({ enabled, ipPolicyIds });

/**
 * Accepts client certificates (specification, EndpointMutualTLS) of 1 to 10 certificate authorities, in the order
 * given.
 */
export const mutualTlsSettings = z.strictObject({
  enabled,
  certificateAuthorityIds: uniqueList(
    reference("certificateAuthority"),
    MAX_CERTIFICATE_AUTHORITIES,
  ).refine((ids) => ids.length > 0, AT_LEAST_ONE),
});

export type BackendSettings = z.output<typeof backendSettings>;
export type IpRestrictionSettings = z.output<typeof ipRestrictionSettings>;
export type MutualTlsSettings = z.output<typeof mutualTlsSettings>;

export const backend = {
  rule: backendSettings,
  refersBy: "backendId",
} as const satisfies ReferringModule;

export const ipRestriction = {
  rule: ipRestrictionSettings,
  refersBy: "ipPolicyIds",
} as const satisfies ReferringModule;

export const mutualTls = {
  rule: mutualTlsSettings,
  refersBy: "certificateAuthorityIds",
} as const satisfies ReferringModule;

interface BackendColumns {
  readonly backendEnabled: boolean | null;
  readonly backendId: string | null;
}

export function backendColumns(settings: BackendSettings | null): BackendColumns {
  return { backendEnabled: settings?.enabled ?? null, backendId: settings?.backendId ?? null };
}

// The columns that an update sets; none for a module that does not change.

export function changedBackend(settings: BackendSettings | null | undefined) {
  return settings === undefined ? {} : backendColumns(settings);
}

export function changedIpRestriction(settings: IpRestrictionSettings | null | undefined) {
  if (settings === undefined) return {};
  const ipPolicies = { deleteMany: {}, create: ipPolicyLinks(settings) };
  return { ipRestrictionEnabled: settings?.enabled ?? null, ipPolicies };
}

export function changedMutualTls(settings: MutualTlsSettings | null | undefined) {
  if (settings === undefined) return {};
  const certificateAuthorities = { deleteMany: {}, create: certificateAuthorityLinks(settings) };
  return { mutualTlsEnabled: settings?.enabled ?? null, certificateAuthorities };
}

/** The join rows of an owner, in the order given. */
export function ipPolicyLinks(settings: Pick<IpRestrictionSettings, "ipPolicyIds"> | null) {
  return (settings?.ipPolicyIds ?? []).map((ipPolicyId, position) => ({ ipPolicyId, position }));
}

export function certificateAuthorityLinks(settings: MutualTlsSettings | null) {
  return (settings?.certificateAuthorityIds ?? []).map((certificateAuthorityId, position) => ({
    certificateAuthorityId,
    position,
  }));
}
