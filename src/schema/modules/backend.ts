import type { BackendSettings } from "../../domain/modules/links.js";
import { builder } from "../builder/builder.js";
import { BackendRef, BackendReferenceInput } from "../builder/resource-types.js";
import { targetField } from "../reads/links.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const BackendModule = builder.objectRef<BackendSettings>("BackendModule").implement({
  description: "The destination of the traffic.",
  interfaces: [Module],
  fields: (t) => ({
    backend: t.field({
      type: BackendRef,
      description: "The backend, of any kind.",
      ...targetField({
        to: "backends",
        member: "backend",
        isInside: true,
        id: ({ backendId }: BackendSettings) => backendId,
      }),
    }),
  }),
});

const BackendModuleInput = builder.inputType("BackendModuleInput", {
  description: "The destination of the traffic.",
  fields: (t) => ({
    enabled: enabledInput(t),
    backend: t.field({
      type: BackendReferenceInput,
      required: true,
      description: "The backend, by its id or as a new backend.",
    }),
  }),
});

export const backend: ModuleType<BackendSettings> = {
  type: BackendModule,
  input: BackendModuleInput,
  about: "The destination of its traffic; null means none.",
  kind: "The destination of the traffic.",
};
