import type { Compression } from "../../domain/modules/compression.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const CompressionModule = builder.objectRef<Compression>("CompressionModule").implement({
  description: "Compresses responses.",
  interfaces: [Module],
});

const CompressionModuleInput = builder.inputType("CompressionModuleInput", {
  description: "Compresses responses.",
  fields: (t) => ({ enabled: enabledInput(t) }),
});

export const compression: ModuleType<Compression> = {
  type: CompressionModule,
  input: CompressionModuleInput,
  about: "Compresses responses; null means no compression.",
  kind: "Compresses responses.",
};
