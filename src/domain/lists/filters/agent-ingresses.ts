import { Prisma } from "../../../database/index.js";
import { domainName } from "../../formats/networks.js";
import { DOMAIN, domainKey } from "../orders.js";
import { listOf, member } from "./filter.js";

export const agentIngressList = listOf({
  kinds: ["agentIngress"],
  orders: [DOMAIN],
  members: {
    domain: member(
      domainName,
      (domain) =>
        Prisma.sql`${domainKey(Prisma.sql`item.domain`)} = ${domainKey(Prisma.sql`${domain}::text`)}`,
    ),
  },
});
