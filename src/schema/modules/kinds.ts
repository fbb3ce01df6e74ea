import { snakeCase } from "../../domain/core/names.js";
import { MODULE_OWNERS, type ModuleName, moduleNamesOf } from "../../domain/modules/index.js";
import { builder } from "../builder/builder.js";
import { MODULE_TYPES } from "./types.js";

// Kinds of modules: all, and in filters those that an owner can have.

const ROUTE_MODULES = moduleNamesOf("httpsEdgeRoute");
const EDGE_MODULES = [...moduleNamesOf("httpsEdge"), ...ROUTE_MODULES];

export const ModuleKind = builder.enumType("ModuleKind", {
  description: "A kind of module.",
  values: kindsOf(MODULE_OWNERS.flatMap((owner): readonly ModuleName[] => moduleNamesOf(owner))),
});

export const HttpsEdgeModuleFilter = moduleFilter(
  "HttpsEdge",
  "an HTTPS edge or one of its routes",
  EDGE_MODULES,
);
export const HttpsEdgeRouteModuleFilter = moduleFilter(
  "HttpsEdgeRoute",
  "a route of an HTTPS edge",
  ROUTE_MODULES,
);
export const TlsEdgeModuleFilter = moduleFilter("TlsEdge", "a TLS edge", moduleNamesOf("tlsEdge"));
export const TcpEdgeModuleFilter = moduleFilter("TcpEdge", "a TCP edge", moduleNamesOf("tcpEdge"));
export const EndpointConfigurationModuleFilter = moduleFilter(
  "EndpointConfiguration",
  "an endpoint configuration",
  moduleNamesOf("endpointConfiguration"),
);

function moduleFilter(owner: string, sentence: string, names: readonly ModuleName[]) {
  const Kind = builder.enumType(`${owner}ModuleKind`, {
    description: `A kind of module that ${sentence} can have.`,
    values: kindsOf(names),
  });
  return builder.inputType(`${owner}ModuleFilter`, {
    description: "Selects owners that have a module, enabled or disabled.",
    fields: (t) => ({
      kind: t.field({
        type: Kind,
        description:
          "The kind of the module. When it is absent, the filter has no effect; it is required where `enabled` is given.",
      }),
      enabled: t.boolean({
        description:
          "True: only those on which it is enabled. False: only those on which it is set but disabled. Default: both.",
      }),
    }),
  });
}

function kindsOf(names: readonly ModuleName[]) {
  const values = names.map((name) => {
    const value = { value: name, description: MODULE_TYPES[name].kind };
    return [snakeCase(name).toUpperCase(), value] as const;
  });
  return Object.fromEntries(values);
}
