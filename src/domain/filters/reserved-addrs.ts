import { z } from "zod";
import { Prisma } from "../../database/index.js";
import { nestedList } from "../lists.js";
import { reference } from "../references.js";
import { REGIONS } from "../reserved-addrs.js";
import { equals, listOf, member } from "./filter.js";

export const reservedAddrList = listOf({
  table: "reserved_addrs",
  kinds: ["reservedAddr"],
  searched: Prisma.sql`item.addr`,
  members: {
    region: equals("region", z.enum(REGIONS)),
    attached: member(
      z.boolean(),
      (attached) =>
        Prisma.sql`item.endpoint_configuration_id IS ${Prisma.raw(attached ? "NOT NULL" : "NULL")}`,
    ),
    endpointConfigurationId: equals(
      "endpoint_configuration_id",
      reference("endpointConfiguration"),
    ),
  },
});

export const addrsOfEndpointConfigurationList = nestedList(
  reservedAddrList,
  "endpoint_configuration_id",
);
