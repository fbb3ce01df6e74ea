import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { ipPolicyRuleAction } from "./core/enumerations.js";
import { refuse } from "./core/errors.js";
import { orUnchanged, reference, texts } from "./core/fields.js";
import { cidr } from "./formats/networks.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { unlessTaken } from "./storage/errors.js";
import { keepRow } from "./storage/locks.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** A rule of an IP policy: it allows or denies the addresses of one network. */
export type IpPolicyRule = Resources["ipPolicyRule"];

export const ipPolicyRuleInputs = {
  create: z.strictObject({
    ...texts,
    cidr,
    ipPolicyId: reference("ipPolicy"),
    action: ipPolicyRuleAction,
  }),
  update: z.strictObject({ ...texts, cidr: orUnchanged(cidr) }),
};

/** Throws CONFLICT when the policy has a rule for this network. */
export function createIpPolicyRule(
  context: Context,
  input: z.output<typeof ipPolicyRuleInputs.create>,
): Promise<IpPolicyRule> {
  return inTransaction(context, async (context) => {
    const { cidr, ipPolicyId, action } = input;
    // Before the rule: whoever holds the policy may be about to write the same network.
    await keepRow(context, "ipPolicy", ipPolicyId);
    refuse(await danglingReferences(context, input));
    const rule = { ...newRow("ipPolicyRule"), ...createdTexts(input), cidr, ipPolicyId, action };
    await unlessDuplicate(cidr, context.db.ipPolicyRule.create({ data: rule, select: ID_ALONE }));
    return created(context, "ipPolicyRule", rule);
  });
}

/**
 * Absent leaves a field as it is, null clears a text. Throws NOT_FOUND, and CONFLICT when the policy has
 * another rule for this network.
 */
export function updateIpPolicyRule(
  context: Context,
  id: string,
  input: z.output<typeof ipPolicyRuleInputs.update>,
): Promise<IpPolicyRule> {
  const wanted = { ...changedTexts(input), cidr: input.cidr };
  return changeResource(context, "ipPolicyRule", id, wanted, ({ db }, data) => {
    const write = db.ipPolicyRule.update({ where: { id }, data, select: ID_ALONE });
    return data.cidr === undefined ? write : unlessDuplicate(data.cidr, write);
  });
}

/** Throws NOT_FOUND. */
export function deleteIpPolicyRule(context: Context, id: string): Promise<void> {
  return deleteResource(context, "ipPolicyRule", id, ({ db }) =>
    db.ipPolicyRule.delete({ where: { id } }),
  );
}

function unlessDuplicate<Result>(cidr: string, write: PromiseLike<Result>): Promise<Result> {
  return unlessTaken(write, {
    field: "cidr",
    message: `This IP policy already has a rule for ${cidr}.`,
    issue: "is the network of another rule of this IP policy",
  });
}
