import { MAX_LIST_ITEMS } from "../domain/core/fields.js";
import { MAX_CHILDREN } from "../domain/leaf-backends.js";
import { MAX_WEIGHT } from "../domain/weighted-backends.js";
import { builder } from "./builder/builder.js";
import { hostportsInput, type InputFields, textInputs } from "./builder/inputs.js";
import { matchInputs } from "./https-edge-routes.js";
import { ruleInputs } from "./ip-policy-rules.js";
import { newLeafBackendFields } from "./leaf-backends.js";
import {
  httpsEdgeModuleInputFields,
  httpsEdgeRouteModuleInputFields,
  tcpEdgeModuleInputFields,
  tlsEdgeModuleInputFields,
} from "./modules/index.js";
import { enabledInput } from "./modules/module.js";

// Wished states: what is absent gets its default.

const AppliedBackendReferenceInput = builder.inputType("AppliedBackendReferenceInput", {
  description:
    "An existing backend, by its id or by the key with which it was applied. Apply a new backend first, with its own key.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of the backend." }),
    key: t.string({ description: "The key with which `applyBackend` created it." }),
  }),
});

const ApplyBackendModuleInput = builder.inputType("ApplyBackendModuleInput", {
  description: "The destination of the traffic.",
  fields: (t) => ({
    enabled: enabledInput(t),
    backend: t.field({
      type: AppliedBackendReferenceInput,
      required: true,
      description: "The backend, of any kind.",
    }),
  }),
});

/** In place of the module with the id of a backend. */
const backendModule = (t: InputFields) => ({
  backend: t.field({
    type: ApplyBackendModuleInput,
    description: "The destination of its traffic; null means none.",
  }),
});

const ApplyHttpsEdgeRouteInput = builder.inputType("ApplyHttpsEdgeRouteInput", {
  description: "The desired state of a route. A module that is absent is removed.",
  fields: (t) => ({
    ...matchInputs(t),
    ...textInputs(t),
    ...httpsEdgeRouteModuleInputFields(t),
    ...backendModule(t),
  }),
});

export const ApplyHttpsEdgeInput = builder.inputType("ApplyHttpsEdgeInput", {
  description: "The desired state of an HTTPS edge. A module that is absent is removed.",
  fields: (t) => ({
    ...textInputs(t),
    hostports: hostportsInput(t),
    ...httpsEdgeModuleInputFields(t),
    routes: t.field({
      type: [ApplyHttpsEdgeRouteInput],
      description: `All of its routes: at most ${MAX_LIST_ITEMS}, each match once for its type; default none.`,
    }),
  }),
});

export const ApplyTlsEdgeInput = builder.inputType("ApplyTlsEdgeInput", {
  description: "The desired state of a TLS edge. A module that is absent is removed.",
  fields: (t) => ({
    ...textInputs(t),
    hostports: hostportsInput(t),
    ...tlsEdgeModuleInputFields(t),
    ...backendModule(t),
  }),
});

export const ApplyTcpEdgeInput = builder.inputType("ApplyTcpEdgeInput", {
  description: "The desired state of a TCP edge. A module that is absent is removed.",
  fields: (t) => ({
    ...textInputs(t),
    hostports: hostportsInput(t),
    ...tcpEdgeModuleInputFields(t),
    ...backendModule(t),
  }),
});

const ApplyWeightedChildInput = builder.inputType("ApplyWeightedChildInput", {
  description: "A child of a weighted backend.",
  fields: (t) => ({
    backend: t.field({
      type: AppliedBackendReferenceInput,
      required: true,
      description: "An HTTP response, static or tunnel group backend.",
    }),
    weight: t.int({
      required: true,
      description: `Its share of the requests, relative to the other weights: 0 to ${MAX_WEIGHT}. A child with the weight 0 gets none.`,
    }),
  }),
});

const ApplyWeightedBackendInput = builder.inputType("ApplyWeightedBackendInput", {
  description: "The desired state of a weighted backend.",
  fields: (t) => ({
    ...textInputs(t),
    backends: t.field({
      type: [ApplyWeightedChildInput],
      description: `All of its children: at most ${MAX_CHILDREN}, each once; default none.`,
    }),
  }),
});

const ApplyFailoverBackendInput = builder.inputType("ApplyFailoverBackendInput", {
  description: "The desired state of a failover backend.",
  fields: (t) => ({
    ...textInputs(t),
    backends: t.field({
      type: [AppliedBackendReferenceInput],
      description: `All of its children, tried in this order: at most ${MAX_CHILDREN}, each once, of any kind except failover; default none.`,
    }),
  }),
});

export const ApplyBackendInput = builder.inputType("ApplyBackendInput", {
  description: "The desired state of a backend. Give exactly one field, for the kind of backend.",
  isOneOf: true,
  fields: (t) => ({
    ...newLeafBackendFields(t),
    weightedBackend: t.field({
      type: ApplyWeightedBackendInput,
      description: "A weighted backend.",
    }),
    failoverBackend: t.field({
      type: ApplyFailoverBackendInput,
      description: "A failover backend.",
    }),
  }),
});

const ApplyIpPolicyRuleInput = builder.inputType("ApplyIpPolicyRuleInput", {
  description: "The desired state of a rule of an IP policy.",
  fields: (t) => ({
    ...textInputs(t),
    ...ruleInputs(t),
  }),
});

export const ApplyIpPolicyInput = builder.inputType("ApplyIpPolicyInput", {
  description: "The desired state of an IP policy.",
  fields: (t) => ({
    ...textInputs(t),
    rules: t.field({
      type: [ApplyIpPolicyRuleInput],
      description: `All of its rules: at most ${MAX_LIST_ITEMS}, each network once; default none.`,
    }),
  }),
});
