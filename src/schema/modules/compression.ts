import type { Compression } from "../../domain/modules/compression.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module } from "./module.js";

export const CompressionModule = builder.objectRef<Compression>("CompressionModule").implement({
  description: "Compresses responses.",
  interfaces: [Module],
});

export const CompressionModuleInput = builder.inputType("CompressionModuleInput", {
  description: "Compresses responses.",
  fields: (t) => ({ enabled: enabledInput(t) }),
});
