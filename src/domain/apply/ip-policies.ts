import type { z } from "zod";
import { created, deleted } from "../changes/log.js";
import type { Transaction } from "../changes/transactions.js";
import type { Context } from "../core/context.js";
import { ALWAYS, list } from "../core/fields.js";
import { createIpPolicy, ipPolicyInputs, updateIpPolicy } from "../ip-policies.js";
import { type IpPolicyRule, ipPolicyRuleInputs, updateIpPolicyRule } from "../ip-policy-rules.js";
import { partsInOutline } from "../reads/read.js";
import { lockRowsOf } from "../storage/locks.js";
import { changedMembers, changedTexts, createdTexts, newRow } from "../storage/rows.js";
import { type Applied, type ApplyOptions, apply, wholeState } from "./apply.js";

/** The desired state of a rule. */
export const appliedIpPolicyRule = ipPolicyRuleInputs.create.omit({ ipPolicyId: true });

/** The desired state of an IP policy, with all of its rules: at most 250, each network once. */
export const appliedIpPolicy = ipPolicyInputs.create.extend({
  rules: list(appliedIpPolicyRule)
    .superRefine((rules, ctx) => {
      const cidrs = Array.isArray(rules) ? rules.map((rule) => rule?.cidr) : [];
      cidrs.forEach((cidr, index) => {
        if (typeof cidr !== "string" || cidrs.indexOf(cidr) === index) return;
        const path = [index, "cidr"];
        ctx.addIssue({ code: "custom", message: "is the network of another rule", path });
      });
    }, ALWAYS)
    .nullish(),
});

type Rule = z.output<typeof appliedIpPolicyRule>;

/**
 * Brings an IP policy and its rules to the desired state `input`, in one transaction. Rules are identified by their
 * network. A rule with another action is deleted and created again, since an action cannot change. Rules that are not
 * in the desired state are deleted, and an absent field gets its default. Throws what `apply` throws.
 */
export function applyIpPolicy(
  context: Context,
  { rules: given, ...policy }: z.output<typeof appliedIpPolicy>,
  options: ApplyOptions,
): Promise<Applied> {
  const rules = given ?? [];
  return apply(context, "ipPolicy", options, async (context, id) => {
    if (id === null) {
      const { id } = await createIpPolicy(context, policy);
      await insertRules(context, id, rules);
      return id;
    }
    await updateIpPolicy(context, id, wholeState(ipPolicyInputs.update, policy));
    await applyRules(context, id, rules);
    return id;
  });
}

async function applyRules(
  context: Transaction,
  ipPolicyId: string,
  desired: readonly Rule[],
): Promise<void> {
  // No rule is added at the same time, since the policy is locked.
  await lockRowsOf(context, "ipPolicyRule", ipPolicyId);
  const present = await partsInOutline(context, "ipPolicyRule", ipPolicyId);
  const byRule = new Map(desired.map((rule) => [ruleKey(rule), rule]));
  await deleteRules(
    context,
    present.filter((rule) => !byRule.has(ruleKey(rule))),
  );
  for (const rule of present) {
    const desiredRule = byRule.get(ruleKey(rule));
    if (!desiredRule) continue;
    const { description, metadata } = wholeState(ipPolicyRuleInputs.update, desiredRule);
    if (!changedMembers(rule, changedTexts({ description, metadata }))) continue;
    await updateIpPolicyRule(context, rule.id, { description, metadata });
  }
  const kept = new Set(present.map(ruleKey));
  const added = desired.filter((rule) => !kept.has(ruleKey(rule)));
  await insertRules(context, ipPolicyId, added);
}

async function deleteRules(context: Transaction, rules: readonly IpPolicyRule[]): Promise<void> {
  if (rules.length === 0) return;
  await context.db.ipPolicyRule.deleteMany({ where: { id: { in: rules.map(({ id }) => id) } } });
  for (const rule of rules) deleted(context, "ipPolicyRule", rule);
}

async function insertRules(
  context: Transaction,
  ipPolicyId: string,
  rules: readonly Rule[],
): Promise<void> {
  if (rules.length === 0) return;
  const rows = rules.map((rule) => ({
    ...newRow("ipPolicyRule"),
    ...createdTexts(rule),
    cidr: rule.cidr,
    action: rule.action,
    ipPolicyId,
  }));
  await context.db.ipPolicyRule.createMany({ data: rows });
  for (const row of rows) created(context, "ipPolicyRule", row);
}

function ruleKey({ action, cidr }: Pick<IpPolicyRule, "action" | "cidr">): string {
  return `${action} ${cidr}`;
}
