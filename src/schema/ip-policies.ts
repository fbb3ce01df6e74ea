import {
  createIpPolicy,
  deleteIpPolicy,
  ipPolicyInputs,
  updateIpPolicy,
} from "../domain/ip-policies.js";
import { ipPolicyList } from "../domain/lists/filters/ip-policies.js";
import { Node } from "./builder/builder.js";
import { IpPolicyRef } from "./builder/resource-types.js";
import { collection } from "./collection.js";

export const IpPolicyType = IpPolicyRef.implement({
  description: "A named set of rules that says which source addresses may reach an endpoint.",
  interfaces: [Node],
});

collection({
  kind: "ipPolicy",
  plural: "ipPolicies",
  type: IpPolicyType,
  list: ipPolicyList,
  filter: (t) => ({
    unused: t.boolean({
      description: "True: those that no route and no TLS edge checks. False: all others.",
    }),
  }),
  create: {
    rule: ipPolicyInputs.create,
    inputNote: "Its rules are created one by one, with `createIpPolicyRule`.",
    run: createIpPolicy,
  },
  update: { rule: ipPolicyInputs.update, run: updateIpPolicy },
  remove: { note: "Its rules go with it. Refused while it is used.", run: deleteIpPolicy },
});
