import { action } from "../ip-policy-rules.js";
import { nestedList } from "../lists.js";
import { cidr } from "../networks.js";
import { reference } from "../references.js";
import { equals, listOf } from "./filter.js";

export const ipPolicyRuleList = listOf({
  table: "ip_policy_rules",
  kinds: ["ipPolicyRule"],
  members: {
    ipPolicyId: equals("ip_policy_id", reference("ipPolicy")),
    action: equals("action", action),
    cidr: equals("cidr", cidr),
  },
});

export const rulesOfIpPolicyList = nestedList(ipPolicyRuleList, "ip_policy_id");
