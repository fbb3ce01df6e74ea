import { ipPolicyRuleAction } from "../enumerations.js";
import { REFERENCES } from "../graph.js";
import { cidr } from "../networks.js";
import { reference } from "../references.js";
import { equals, listOf } from "./filter.js";

export const ipPolicyRuleList = listOf({
  kinds: ["ipPolicyRule"],
  members: {
    ipPolicyId: equals("ip_policy_id", reference("ipPolicy")),
    action: equals("action", ipPolicyRuleAction),
    cidr: equals("cidr", cidr),
  },
});

export const rulesOfIpPolicyList = {
  sequence: ipPolicyRuleList,
  reference: REFERENCES.policyOfRule,
};
