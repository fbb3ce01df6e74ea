import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { ipRestrictionType } from "./core/enumerations.js";
import { refuse } from "./core/errors.js";
import { orUnchanged, texts, withDefault } from "./core/fields.js";
import { ipPolicyIds, ipPolicyLinks } from "./modules/links.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/**
 * The source addresses from which an API, agents, a dashboard or all endpoints may be reached, by IP policies (wire
 * facts, Part 2). It is stored and served for what enforces it: nobody is refused here because of it.
 */
export type IpRestriction = Resources["ipRestriction"];

export const ipRestrictionInputs = {
  create: z.strictObject({
    ...texts,
    type: ipRestrictionType,
    enforced: withDefault(z.boolean(), false),
    ipPolicyIds,
  }),
  update: z.strictObject({
    ...texts,
    enforced: z.boolean().nullish(),
    ipPolicyIds: orUnchanged(ipPolicyIds),
  }),
};

/** Throws INVALID_REQUEST for IP policies that do not exist. */
export function createIpRestriction(
  context: Context,
  input: z.output<typeof ipRestrictionInputs.create>,
): Promise<IpRestriction> {
  return inTransaction(context, async (context) => {
    refuse(await danglingReferences(context, input));
    const { type, enforced, ipPolicyIds } = input;
    const row = { ...newRow("ipRestriction"), ...createdTexts(input), type, enforced };
    await context.db.ipRestriction.create({
      data: { ...row, ipPolicies: { create: ipPolicyLinks({ ipPolicyIds }) } },
      select: ID_ALONE,
    });
    return created(context, "ipRestriction", { ...row, ipPolicyIds });
  });
}

/**
 * Absent leaves a field as it is; null clears a text, ends the enforcement and leaves the IP policies. A list of IP
 * policies replaces the old one. Throws NOT_FOUND, and INVALID_REQUEST for IP policies that do not exist.
 */
export function updateIpRestriction(
  context: Context,
  id: string,
  input: z.output<typeof ipRestrictionInputs.update>,
): Promise<IpRestriction> {
  const enforced = input.enforced === null ? false : input.enforced;
  const wanted = { ...changedTexts(input), enforced, ipPolicyIds: input.ipPolicyIds };
  return changeResource(context, "ipRestriction", id, wanted, async (context, changed) => {
    refuse(await danglingReferences(context, changed));
    const { ipPolicyIds, ...columns } = changed;
    const ipPolicies = ipPolicyIds && {
      deleteMany: {},
      create: ipPolicyLinks({ ipPolicyIds }),
    };
    await context.db.ipRestriction.update({
      where: { id },
      data: { ...columns, ...(ipPolicies && { ipPolicies }) },
      select: ID_ALONE,
    });
  });
}

/** Throws NOT_FOUND. */
export function deleteIpRestriction(context: Context, id: string): Promise<void> {
  return deleteResource(context, "ipRestriction", id, ({ db }) =>
    db.ipRestriction.delete({ where: { id } }),
  );
}
