import {
  createIpPolicy,
  deleteIpPolicy,
  ipPolicyInputs,
  updateIpPolicy,
} from "../domain/ip-policies.js";
import { ipPolicyList } from "../domain/lists/filters/ip-policies.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { IpPolicyRef } from "./builder/resource-types.js";
import { readPage, readResource } from "./reads/reads.js";

export const IpPolicyType = IpPolicyRef.implement({
  description: "A named set of rules that says which source addresses may reach an endpoint.",
  interfaces: [Node],
});

const IpPolicyConnection = connectionOf(IpPolicyType, "IpPolicy", "IP policies");

const ipPolicyListInputs = listInputs("IpPolicy", "IP policies", (t) => ({
  unused: t.boolean({
    description: "True: those that no route and no TLS edge checks. False: all others.",
  }),
}));

const CreateInput = builder
  .inputType("CreateIpPolicyInput", {
    description: "A new IP policy. Its rules are created one by one, with `createIpPolicyRule`.",
    fields: (t) => ({ description: descriptionInput(t), metadata: metadataInput(t) }),
  })
  .validate(ipPolicyInputs.create);

const UpdateInput = builder
  .inputType("UpdateIpPolicyInput", {
    description: "Absent leaves a field as it is, null clears it.",
    fields: (t) => ({ description: descriptionInput(t), metadata: metadataInput(t) }),
  })
  .validate(ipPolicyInputs.update);

builder.queryFields((t) => ({
  ipPolicy: t.field({
    type: IpPolicyType,
    nullable: true,
    description: "One IP policy.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "ipPolicy", id),
  }),
  ipPolicies: t.field({
    type: IpPolicyConnection,
    description: "All IP policies; newest first by default.",
    args: listArguments(t, ipPolicyListInputs),
    resolve: (_, args, context, info) => readPage(context, info, ipPolicyList, args),
  }),
}));

builder.mutationFields((t) => ({
  createIpPolicy: t.field({
    type: IpPolicyType,
    nullable: true,
    description: "Creates an IP policy.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The IP policy." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createIpPolicy(context, args.input)),
  }),
  updateIpPolicy: t.field({
    type: IpPolicyType,
    nullable: true,
    description: "Changes an IP policy.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "ipPolicy", args, (context, id) =>
        updateIpPolicy(context, id, args.input),
      ),
  }),
  deleteIpPolicy: t.id({
    nullable: true,
    description:
      "Deletes an IP policy with its rules and returns its id. Refused while it is used.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "ipPolicy", args, deleteIpPolicy),
  }),
}));
