import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import { region } from "../../core/enumerations.js";
import { reference } from "../../core/fields.js";
import { hostport } from "../../formats/networks.js";
import { REFERENCES } from "../../storage/graph.js";
import { ADDR } from "../orders.js";
import { equals, isHostport, listOf, member } from "./filter.js";

export const reservedAddrList = listOf({
  kinds: ["reservedAddr"],
  orders: [ADDR],
  members: {
    addr: member(hostport, (addr) => isHostport(Prisma.sql`item.addr`, addr)),
    region: equals("region", region),
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

export const addrsOfEndpointConfigurationList = {
  sequence: reservedAddrList,
  reference: REFERENCES.configurationOfAddr,
};
