import { Prisma } from "../../../database/index.js";
import { timestamp } from "../../core/fields.js";
import { NOT_AFTER } from "../orders.js";
import { listOf, member, now } from "./filter.js";
import { unused } from "./use.js";

export const certificateAuthorityList = listOf({
  kinds: ["certificateAuthority"],
  orders: [NOT_AFTER],
  members: {
    /** Without those that have expired: their last moment is before now. */
    expiringBefore: member(
      timestamp,
      (time) => Prisma.sql`item.not_after >= ${now} AND item.not_after < ${time}`,
    ),
    unused: unused("certificateAuthority"),
  },
});
