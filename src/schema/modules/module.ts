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

/** A module in GraphQL. `Value` is what an owner shows of it. */
export interface ModuleType<Value> {
  readonly type: ObjectRef<Types, Value>;
  /** How it is given. */
  readonly input: InputRef;
  /** How it is given where an owner has another rule for it. */
  readonly inputOn?: { readonly [Owner in ModuleOwner]?: InputRef };
  /** What it says of an owner, and what holds when it is null. */
  readonly about: string;
  /** What modules of this kind are for. */
  readonly kind: string;
}

export function enabledInput(t: InputFields) {
  return t.boolean({
    description: "Whether the module is applied to traffic; default true.",
  });
}
