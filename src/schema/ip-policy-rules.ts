import {
  createIpPolicyRule,
  deleteIpPolicyRule,
  type IpPolicyRule,
  ipPolicyRuleInputs,
  updateIpPolicyRule,
} from "../domain/ip-policy-rules.js";
import { ipPolicyRuleList, rulesOfIpPolicyList } from "../domain/lists/filters/ip-policy-rules.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, type InputFields, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { IpPolicyType } from "./ip-policies.js";
import { listField, readPage, readResource, targetField } from "./reads/reads.js";

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

const IpPolicyRuleConnection = connectionOf(IpPolicyRuleType, "IpPolicyRule", "IP policy rules");

builder.objectFields(IpPolicyType, (t) => ({
  rules: t.field({
    type: IpPolicyRuleConnection,
    description: "The rules of this IP policy; newest first by default.",
    args: listArguments(t, ipPolicyRuleListInputs),
    ...listField(rulesOfIpPolicyList),
  }),
}));

const CIDR =
  "An IPv4 or IPv6 network in CIDR form, such as `10.0.0.0/8` or `2001:db8::/32`: its lowest address and the length of the prefix.";

const ipPolicyRuleListInputs = listInputs("IpPolicyRule", "IP policy rules", (t) => ({
  ipPolicyId: t.id({ description: "Those of this IP policy." }),
  action: t.field({ type: IpPolicyRuleAction, description: "Those with this action." }),
  cidr: t.string({
    description: "Those for exactly this network, as it was given, such as `10.0.0.0/8`.",
  }),
}));

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

const CreateInput = builder
  .inputType("CreateIpPolicyRuleInput", {
    description: "A new rule of an IP policy.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      ...ruleInputs(t),
      ipPolicyId: t.id({
        required: true,
        description: "The IP policy that it belongs to; cannot be changed later.",
      }),
    }),
  })
  .validate(ipPolicyRuleInputs.create);

const UpdateInput = builder
  .inputType("UpdateIpPolicyRuleInput", {
    description: "Absent leaves a field as it is, null clears a text. Policy and action stay.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      cidr: t.string({ description: CIDR }),
    }),
  })
  .validate(ipPolicyRuleInputs.update);

builder.queryFields((t) => ({
  ipPolicyRule: t.field({
    type: IpPolicyRuleType,
    nullable: true,
    description: "One IP policy rule.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "ipPolicyRule", id),
  }),
  ipPolicyRules: t.field({
    type: IpPolicyRuleConnection,
    description: "The rules of all IP policies; newest first by default.",
    args: listArguments(t, ipPolicyRuleListInputs),
    resolve: (_, args, context, info) => readPage(context, info, ipPolicyRuleList, args),
  }),
}));

builder.mutationFields((t) => ({
  createIpPolicyRule: t.field({
    type: IpPolicyRuleType,
    nullable: true,
    description: "Adds a rule to an IP policy. Refused when the policy has one for this network.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The rule." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createIpPolicyRule(context, args.input)),
  }),
  updateIpPolicyRule: t.field({
    type: IpPolicyRuleType,
    nullable: true,
    description: "Changes an IP policy rule.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "ipPolicyRule", args, (context, id) =>
        updateIpPolicyRule(context, id, args.input),
      ),
  }),
  deleteIpPolicyRule: t.id({
    nullable: true,
    description: "Removes a rule from its IP policy and returns its id.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "ipPolicyRule", args, deleteIpPolicyRule),
  }),
}));
