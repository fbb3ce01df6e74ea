import type { InputRef, ObjectRef } from "@pothos/core";
import type { ModuleOwner } from "../../domain/modules/index.js";
import { builder, type Types } from "../builder/builder.js";
import type { InputFields } from "../builder/inputs.js";

export const Module = builder.interfaceRef<{ readonly enabled: boolean }>("Module").implement({
  description: "The fields that every module has.",
  fields: (t) => ({
    enabled: t.exposeBoolean("enabled", {
      description:
        "Whether the module is applied to traffic. Its settings are kept while it is disabled.",
    }),
  }),
});

/** A module in GraphQL. `Value` is the type of the module in the view of its owner. */
export interface ModuleType<Value> {
  readonly type: ObjectRef<Types, Value>;
  /** The input type of the module. */
  readonly input: InputRef;
  /** The input type for an owner that has another rule for the module. */
  readonly inputOn?: { readonly [Owner in ModuleOwner]?: InputRef };
  /** The description of the field of an owner, including the meaning of null. */
  readonly about: string;
  /** The purpose of modules of this kind. */
  readonly kind: string;
}

export function enabledInput(t: InputFields) {
  return t.boolean({
    description: "Whether the module is applied to traffic; default true.",
  });
}
