import { z } from "zod";
import { created, deleted } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { texts } from "./core/fields.js";
import { getOne, partsInOutline } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { changeResource } from "./single-row-resources.js";
import { lockRow, lockRowsOf } from "./storage/locks.js";
import { refuseWhileInUse } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** A set of rules that allow or deny source addresses. */
export type IpPolicy = Resources["ipPolicy"];

export const ipPolicyInputs = {
  create: z.strictObject(texts),
  update: z.strictObject(texts),
};

export function createIpPolicy(
  context: Context,
  input: z.output<typeof ipPolicyInputs.create>,
): Promise<IpPolicy> {
  return inTransaction(context, async (context) => {
    const policy = { ...newRow("ipPolicy"), ...createdTexts(input) };
    await context.db.ipPolicy.create({ data: policy, select: ID_ALONE });
    return created(context, "ipPolicy", policy);
  });
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateIpPolicy(
  context: Context,
  id: string,
  input: z.output<typeof ipPolicyInputs.update>,
): Promise<IpPolicy> {
  return changeResource(context, "ipPolicy", id, changedTexts(input), ({ db }, data) =>
    db.ipPolicy.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Deletes the policy and its rules. Throws NOT_FOUND, and IN_USE while another resource has it. */
export function deleteIpPolicy(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "ipPolicy", id);
    const current = await getOne(context, "ipPolicy", id);
    await refuseWhileInUse(context, "ipPolicy", id);
    await lockRowsOf(context, "ipPolicyRule", id);
    const rules = await partsInOutline(context, "ipPolicyRule", id);
    await context.db.ipPolicy.delete({ where: { id } });
    for (const rule of rules) deleted(context, "ipPolicyRule", rule);
    deleted(context, "ipPolicy", current);
  });
}
