import { domainName } from "../../formats/networks.js";
import { DOMAIN } from "../orders.js";
import { isDomain, listOf, member } from "./filter.js";

export const agentIngressList = listOf({
  kinds: ["agentIngress"],
  orders: [DOMAIN],
  members: {
    domain: member(domainName, isDomain),
  },
});
