import { z } from "zod";
import { created, deleted, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { DomainError, refuse } from "./errors.js";
import { description, metadata, orUnchanged } from "./fields.js";
import { cidr } from "./networks.js";
import { keyset, type PageRequest } from "./pages.js";
import { danglingReferences, reference } from "./references.js";
import {
  changedTexts,
  changes,
  createdTexts,
  findOne,
  keepRow,
  lockRow,
  newRow,
  type Row,
  touched,
} from "./rows.js";
import { isDuplicate } from "./storage-errors.js";
import { countOf } from "./tallies.js";

const IP_POLICY_RULE_ACTIONS = ["allow", "deny"] as const;
type IpPolicyRuleAction = (typeof IP_POLICY_RULE_ACTIONS)[number];

/** What an IP policy does with the addresses of one network. */
export interface IpPolicyRule extends Row {
  /** The network, as given; stands once in each policy. */
  readonly cidr: string;
  /** Never changes. */
  readonly action: IpPolicyRuleAction;
  /** Never changes. */
  readonly ipPolicyId: string;
}

export const action = z.enum(IP_POLICY_RULE_ACTIONS);
const texts = { description: description.nullish(), metadata: metadata.nullish() };

export const ipPolicyRuleInputs = {
  create: z.strictObject({ ...texts, cidr, ipPolicyId: reference("ipPolicy"), action }),
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
    const data = { ...newRow("ipPolicyRule"), ...createdTexts(input), cidr, ipPolicyId, action };
    const row = await unlessDuplicate(cidr, context.db.ipPolicyRule.create({ data }));
    return created(context, "ipPolicyRule", toIpPolicyRule(row));
  });
}

/** Throws NOT_FOUND. */
export async function getIpPolicyRule({ db }: Context, id: string): Promise<IpPolicyRule> {
  const read = () => db.ipPolicyRule.findUnique({ where: { id } });
  return toIpPolicyRule(await findOne("ipPolicyRule", id, read));
}

export async function ipPolicyRulesById(
  { db }: Context,
  ids: readonly string[],
): Promise<IpPolicyRule[]> {
  const rows = await db.ipPolicyRule.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(toIpPolicyRule);
}

/** Newest first. */
export async function listIpPolicyRules(
  { db }: Context,
  page: PageRequest,
): Promise<IpPolicyRule[]> {
  return (await db.ipPolicyRule.findMany(keyset(page))).map(toIpPolicyRule);
}

export function countIpPolicyRules(context: Context): Promise<number> {
  return countOf(context, "ipPolicyRule");
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
  return inTransaction(context, async (context) => {
    await lockRow(context, "ipPolicyRule", id);
    const current = await getIpPolicyRule(context, id);
    const { cidr = current.cidr } = input;
    const changed = changes(current, { ...changedTexts(input), cidr });
    if (!changed) return current;
    const data = { ...changed, ...touched() };
    const write = context.db.ipPolicyRule.update({ where: { id }, data });
    const row = await unlessDuplicate(cidr, write);
    return updated(context, "ipPolicyRule", current, toIpPolicyRule(row));
  });
}

/** Throws NOT_FOUND. */
export function deleteIpPolicyRule(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "ipPolicyRule", id);
    const current = await getIpPolicyRule(context, id);
    await context.db.ipPolicyRule.delete({ where: { id } });
    deleted(context, "ipPolicyRule", current);
  });
}

async function unlessDuplicate<Result>(cidr: string, write: PromiseLike<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const message = "is the network of another rule of this IP policy";
    throw new DomainError("CONFLICT", `This IP policy already has a rule for ${cidr}.`, [
      { path: ["cidr"], message },
    ]);
  }
}

/** The rule that a row of the database is. */
export function toIpPolicyRule(
  row: Omit<IpPolicyRule, "action"> & { action: string },
): IpPolicyRule {
  return { ...row, action: action.parse(row.action) };
}
