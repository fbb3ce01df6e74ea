import { z } from "zod";
import { certificateManagementColumn } from "./certificate-management.js";
import { created, updated } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { region } from "./core/enumerations.js";
import { type Issue, refuse } from "./core/errors.js";
import { ALWAYS, optionalReference, orNull, texts } from "./core/fields.js";
import { unfitReferences } from "./fitting-configurations.js";
import {
  type CertificateManagementPolicy,
  certificateManagementPolicy,
  certificateManagementPolicyChange,
  changedCertificateManagementPolicy,
} from "./formats/certificate-management.js";
import { domainOrWildcard } from "./formats/networks.js";
import { resolutionTargets } from "./formats/resolution-targets.js";
import { webUrlOrNone } from "./formats/web-urls.js";
import { getOne } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { deleteResource } from "./single-row-resources.js";
import { unlessTaken } from "./storage/errors.js";
import { lockRow } from "./storage/locks.js";
import {
  changedMembers,
  changedTexts,
  cleared,
  createdTexts,
  ID_ALONE,
  newRow,
  touched,
} from "./storage/rows.js";

/** A domain that is reserved for the caller, and what its connections get. */
export type ReservedDomain = Resources["reservedDomain"];

const fields = {
  ...texts,
  certificateId: optionalReference("tlsCertificate"),
  httpEndpointConfigurationId: optionalReference("endpointConfiguration"),
  httpsEndpointConfigurationId: optionalReference("endpointConfiguration"),
  errorRedirectUrl: webUrlOrNone.nullish(),
  resolvesTo: resolutionTargets.nullish(),
};

const NOT_BOTH = {
  path: ["certificateManagementPolicy"],
  message: "excludes `certificateId`: give one of them",
  ...ALWAYS,
};

export const reservedDomainInputs = {
  create: z
    .strictObject({
      ...fields,
      domain: domainOrWildcard,
      region: orNull(region),
      certificateManagementPolicy: orNull(certificateManagementPolicy),
    })
    .refine((input) => !input.certificateId || input.certificateManagementPolicy == null, NOT_BOTH),
  update: z
    .strictObject({
      ...fields,
      certificateManagementPolicy: certificateManagementPolicyChange.nullish(),
    })
    .refine(
      ({ certificateId, certificateManagementPolicy: policy }) =>
        !certificateId || !changesPolicy(policy),
      NOT_BOTH,
    ),
};

type Create = z.output<typeof reservedDomainInputs.create>;
type Update = z.output<typeof reservedDomainInputs.update>;

/** The types of the endpoint configurations that a domain takes. */
const FITTING = {
  httpEndpointConfigurationId: "http",
  httpsEndpointConfigurationId: "https",
} as const;

/**
 * Throws INVALID_REQUEST for references that do not exist or do not fit, and CONFLICT when the domain is reserved, in
 * whatever case.
 */
export function createReservedDomain(context: Context, input: Create): Promise<ReservedDomain> {
  return inTransaction(context, async (context) => {
    refuse(await unfitReferences(context, input, FITTING));
    const { domain, region, certificateManagementPolicy } = input;
    const row = {
      ...newRow("reservedDomain"),
      ...createdTexts(input),
      domain,
      region,
      errorRedirectUrl: input.errorRedirectUrl ?? "",
      resolvesTo: input.resolvesTo ?? [],
      certificateId: input.certificateId ?? null,
      httpEndpointConfigurationId: input.httpEndpointConfigurationId ?? null,
      httpsEndpointConfigurationId: input.httpsEndpointConfigurationId ?? null,
    };
    const data = { ...row, ...certificateManagementColumn(certificateManagementPolicy) };
    await unlessTaken(context.db.reservedDomain.create({ data, select: ID_ALONE }), {
      field: "domain",
      message: `The domain ${domain} is already reserved.`,
      issue: "is already reserved",
    });
    return created(context, "reservedDomain", { ...row, certificateManagementPolicy });
  });
}

/**
 * Absent leaves a field as it is, null clears it; of the policy only the members change that are given. Throws NOT_FOUND,
 * and INVALID_REQUEST for references that do not exist or do not fit, and for a certificate and a policy that would
 * both be set.
 */
export function updateReservedDomain(
  context: Context,
  id: string,
  input: Update,
): Promise<ReservedDomain> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "reservedDomain", id);
    const current = await getOne(context, "reservedDomain", id);
    const { certificateId, httpEndpointConfigurationId, httpsEndpointConfigurationId } = input;
    const wanted = {
      ...changedTexts(input),
      errorRedirectUrl: cleared(input.errorRedirectUrl),
      resolvesTo: input.resolvesTo === null ? [] : input.resolvesTo,
      certificateManagementPolicy: changedCertificateManagementPolicy(
        current.certificateManagementPolicy,
        input.certificateManagementPolicy,
      ),
      certificateId,
      httpEndpointConfigurationId,
      httpsEndpointConfigurationId,
    };
    refuse([
      ...(await unfitReferences(context, input, FITTING)),
      ...twoCertificates(current, wanted),
    ]);
    const changed = changedMembers(current, wanted);
    if (!changed) return current;
    const { certificateManagementPolicy, ...columns } = changed;
    const touch = touched(current);
    await context.db.reservedDomain.update({
      where: { id },
      data: { ...columns, ...certificateManagementColumn(certificateManagementPolicy), ...touch },
      select: ID_ALONE,
    });
    return updated(context, "reservedDomain", current, { ...current, ...changed, ...touch });
  });
}

/** Throws NOT_FOUND. */
export function deleteReservedDomain(context: Context, id: string): Promise<void> {
  return deleteResource(context, "reservedDomain", id, ({ db }) =>
    db.reservedDomain.delete({ where: { id } }),
  );
}

/** Whether an update gives members of a policy: one without any changes nothing. */
function changesPolicy(policy: object | null | undefined): boolean {
  return Object.values(policy ?? {}).some((member) => member !== undefined);
}

/** A certificate of its own and managed ones exclude each other: an issue for the one that comes to the other. */
function twoCertificates(
  current: ReservedDomain,
  wanted: {
    readonly certificateId: string | null | undefined;
    readonly certificateManagementPolicy: CertificateManagementPolicy | null | undefined;
  },
): Issue[] {
  const { certificateId = current.certificateId } = wanted;
  const { certificateManagementPolicy = current.certificateManagementPolicy } = wanted;
  if (certificateId === null || certificateManagementPolicy === null) return [];
  const [field, other] = wanted.certificateId
    ? ["certificateId", "certificateManagementPolicy"]
    : ["certificateManagementPolicy", "certificateId"];
  return [
    { path: [String(field)], message: `excludes \`${other}\`, which is set: remove that first` },
  ];
}
