import { z } from "zod";
import { certificateManagementColumn } from "./certificate-management.js";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { orNull, texts } from "./core/fields.js";
import {
  certificateManagementPolicy,
  certificateManagementPolicyChange,
  changedCertificateManagementPolicy,
} from "./formats/certificate-management.js";
import { domainName } from "./formats/networks.js";
import type { Resources } from "./reads/tables.js";
import { changeResourceBy, deleteResource } from "./single-row-resources.js";
import { unlessTaken } from "./storage/errors.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** A domain of the caller's own below which agents are to connect. */
export type AgentIngress = Resources["agentIngress"];

export const agentIngressInputs = {
  create: z.strictObject({
    ...texts,
    domain: domainName,
    certificateManagementPolicy: orNull(certificateManagementPolicy),
  }),
  update: z.strictObject({
    ...texts,
    certificateManagementPolicy: certificateManagementPolicyChange.nullish(),
  }),
};

/** Throws CONFLICT when another ingress has the domain, in whatever case. */
export function createAgentIngress(
  context: Context,
  input: z.output<typeof agentIngressInputs.create>,
): Promise<AgentIngress> {
  return inTransaction(context, async (context) => {
    const { domain, certificateManagementPolicy } = input;
    const row = { ...newRow("agentIngress"), ...createdTexts(input), domain };
    const data = { ...row, ...certificateManagementColumn(certificateManagementPolicy) };
    await unlessTaken(context.db.agentIngress.create({ data, select: ID_ALONE }), {
      field: "domain",
      message: `Another agent ingress already has the domain ${domain}.`,
      issue: "is the domain of another agent ingress",
    });
    return created(context, "agentIngress", { ...row, certificateManagementPolicy });
  });
}

/**
 * Absent leaves a field as it is, null clears it; of the policy only the members change that are given. Throws
 * NOT_FOUND.
 */
export function updateAgentIngress(
  context: Context,
  id: string,
  input: z.output<typeof agentIngressInputs.update>,
): Promise<AgentIngress> {
  return changeResourceBy(
    context,
    "agentIngress",
    id,
    (current) => ({
      ...changedTexts(input),
      certificateManagementPolicy: changedCertificateManagementPolicy(
        current.certificateManagementPolicy,
        input.certificateManagementPolicy,
      ),
    }),
    ({ db }, { certificateManagementPolicy, ...columns }) =>
      db.agentIngress.update({
        where: { id },
        data: { ...columns, ...certificateManagementColumn(certificateManagementPolicy) },
        select: ID_ALONE,
      }),
  );
}

/** Throws NOT_FOUND. */
export function deleteAgentIngress(context: Context, id: string): Promise<void> {
  return deleteResource(context, "agentIngress", id, ({ db }) =>
    db.agentIngress.delete({ where: { id } }),
  );
}
