import { ipPolicyRuleAction } from "../../core/enumerations.js";
import { reference } from "../../core/fields.js";
import { cidr } from "../../formats/networks.js";
import { REFERENCES } from "../../storage/graph.js";
import { CIDR } from "../orders.js";
import { equals, listOf } from "./filter.js";

export const ipPolicyRuleList = listOf({
  kinds: ["ipPolicyRule"],
  orders: [CIDR],
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
