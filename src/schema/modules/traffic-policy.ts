import type { TrafficPolicy } from "../../domain/modules/traffic-policy.js";
import { MAX_POLICY_BYTES } from "../../domain/modules/traffic-policy.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const TrafficPolicyModule = builder.objectRef<TrafficPolicy>("TrafficPolicyModule").implement({
  description: "Applies your own rules to traffic.",
  interfaces: [Module],
  fields: (t) => ({
    value: t.exposeString("value", { description: "The policy in JSON or YAML, as given." }),
  }),
});

const TrafficPolicyModuleInput = builder.inputType("TrafficPolicyModuleInput", {
  description: "Applies your own rules to traffic.",
  fields: (t) => ({
    enabled: enabledInput(t),
    value: t.string({
      required: true,
      description: `The policy: one JSON or YAML document of at most ${MAX_POLICY_BYTES} bytes, kept as given. It has a list of rules for each phase. A route has the phases \`on_http_request\` and \`on_http_response\`, or \`inbound\` and \`outbound\`. A TLS or TCP edge has the phase \`on_tcp_connect\`, or \`inbound\`.`,
    }),
  }),
});

export const trafficPolicy: ModuleType<TrafficPolicy> = {
  type: TrafficPolicyModule,
  input: TrafficPolicyModuleInput,
  about: "Applies your own rules to its traffic; null means none.",
  kind: "Applies your own rules to traffic.",
};
