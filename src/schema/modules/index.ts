import { type ModuleName, type ModuleOwner, moduleNamesOf } from "../../domain/modules/index.js";
import type { Resources } from "../../domain/reads/tables.js";
import type { Types } from "../builder/builder.js";
import type { InputFields } from "../builder/inputs.js";
import { MODULE_TYPES } from "./types.js";

// The modules of each kind of owner, as fields of its type and of its inputs.

type Fields<Owner extends object> = PothosSchemaTypes.ObjectFieldBuilder<Types, Owner>;

export const httpsEdgeModuleFields = (t: Fields<Resources["httpsEdge"]>) =>
  moduleFields(t, "httpsEdge");
export const httpsEdgeRouteModuleFields = (t: Fields<Resources["httpsEdgeRoute"]>) =>
  moduleFields(t, "httpsEdgeRoute");
export const tlsEdgeModuleFields = (t: Fields<Resources["tlsEdge"]>) => moduleFields(t, "tlsEdge");
export const tcpEdgeModuleFields = (t: Fields<Resources["tcpEdge"]>) => moduleFields(t, "tcpEdge");

export const endpointConfigurationModuleFields = (t: Fields<Resources["endpointConfiguration"]>) =>
  moduleFields(t, "endpointConfiguration");

export const httpsEdgeModuleInputFields = (t: InputFields) => moduleInputFields(t, "httpsEdge");
export const httpsEdgeRouteModuleInputFields = (t: InputFields) =>
  moduleInputFields(t, "httpsEdgeRoute");
export const tlsEdgeModuleInputFields = (t: InputFields) => moduleInputFields(t, "tlsEdge");
export const tcpEdgeModuleInputFields = (t: InputFields) => moduleInputFields(t, "tcpEdge");
export const endpointConfigurationModuleInputFields = (t: InputFields) =>
  moduleInputFields(t, "endpointConfiguration");

/** What is looked at of an owner, whose kind carries some of these. */
type Carrier = { readonly [Name in ModuleName]: { readonly enabled: boolean } | null };

function moduleFields(t: Pick<Fields<Carrier>, "expose">, owner: ModuleOwner) {
  const fields = moduleNamesOf(owner).map((name) => {
    const { type, about } = MODULE_TYPES[name];
    return [name, t.expose(name, { type, nullable: true, description: about })] as const;
  });
  return Object.fromEntries(fields);
}

function moduleInputFields(t: InputFields, owner: ModuleOwner) {
  const fields = moduleNamesOf(owner).map((name) => {
    const { input, inputOn, about } = MODULE_TYPES[name];
    return [name, t.field({ type: inputOn?.[owner] ?? input, description: about })] as const;
  });
  return Object.fromEntries(fields);
}
