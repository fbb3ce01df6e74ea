import { Prisma } from "../../../database/index.js";
import { hostport } from "../../formats/networks.js";
import { ADDRESS } from "../orders.js";
import { isHostport, listOf, member } from "./filter.js";
import { unused } from "./use.js";

export const staticBackendList = listOf({
  kinds: ["staticBackend"],
  orders: [ADDRESS],
  members: {
    // The index has the kind first.
    address: member(
      hostport,
      (address) =>
        Prisma.sql`(item.kind = 'static' AND ${isHostport(Prisma.sql`item.address`, address)})`,
    ),
    unused: unused("staticBackend"),
  },
});
