import {
  createIpRestriction,
  deleteIpRestriction,
  ipRestrictionInputs,
  updateIpRestriction,
} from "../domain/ip-restrictions.js";
import { collection, ref, timestamp } from "./contract/contract.js";
import { emptyListLeaves } from "./contract/tolerances.js";

export const ipRestrictions = collection({
  kind: "ipRestriction",
  path: "/ip_restrictions",
  listKey: "ip_restrictions",
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
