import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const ipPolicyList = listOf({
  table: "ip_policies",
  kinds: ["ipPolicy"],
  members: {
    unused: unused("ipPolicy"),
  },
});
