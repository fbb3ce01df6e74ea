import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const ipPolicyList = listOf({
  table: "ip_policies",
  kinds: ["ipPolicy"],
  members: {
    unused: unused(
      { table: "https_edge_route_ip_policies", column: "ip_policy_id" },
      { table: "tls_edge_ip_policies", column: "ip_policy_id" },
    ),
  },
});
