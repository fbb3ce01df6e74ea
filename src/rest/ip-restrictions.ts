import { z } from "zod";
import { ipRestrictionType } from "../domain/core/enumerations.js";
import {
  createIpRestriction,
  deleteIpRestriction,
  ipRestrictionInputs,
  updateIpRestriction,
} from "../domain/ip-restrictions.js";
import { refTo, row } from "./contract/answers.js";
import { collection, ref, timestamp } from "./contract/contract.js";
import { exampleId } from "./contract/examples.js";
import { emptyListLeaves } from "./contract/tolerances.js";

export const ipRestrictions = collection({
  kind: "ipRestriction",
  path: "/ip_restrictions",
  listKey: "ip_restrictions",
  answer: z.strictObject({
    ...row("ipRestriction"),
    enforced: z.boolean(),
    type: ipRestrictionType,
    ip_policies: z.array(refTo("ipPolicy")),
  }),
  example: { type: "api", enforced: true, ipPolicyIds: [exampleId("ipPolicy")] },
  inputs: ipRestrictionInputs,
  // Typed clients send an empty list with every update that gives none.
  tolerates: { update: [emptyListLeaves("ipPolicyIds")] },
  create: createIpRestriction,
  update: updateIpRestriction,
  remove: deleteIpRestriction,
  view: (restriction, link) => ({
    id: restriction.id,
    uri: link(`/ip_restrictions/${restriction.id}`),
    created_at: timestamp(restriction.createdAt),
    description: restriction.description,
    metadata: restriction.metadata,
    enforced: restriction.enforced,
    type: restriction.type,
    ip_policies: restriction.ipPolicyIds.map((id) => ref(link, "/ip_policies", id)),
  }),
});
