import { z } from "zod";
import {
  createIpPolicy,
  deleteIpPolicy,
  ipPolicyInputs,
  updateIpPolicy,
} from "../domain/ip-policies.js";
import { row } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { ignored } from "./contract/tolerances.js";

export const ipPolicies = collection({
  kind: "ipPolicy",
  path: "/ip_policies",
  listKey: "ip_policies",
  answer: z.strictObject(row("ipPolicy")),
  example: { description: "Offices" },
  inputs: ipPolicyInputs,
  // Where the action of a policy's rules stood in older clients.
  tolerates: { create: [ignored("action")], update: [ignored("action")] },
  create: createIpPolicy,
  update: updateIpPolicy,
  remove: deleteIpPolicy,
  view: (policy, link) => ({
    id: policy.id,
    uri: link(`/ip_policies/${policy.id}`),
    created_at: timestamp(policy.createdAt),
    description: policy.description,
    metadata: policy.metadata,
  }),
});
