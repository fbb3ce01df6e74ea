import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const ipPolicyList = listOf({
  kinds: ["ipPolicy"],
  members: {
    unused: unused("ipPolicy"),
  },
});
