import type { IpRestrictionSettings } from "../../domain/modules/links.js";
import { MAX_IP_POLICIES } from "../../domain/modules/links.js";
import { builder } from "../builder/builder.js";
import { IpPolicyRef } from "../builder/resource-types.js";
import { targetsField } from "../reads/links.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const IpRestrictionModule = builder
  .objectRef<IpRestrictionSettings>("IpRestrictionModule")
  .implement({
    description: "Allows or denies clients by their source address.",
    interfaces: [Module],
    fields: (t) => ({
      ipPolicies: t.field({
        type: [IpPolicyRef],
        description: "The IP policies that check the source address, in the order given.",
        ...targetsField({
          to: "ip_policies",
          member: "ipRestriction",
          isInside: true,
          holds: MAX_IP_POLICIES,
          id: ({ ipPolicyIds }: IpRestrictionSettings) => ipPolicyIds,
        }),
      }),
    }),
  });

const IpRestrictionModuleInput = builder.inputType("IpRestrictionModuleInput", {
  description: "Allows or denies clients by their source address.",
  fields: (t) => ({
    enabled: enabledInput(t),
    ipPolicyIds: t.idList({
      required: true,
      description: `The ids of the IP policies that check the source address: 1 to ${MAX_IP_POLICIES}, each once; the order is kept.`,
    }),
  }),
});

export const ipRestriction: ModuleType<IpRestrictionSettings> = {
  type: IpRestrictionModule,
  input: IpRestrictionModuleInput,
  about: "Restricts the source addresses that may connect; null means no restriction.",
  kind: "Allows or denies clients by their source address.",
};
