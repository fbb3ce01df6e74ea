import type { UserAgentFilter } from "../../domain/modules/user-agent-filter.js";
import { MAX_EXPRESSION_BYTES, MAX_EXPRESSIONS } from "../../domain/modules/user-agent-filter.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const UserAgentFilterModule = builder
  .objectRef<UserAgentFilter>("UserAgentFilterModule")
  .implement({
    description: "Allows or denies requests by their User-Agent header.",
    interfaces: [Module],
    fields: (t) => ({
      allow: t.exposeStringList("allow", {
        description: "Regular expressions (RE2) for user agents that are allowed.",
      }),
      deny: t.exposeStringList("deny", {
        description: "Regular expressions (RE2) for user agents that are denied.",
      }),
    }),
  });

const UserAgentFilterModuleInput = builder.inputType("UserAgentFilterModuleInput", {
  description:
    "Allows or denies requests by their User-Agent header. All expressions together compile to at most 100,000 instructions.",
  fields: (t) => ({
    enabled: enabledInput(t),
    allow: t.stringList({
      description: `Regular expressions (RE2) for user agents that are allowed: at most ${MAX_EXPRESSIONS} of at most ${MAX_EXPRESSION_BYTES} bytes; default none.`,
    }),
    deny: t.stringList({
      description: `Regular expressions (RE2) for user agents that are denied: at most ${MAX_EXPRESSIONS} of at most ${MAX_EXPRESSION_BYTES} bytes; default none.`,
    }),
  }),
});

export const userAgentFilter: ModuleType<UserAgentFilter> = {
  type: UserAgentFilterModule,
  input: UserAgentFilterModuleInput,
  about: "Restricts the user agents that may connect; null means no restriction.",
  kind: "Allows or denies requests by their User-Agent header.",
};
