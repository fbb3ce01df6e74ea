import {
  createIpPolicyRule,
  deleteIpPolicyRule,
  type IpPolicyRule,
  ipPolicyRuleInputs,
  updateIpPolicyRule,
} from "../domain/ip-policy-rules.js";
import { ipPolicyRuleList, rulesOfIpPolicyList } from "../domain/lists/filters/ip-policy-rules.js";
import { builder, Node } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import { collection } from "./collection.js";
import { IpPolicyType } from "./ip-policies.js";
import { listField, targetField } from "./reads/reads.js";

const IpPolicyRuleAction = builder.enumType("IpPolicyRuleAction", {
  description: "What a rule does with the addresses of its network.",
  values: {
    ALLOW: { value: "allow", description: "They may reach the endpoint." },
    DENY: { value: "deny", description: "They may not reach the endpoint." },
  } as const,
});

const IpPolicyRuleType = builder.objectRef<IpPolicyRule>("IpPolicyRule").implement({
  description: "What an IP policy does with the addresses of one network.",
  interfaces: [Node],
  fields: (t) => ({
    cidr: t.exposeString("cidr", {
      description: "The network as given, such as `10.0.0.0/8`; stands once in each policy.",
    }),
    action: t.expose("action", {
      type: IpPolicyRuleAction,
      description: "What happens to addresses of this network; never changes.",
    }),
    ipPolicy: t.field({
      type: IpPolicyType,
      description: "The IP policy that the rule belongs to; never changes.",
      ...targetField({
        to: "ip_policies",
        member: "ipPolicyId",
        id: ({ ipPolicyId }: IpPolicyRule) => ipPolicyId,
      }),
    }),
  }),
});

const CIDR =
  "An IPv4 or IPv6 network in CIDR form, such as `10.0.0.0/8` or `2001:db8::/32`: its lowest address and the length of the prefix.";

/** What a new rule does. */
export function ruleInputs(t: InputFields) {
  return {
    cidr: t.string({ required: true, description: CIDR }),
    action: t.field({
      type: IpPolicyRuleAction,
      required: true,
      description: "What happens to addresses of the network; cannot be changed later.",
    }),
  };
}

const ipPolicyRules = collection({
  kind: "ipPolicyRule",
  plural: "ipPolicyRules",
  type: IpPolicyRuleType,
  list: ipPolicyRuleList,
  filter: (t) => ({
    ipPolicyId: t.id({ description: "Those of this IP policy." }),
    action: t.field({ type: IpPolicyRuleAction, description: "Those with this action." }),
    cidr: t.string({
      description: "Those for exactly this network, as it was given, such as `10.0.0.0/8`.",
    }),
  }),
  create: {
    note: "Refused when its IP policy has one for this network.",
    rule: ipPolicyRuleInputs.create,
    fields: (t) => ({
      ...ruleInputs(t),
      ipPolicyId: t.id({
        required: true,
        description: "The IP policy that it belongs to; cannot be changed later.",
      }),
    }),
    run: createIpPolicyRule,
  },
  update: {
    rule: ipPolicyRuleInputs.update,
    inputNote: "The network is never cleared; policy and action stay.",
    fields: (t) => ({ cidr: t.string({ description: CIDR }) }),
    run: updateIpPolicyRule,
  },
  remove: { run: deleteIpPolicyRule },
});

builder.objectField(IpPolicyType, "rules", (t) =>
  t.field({
    type: ipPolicyRules.connection,
    description: "The rules of this IP policy; newest first by default.",
    args: listArguments(t, ipPolicyRules),
    ...listField(rulesOfIpPolicyList),
  }),
);
