import {
  createIpPolicyRule,
  deleteIpPolicyRule,
  ipPolicyRuleInputs,
  updateIpPolicyRule,
} from "../domain/ip-policy-rules.js";
import { collection, ref, timestamp } from "./contract/contract.js";

export const ipPolicyRules = collection({
  kind: "ipPolicyRule",
  path: "/ip_policy_rules",
  listKey: "ip_policy_rules",
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
