import { Prisma } from "../../../database/index.js";
import { hostport } from "../../formats/networks.js";
import { ADDRESS } from "../orders.js";
import type { Condition } from "../sequences.js";
import { isHostport, listOf, member } from "./filter.js";
import { unused } from "./use.js";

export const staticBackendList = listOf({
  kinds: ["staticBackend"],
  orders: [ADDRESS],
  members: {
    address: member(hostport, isAtAddress),
    unused: unused("staticBackend"),
  },
});

/** The static backends with this address, however it is written. The index has the kind first. */
export function isAtAddress(address: string): Condition {
  return Prisma.sql`(item.kind = 'static' AND ${isHostport(Prisma.sql`item.address`, address)})`;
}
