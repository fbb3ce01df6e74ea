import type { ModuleName } from "../../domain/modules/index.js";
import { builder } from "../builder/builder.js";
import { MUTUAL_TLS, ROUTE_MODULES, TLS_TERMINATION } from "./filters.js";

const VALUES = { ...TLS_TERMINATION, ...MUTUAL_TLS, ...ROUTE_MODULES } satisfies Record<
  string,
  { value: ModuleName }
>;

export const ModuleKind = builder.enumType("ModuleKind", {
  description: "A kind of module, whoever has it.",
  values: VALUES,
});
