import type { BackendSettings } from "../../domain/modules/links.js";
import { BackendInterface } from "../backends.js";
import { builder } from "../builder/builder.js";
import { CreateFailoverBackendInput, newFailoverChildFields } from "../failover-backends.js";
import { targetField } from "../reads/reads.js";
import { enabledInput, Module } from "./module.js";

export const BackendModule = builder.objectRef<BackendSettings>("BackendModule").implement({
  description: "Where traffic goes.",
  interfaces: [Module],
  fields: (t) => ({
    backend: t.field({
      type: BackendInterface,
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

const BackendReferenceInput = builder.inputType("BackendReferenceInput", {
  description:
    "A backend of any kind: by its id, or a new one, which is created with what uses it.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of a backend of any kind." }),
    ...newFailoverChildFields(t),
    failoverBackend: t.field({
      type: CreateFailoverBackendInput,
      description: "A new failover backend.",
    }),
  }),
});

export const BackendModuleInput = builder.inputType("BackendModuleInput", {
  description: "Where traffic goes.",
  fields: (t) => ({
    enabled: enabledInput(t),
    backend: t.field({
      type: BackendReferenceInput,
      required: true,
      description: "The backend, by its id or a new one.",
    }),
  }),
});
