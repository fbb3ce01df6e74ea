import { z } from "zod";
import { created, updated } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { endpointConfigurationType } from "./core/enumerations.js";
import { refuse } from "./core/errors.js";
import { texts } from "./core/fields.js";
import { mutualTlsUpstream, severalLogins } from "./modules/combinations.js";
import { changedDocuments, moduleInputs, newDocuments } from "./modules/documents.js";
import { ENDPOINT_CONFIGURATION_MODULES, modulesOf } from "./modules/index.js";
import {
  certificateAuthorityLinks,
  changedIpRestriction,
  changedMutualTls,
  ipPolicyLinks,
} from "./modules/links.js";
import { getOriginal } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { deleteResource } from "./single-row-resources.js";
import { lockRow } from "./storage/locks.js";
import { danglingReferences, refuseWhileInUse } from "./storage/reference-checks.js";
import {
  changedMembers,
  changedTexts,
  createdTexts,
  ID_ALONE,
  newRow,
  touched,
} from "./storage/rows.js";

/** Settings that endpoints of one protocol share: modules, as those of routes and edges. */
export type EndpointConfiguration = Resources["endpointConfiguration"];

const fields = { ...texts, ...moduleInputs(modulesOf("endpointConfiguration")) };

export const endpointConfigurationInputs = {
  create: z.strictObject({ ...fields, type: endpointConfigurationType }),
  update: z.strictObject(fields),
};

type UpdateInput = z.output<typeof endpointConfigurationInputs.update>;

/**
 * Throws INVALID_REQUEST for references that do not exist, for several kinds of login, and for mutual TLS without TLS
 * termination at the edge.
 */
export function createEndpointConfiguration(
  context: Context,
  input: z.output<typeof endpointConfigurationInputs.create>,
): Promise<EndpointConfiguration> {
  // The same in every run of the transaction: the certificate of a SAML module is made for its id.
  const row = newRow("endpointConfiguration");
  return inTransaction(context, async (context) => {
    refuse([...(await danglingReferences(context, input)), ...combinations(input, null)]);
    const own = { ...row, ...createdTexts(input), type: input.type };
    const ipRestriction = input.ipRestriction ?? null;
    const mutualTls = input.mutualTls ?? null;
    const place = { context, ownerId: row.id };
    const documents = newDocuments(ENDPOINT_CONFIGURATION_MODULES, input, place);
    await context.db.endpointConfiguration.create({
      data: {
        ...own,
        ipRestrictionEnabled: ipRestriction?.enabled ?? null,
        ipPolicies: { create: ipPolicyLinks(ipRestriction) },
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { create: certificateAuthorityLinks(mutualTls) },
        ...documents.columns,
      },
      select: ID_ALONE,
    });
    const configuration = { ...own, ipRestriction, mutualTls, ...documents.values };
    return created(context, "endpointConfiguration", configuration);
  });
}

/**
 * Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it. Throws NOT_FOUND, and
 * what creating throws.
 */
export function updateEndpointConfiguration(
  context: Context,
  id: string,
  input: UpdateInput,
): Promise<EndpointConfiguration> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "endpointConfiguration", id);
    const { value: current, stored } = await getOriginal(context, "endpointConfiguration", id);
    refuse([...(await danglingReferences(context, input)), ...combinations(input, current)]);
    const { ipRestriction, mutualTls } = input;
    const changed = changedMembers(current, { ...changedTexts(input), ipRestriction, mutualTls });
    const { ipRestriction: policies, mutualTls: authorities, ...columns } = changed ?? {};
    const place = { context, ownerId: id };
    const modules = ENDPOINT_CONFIGURATION_MODULES;
    const documents = changedDocuments(modules, input, current, stored, place);
    if (!changed && Object.keys(documents.columns).length === 0) return current;
    const touch = touched(current);
    await context.db.endpointConfiguration.update({
      where: { id },
      data: {
        ...columns,
        ...changedIpRestriction(policies),
        ...changedMutualTls(authorities),
        ...documents.columns,
        ...touch,
      },
      select: ID_ALONE,
    });
    const next = { ...current, ...changed, ...documents.values, ...touch };
    return updated(context, "endpointConfiguration", current, next);
  });
}

/** Throws NOT_FOUND, and IN_USE while a reserved address or domain has it. */
export function deleteEndpointConfiguration(context: Context, id: string): Promise<void> {
  return deleteResource(context, "endpointConfiguration", id, async (context) => {
    await refuseWhileInUse(context, "endpointConfiguration", id);
    await context.db.endpointConfiguration.delete({ where: { id } });
  });
}

function combinations(input: UpdateInput, current: EndpointConfiguration | null) {
  return [...severalLogins(input, current), ...mutualTlsUpstream(input, current)];
}
