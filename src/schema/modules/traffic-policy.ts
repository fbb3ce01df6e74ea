import type { TrafficPolicy } from "../../domain/modules/traffic-policy.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const TrafficPolicyModule = builder.objectRef<TrafficPolicy>("TrafficPolicyModule").implement({
  description: "Applies rules of your own to traffic.",
  interfaces: [Module],
  fields: (t) => ({
    value: t.exposeString("value", { description: "The policy in JSON or YAML, as given." }),
  }),
});

const TrafficPolicyModuleInput = builder.inputType("TrafficPolicyModuleInput", {
  description: "Applies rules of your own to traffic.",
  fields: (t) => ({
    enabled: enabledInput(t),
    value: t.string({
      required: true,
      description:
        "The policy, one document of JSON or YAML of at most 65536 bytes, kept as given: lists of rules by phase. Phases of a route are `on_http_request` and `on_http_response`, or `inbound` and `outbound`; of a TLS edge `on_tcp_connect`, or `inbound`.",
    }),
  }),
});

export const trafficPolicy: ModuleType<TrafficPolicy> = {
  type: TrafficPolicyModule,
  input: TrafficPolicyModuleInput,
  about: "The rules that are applied to its traffic; none when null.",
  kind: "Rules in a language of their own.",
};
