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
  description: "A set of rules that allow or deny source addresses.",
  interfaces: [Node],
});

export const ipPolicies = collection({
  kind: "ipPolicy",
  plural: "ipPolicies",
  type: IpPolicyType,
  list: ipPolicyList,
  filter: (t) => ({
    unused: t.boolean({
      description:
        "True: only those that no route, TLS edge, TCP edge, endpoint configuration or IP restriction uses. False: only the others.",
    }),
  }),
  create: {
    rule: ipPolicyInputs.create,
    inputNote: "Its rules are created one by one, with `createIpPolicyRule`.",
    run: createIpPolicy,
  },
  update: { rule: ipPolicyInputs.update, run: updateIpPolicy },
  remove: {
    note: "Its rules are deleted with it. Refused while a route, TLS edge, TCP edge, endpoint configuration or IP restriction uses it.",
    run: deleteIpPolicy,
  },
});
