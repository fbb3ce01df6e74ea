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
import { listField, targetField } from "./reads/links.js";

const IpPolicyRuleAction = builder.enumType("IpPolicyRuleAction", {
  description: "The action of a rule for the addresses of its network.",
  values: {
    ALLOW: { value: "allow", description: "The addresses may reach the endpoint." },
    DENY: { value: "deny", description: "The addresses may not reach the endpoint." },
  } as const,
});

const IpPolicyRuleType = builder.objectRef<IpPolicyRule>("IpPolicyRule").implement({
  description: "A rule of an IP policy: it allows or denies the addresses of one network.",
  interfaces: [Node],
  fields: (t) => ({
    cidr: t.exposeString("cidr", {
      description: "The network as given, such as `10.0.0.0/8`; unique in its policy.",
    }),
    action: t.expose("action", {
      type: IpPolicyRuleAction,
      description: "The action for addresses of this network; cannot be changed.",
    }),
    ipPolicy: t.field({
      type: IpPolicyType,
      description: "The IP policy of the rule; cannot be changed.",
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

/** The inputs for the network and the action of a new rule. */
export function ruleInputs(t: InputFields) {
  return {
    cidr: t.string({ required: true, description: CIDR }),
    action: t.field({
      type: IpPolicyRuleAction,
      required: true,
      description: "The action for addresses of this network; cannot be changed later.",
    }),
  };
}

const ipPolicyRules = collection({
  kind: "ipPolicyRule",
  plural: "ipPolicyRules",
  type: IpPolicyRuleType,
  list: ipPolicyRuleList,
  filter: (t) => ({
    ipPolicyId: t.id({ description: "Only those of this IP policy." }),
    action: t.field({ type: IpPolicyRuleAction, description: "Only those with this action." }),
    cidr: t.string({
      description: "Only those for exactly this network, as it was given, such as `10.0.0.0/8`.",
    }),
  }),
  create: {
    note: "Refused when the IP policy already has a rule for this network.",
    rule: ipPolicyRuleInputs.create,
    fields: (t) => ({
      ...ruleInputs(t),
      ipPolicyId: t.id({
        required: true,
        description: "The id of the IP policy of the rule; cannot be changed later.",
      }),
    }),
    run: createIpPolicyRule,
  },
  update: {
    rule: ipPolicyRuleInputs.update,
    inputNote: "The network cannot be null. Policy and action cannot be changed.",
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
