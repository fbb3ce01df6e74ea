import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import { ipRestrictionType } from "../../core/enumerations.js";
import { reference } from "../../core/fields.js";
import { REFERENCES } from "../../storage/graph.js";
import { equals, listOf, member, refersTo } from "./filter.js";

export const ipRestrictionList = listOf({
  kinds: ["ipRestriction"],
  members: {
    type: equals("type", ipRestrictionType),
    enforced: member(z.boolean(), (enforced) => Prisma.sql`item.enforced = ${enforced}`),
    ipPolicyId: refersTo(REFERENCES.ipPoliciesOfRestriction, reference("ipPolicy")),
  },
});
