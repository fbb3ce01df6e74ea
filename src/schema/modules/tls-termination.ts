import type { TlsTermination } from "../../domain/modules/tls-termination.js";
import { builder } from "../builder/builder.js";
import type { InputFields } from "../builder/inputs.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const TlsVersion = builder.enumType("TlsVersion", {
  description: "A version of TLS.",
  values: {
    TLS1_0: { value: "1.0", description: "TLS 1.0, which RFC 8996 deprecates." },
    TLS1_1: { value: "1.1", description: "TLS 1.1, which RFC 8996 deprecates." },
    TLS1_2: { value: "1.2", description: "TLS 1.2." },
    TLS1_3: { value: "1.3", description: "TLS 1.3." },
  } as const,
});

const TerminationPoint = builder.enumType("TerminationPoint", {
  description: "Where TLS ends.",
  values: {
    EDGE: { value: "edge", description: "At the edge, which sees the decrypted traffic." },
    UPSTREAM: {
      value: "upstream",
      description: "Behind the edge, which passes the encrypted traffic on as it is.",
    },
  } as const,
});

const TlsTerminationModule = builder.objectRef<TlsTermination>("TlsTerminationModule").implement({
  description: "How TLS is terminated.",
  interfaces: [Module],
  fields: (t) => ({
    terminateAt: t.expose("terminateAt", {
      type: TerminationPoint,
      description: "Where TLS ends; always `EDGE` on an HTTPS edge.",
    }),
    minVersion: t.expose("minVersion", {
      type: TlsVersion,
      nullable: true,
      description: "The lowest version of TLS that is accepted; null leaves it to the service.",
    }),
  }),
});

function minVersionInput(t: InputFields, exception = "") {
  return t.field({
    type: TlsVersion,
    description: `The lowest version of TLS that is accepted; left to the service when unspecified.${exception}`,
  });
}

const TlsTerminationModuleInput = builder.inputType("TlsTerminationModuleInput", {
  description: "How a TLS edge terminates TLS.",
  fields: (t) => ({
    enabled: enabledInput(t),
    terminateAt: t.field({
      type: TerminationPoint,
      description:
        "Where TLS ends; `EDGE` when unspecified. With `UPSTREAM` the edge cannot have mutual TLS.",
    }),
    minVersion: minVersionInput(t, " Must be null with `UPSTREAM`."),
  }),
});

const TlsTerminationAtEdgeModuleInput = builder.inputType("TlsTerminationAtEdgeModuleInput", {
  description: "How an HTTPS edge terminates TLS, which it always does itself.",
  fields: (t) => ({ enabled: enabledInput(t), minVersion: minVersionInput(t) }),
});

export const tlsTermination: ModuleType<TlsTermination> = {
  type: TlsTerminationModule,
  input: TlsTerminationModuleInput,
  inputOn: { httpsEdge: TlsTerminationAtEdgeModuleInput },
  about: "How TLS is terminated; at the edge, from a safe version on, when null.",
  kind: "Where TLS ends, and from which version on.",
};
