import { z } from "zod";
import { created, deleted, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { description, metadata } from "./fields.js";
import { keyset, type PageRequest } from "./pages.js";
import { refuseWhileInUse } from "./references.js";
import {
  changedTexts,
  changes,
  createdTexts,
  findOne,
  lockRow,
  lockRowsOf,
  newRow,
  type Row,
  touched,
} from "./rows.js";
import { countOf } from "./tallies.js";

/** A named set of rules that says which source addresses may reach an endpoint. */
export interface IpPolicy extends Row {}

const fields = { description: description.nullish(), metadata: metadata.nullish() };

export const ipPolicyInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

export function createIpPolicy(
  context: Context,
  input: z.output<typeof ipPolicyInputs.create>,
): Promise<IpPolicy> {
  return inTransaction(context, async (context) => {
    const data = { ...newRow("ipPolicy"), ...createdTexts(input) };
    return created(context, "ipPolicy", await context.db.ipPolicy.create({ data }));
  });
}

/** Throws NOT_FOUND. */
export function getIpPolicy({ db }: Context, id: string): Promise<IpPolicy> {
  return findOne("ipPolicy", id, () => db.ipPolicy.findUnique({ where: { id } }));
}

export function ipPoliciesById({ db }: Context, ids: readonly string[]): Promise<IpPolicy[]> {
  return db.ipPolicy.findMany({ where: { id: { in: [...ids] } } });
}

/** Newest first. */
export function listIpPolicies({ db }: Context, page: PageRequest): Promise<IpPolicy[]> {
  return db.ipPolicy.findMany(keyset(page));
}

export function countIpPolicies(context: Context): Promise<number> {
  return countOf(context, "ipPolicy");
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateIpPolicy(
  context: Context,
  id: string,
  input: z.output<typeof ipPolicyInputs.update>,
): Promise<IpPolicy> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "ipPolicy", id);
    const current = await getIpPolicy(context, id);
    const changed = changes(current, changedTexts(input));
    if (!changed) return current;
    const data = { ...changed, ...touched() };
    const row = await context.db.ipPolicy.update({ where: { id }, data });
    return updated(context, "ipPolicy", current, row);
  });
}

/** Deletes the policy and its rules. Throws NOT_FOUND, and IN_USE while an edge or a route checks it. */
export function deleteIpPolicy(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "ipPolicy", id);
    const current = await getIpPolicy(context, id);
    await refuseWhileInUse(context, "ipPolicy", id);
    await lockRowsOf(context, "ipPolicyRule", id);
    const rules = await context.db.ipPolicyRule.findMany({
      where: { ipPolicyId: id },
      orderBy: { id: "asc" },
    });
    await context.db.ipPolicy.delete({ where: { id } });
    for (const rule of rules) deleted(context, "ipPolicyRule", rule);
    deleted(context, "ipPolicy", current);
  });
}
