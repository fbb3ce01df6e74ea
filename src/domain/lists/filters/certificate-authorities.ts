import { NOT_AFTER } from "../orders.js";
import { listOf } from "./filter.js";
import { unused } from "./use.js";
import { expiringBefore } from "./validity.js";

export const certificateAuthorityList = listOf({
  kinds: ["certificateAuthority"],
  orders: [NOT_AFTER],
  members: { expiringBefore, unused: unused("certificateAuthority") },
});
