import { z } from "zod";
import { ipPolicyRuleAction } from "../domain/core/enumerations.js";
import {
  createIpPolicyRule,
  deleteIpPolicyRule,
  ipPolicyRuleInputs,
  updateIpPolicyRule,
} from "../domain/ip-policy-rules.js";
import { refTo, row } from "./contract/answers.js";
import { collection, ref, timestamp } from "./contract/contract.js";
import { exampleId } from "./contract/examples.js";

export const ipPolicyRules = collection({
  kind: "ipPolicyRule",
  path: "/ip_policy_rules",
  listKey: "ip_policy_rules",
  answer: z.strictObject({
    ...row("ipPolicyRule"),
    cidr: z.string(),
    ip_policy: refTo("ipPolicy"),
    action: ipPolicyRuleAction,
  }),
  example: { cidr: "192.0.2.0/24", ipPolicyId: exampleId("ipPolicy"), action: "allow" },
  inputs: ipPolicyRuleInputs,
  create: createIpPolicyRule,
  update: updateIpPolicyRule,
  remove: deleteIpPolicyRule,
  view: (rule, link) => ({
    id: rule.id,
    uri: link(`/ip_policy_rules/${rule.id}`),
    created_at: timestamp(rule.createdAt),
    description: rule.description,
    metadata: rule.metadata,
    cidr: rule.cidr,
    ip_policy: ref(link, "/ip_policies", rule.ipPolicyId),
    action: rule.action,
  }),
});
