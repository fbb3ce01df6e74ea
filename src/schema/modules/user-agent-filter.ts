import type { UserAgentFilter } from "../../domain/modules/user-agent-filter.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const UserAgentFilterModule = builder
  .objectRef<UserAgentFilter>("UserAgentFilterModule")
  .implement({
    description: "Lets requests through by their User-Agent.",
    interfaces: [Module],
    fields: (t) => ({
      allow: t.exposeStringList("allow", {
        description: "Regular expressions (RE2) of user agents that are let through.",
      }),
      deny: t.exposeStringList("deny", {
        description: "Regular expressions (RE2) of user agents that are refused.",
      }),
    }),
  });

const UserAgentFilterModuleInput = builder.inputType("UserAgentFilterModuleInput", {
  description:
    "Lets requests through by their User-Agent. All expressions together compile to at most 100,000 instructions.",
  fields: (t) => ({
    enabled: enabledInput(t),
    allow: t.stringList({
      description:
        "Regular expressions (RE2) of user agents that are let through: at most 100 of at most 512 bytes, none when unspecified.",
    }),
    deny: t.stringList({
      description:
        "Regular expressions (RE2) of user agents that are refused: at most 100 of at most 512 bytes, none when unspecified.",
    }),
  }),
});

export const userAgentFilter: ModuleType<UserAgentFilter> = {
  type: UserAgentFilterModule,
  input: UserAgentFilterModuleInput,
  about: "The user agents that are let through; all when null.",
  kind: "Allows or denies user agents.",
};
