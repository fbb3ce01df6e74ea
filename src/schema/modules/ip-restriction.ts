import type { IpRestrictionSettings } from "../../domain/modules/links.js";
import { builder } from "../builder/builder.js";
import { IpPolicyRef } from "../builder/resource-types.js";
import { targetsField } from "../reads/reads.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const IpRestrictionModule = builder
  .objectRef<IpRestrictionSettings>("IpRestrictionModule")
  .implement({
    description: "Lets clients connect by their source address.",
    interfaces: [Module],
    fields: (t) => ({
      ipPolicies: t.field({
        type: [IpPolicyRef],
        description: "The IP policies that source addresses are checked against, in order.",
        ...targetsField({
          to: "ip_policies",
          member: "ipRestriction",
          isInside: true,
          id: ({ ipPolicyIds }: IpRestrictionSettings) => ipPolicyIds,
        }),
      }),
    }),
  });

const IpRestrictionModuleInput = builder.inputType("IpRestrictionModuleInput", {
  description: "Lets clients connect by their source address.",
  fields: (t) => ({
    enabled: enabledInput(t),
    ipPolicyIds: t.idList({
      required: true,
      description:
        "The ids of the IP policies that source addresses are checked against: 1 to 100, each once; the order is kept.",
    }),
  }),
});

export const ipRestriction: ModuleType<IpRestrictionSettings> = {
  type: IpRestrictionModule,
  input: IpRestrictionModuleInput,
  about: "The source addresses that may connect; all when null.",
  kind: "Who may connect, by address.",
};
