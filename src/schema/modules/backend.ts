import { backendsById } from "../../domain/backends.js";
import { DomainError } from "../../domain/errors.js";
import type { BackendSettings } from "../../domain/modules/links.js";
import { BackendInterface } from "../backends.js";
import { builder } from "../builder.js";
import { load } from "../loaders.js";
import { enabledInput, Module } from "./module.js";

export const BackendModule = builder.objectRef<BackendSettings>("BackendModule").implement({
  description: "Where traffic goes.",
  interfaces: [Module],
  fields: (t) => ({
    backend: t.field({
      type: BackendInterface,
      description: "The backend, of any kind.",
      resolve: async ({ backendId }, _, context) => {
        const backend = await load(context, backendsById, backendId);
        if (backend) return backend;
        throw new DomainError("NOT_FOUND", `The backend ${backendId} was deleted meanwhile.`);
      },
    }),
  }),
});

export const BackendModuleInput = builder.inputType("BackendModuleInput", {
  description: "Where traffic goes.",
  fields: (t) => ({
    enabled: enabledInput(t),
    backendId: t.id({ required: true, description: "The id of a backend of any kind." }),
  }),
});
