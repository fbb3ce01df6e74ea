import { MAX_LIST_ITEMS } from "../domain/core/fields.js";
import { MAX_CHILDREN } from "../domain/leaf-backends.js";
import { MAX_WEIGHT } from "../domain/weighted-backends.js";
import { builder } from "./builder/builder.js";
import { hostportsInput, textInputs } from "./builder/inputs.js";
import { matchInputs } from "./https-edge-routes.js";
import { ruleInputs } from "./ip-policy-rules.js";
import { newLeafBackendFields } from "./leaf-backends.js";
import { httpsEdgeModuleInputFields, httpsEdgeRouteModuleInputFields } from "./modules/index.js";
import { enabledInput } from "./modules/module.js";

// Wished states: what is absent gets its default.

const AppliedBackendReferenceInput = builder.inputType("AppliedBackendReferenceInput", {
  description:
    "A backend that is there: by its id, or by the key under which it is applied. A new one would be another with each apply: apply it first, under a key of its own.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "Its id." }),
    key: t.string({ description: "The key under which `applyBackend` keeps it." }),
  }),
});

const ApplyBackendModuleInput = builder.inputType("ApplyBackendModuleInput", {
  description: "Where traffic goes.",
  fields: (t) => ({
    enabled: enabledInput(t),
    backend: t.field({
      type: AppliedBackendReferenceInput,
      required: true,
      description: "The backend, of any kind.",
    }),
  }),
});

const ApplyHttpsEdgeRouteInput = builder.inputType("ApplyHttpsEdgeRouteInput", {
  description: "A route as it is to be; a module that is absent is removed.",
  fields: (t) => ({
    ...matchInputs(t),
    ...textInputs(t),
    ...httpsEdgeRouteModuleInputFields(t),
    backend: t.field({
      type: ApplyBackendModuleInput,
      description: "Where its traffic goes; nowhere when null.",
    }),
  }),
});

export const ApplyHttpsEdgeInput = builder.inputType("ApplyHttpsEdgeInput", {
  description: "An HTTPS edge as it is to be; a module that is absent is removed.",
  fields: (t) => ({
    ...textInputs(t),
    hostports: hostportsInput(t),
    ...httpsEdgeModuleInputFields(t),
    routes: t.field({
      type: [ApplyHttpsEdgeRouteInput],
      description: `All of its routes: at most ${MAX_LIST_ITEMS}, each match once for its type; none when absent.`,
    }),
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
    weight: t.int({ required: true, description: `Its share: 0 to ${MAX_WEIGHT}, 0 for none.` }),
  }),
});

const ApplyWeightedBackendInput = builder.inputType("ApplyWeightedBackendInput", {
  description: "A weighted backend as it is to be.",
  fields: (t) => ({
    ...textInputs(t),
    backends: t.field({
      type: [ApplyWeightedChildInput],
      description: `All of its children: at most ${MAX_CHILDREN}, each once; none when absent.`,
    }),
  }),
});

const ApplyFailoverBackendInput = builder.inputType("ApplyFailoverBackendInput", {
  description: "A failover backend as it is to be.",
  fields: (t) => ({
    ...textInputs(t),
    backends: t.field({
      type: [AppliedBackendReferenceInput],
      description: `All of its children, tried in this order: at most ${MAX_CHILDREN}, each once, of any kind but failover; none when absent.`,
    }),
  }),
});

export const ApplyBackendInput = builder.inputType("ApplyBackendInput", {
  description: "A backend as it is to be: exactly one field is given, which says its kind.",
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
  description: "A rule of an IP policy as it is to be.",
  fields: (t) => ({
    ...textInputs(t),
    ...ruleInputs(t),
  }),
});

export const ApplyIpPolicyInput = builder.inputType("ApplyIpPolicyInput", {
  description: "An IP policy as it is to be.",
  fields: (t) => ({
    ...textInputs(t),
    rules: t.field({
      type: [ApplyIpPolicyRuleInput],
      description: `All of its rules: at most ${MAX_LIST_ITEMS}, each network once; none when absent.`,
    }),
  }),
});
