import type { Types } from "../builder/builder.js";
import { builder } from "../builder/builder.js";

export type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, "InputObject">;

export const Module = builder.interfaceRef<{ readonly enabled: boolean }>("Module").implement({
  description: "What every traffic module has.",
  fields: (t) => ({
    enabled: t.exposeBoolean("enabled", {
      description: "Whether the module is applied to traffic; its settings stay when it is not.",
    }),
  }),
});

export function enabledInput(t: InputFields) {
  return t.boolean({
    description: "Whether the module is applied to traffic; true when unspecified.",
  });
}
