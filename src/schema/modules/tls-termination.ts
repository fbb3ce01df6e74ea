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
  description: "The place where TLS is terminated.",
  values: {
    EDGE: { value: "edge", description: "At the edge. The edge decrypts the traffic." },
    UPSTREAM: {
      value: "upstream",
      description: "Behind the edge. The edge forwards the encrypted traffic unchanged.",
    },
  } as const,
});

const TlsTerminationModule = builder.objectRef<TlsTermination>("TlsTerminationModule").implement({
  description: "Settings for TLS termination.",
  interfaces: [Module],
  fields: (t) => ({
    terminateAt: t.expose("terminateAt", {
      type: TerminationPoint,
      description: "The place where TLS is terminated; always `EDGE` on an HTTPS edge.",
    }),
    minVersion: t.expose("minVersion", {
      type: TlsVersion,
      nullable: true,
      description: "The minimum TLS version; null means that the service chooses it.",
    }),
  }),
});

function minVersionInput(t: InputFields, exception = "") {
  return t.field({
    type: TlsVersion,
    description: `The minimum TLS version; by default the service chooses it.${exception}`,
  });
}

const TlsTerminationModuleInput = builder.inputType("TlsTerminationModuleInput", {
  description: "Settings for TLS termination on a TLS edge.",
  fields: (t) => ({
    enabled: enabledInput(t),
    terminateAt: t.field({
      type: TerminationPoint,
      description:
        "The place where TLS is terminated; default `EDGE`. With `UPSTREAM` the edge cannot have mutual TLS.",
    }),
    minVersion: minVersionInput(t, " Must be null with `UPSTREAM`."),
  }),
});

const TlsTerminationAtEdgeModuleInput = builder.inputType("TlsTerminationAtEdgeModuleInput", {
  description: "Settings for TLS termination on an HTTPS edge, which always terminates TLS itself.",
  fields: (t) => ({ enabled: enabledInput(t), minVersion: minVersionInput(t) }),
});

export const tlsTermination: ModuleType<TlsTermination> = {
  type: TlsTerminationModule,
  input: TlsTerminationModuleInput,
  inputOn: { httpsEdge: TlsTerminationAtEdgeModuleInput },
  about: "Settings for TLS termination; null means at the edge with a safe minimum version.",
  kind: "Terminates TLS, with a minimum version.",
};
