import type { CircuitBreaker } from "../../domain/modules/circuit-breaker.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const CircuitBreakerModule = builder.objectRef<CircuitBreaker>("CircuitBreakerModule").implement({
  description: "Stops sending requests upstream while too many of them fail.",
  interfaces: [Module],
  fields: (t) => ({
    trippedDuration: t.expose("trippedDuration", {
      type: "UInt32",
      description: "Seconds that no request is sent before the upstream is tried again.",
    }),
    rollingWindow: t.expose("rollingWindow", {
      type: "UInt32",
      description: "Seconds for which the outcome of a request counts.",
    }),
    numBuckets: t.expose("numBuckets", {
      type: "UInt32",
      description: "Parts of the rolling window that are counted separately.",
    }),
    volumeThreshold: t.expose("volumeThreshold", {
      type: "UInt32",
      description: "Requests in a rolling window below which it never trips.",
    }),
    errorThresholdPercentage: t.exposeFloat("errorThresholdPercentage", {
      description: "The share of failed requests at which it trips, 0 to 1.",
    }),
  }),
});

const CircuitBreakerModuleInput = builder.inputType("CircuitBreakerModuleInput", {
  description: "Stops sending requests upstream while too many of them fail.",
  fields: (t) => ({
    enabled: enabledInput(t),
    trippedDuration: t.field({
      type: "UInt32",
      description:
        "Seconds that no request is sent before the upstream is tried again; 10 when unspecified or 0.",
    }),
    rollingWindow: t.field({
      type: "UInt32",
      description: "Seconds for which the outcome of a request counts; 10 when unspecified or 0.",
    }),
    numBuckets: t.field({
      type: "UInt32",
      description:
        "Parts of the rolling window that are counted separately, at most 128; 10 when unspecified or 0.",
    }),
    volumeThreshold: t.field({
      type: "UInt32",
      description:
        "Requests in a rolling window below which it never trips; 20 when unspecified or 0.",
    }),
    errorThresholdPercentage: t.float({
      description:
        "The share of failed requests at which it trips, up to 1 (not 100); 0.5 when unspecified or 0.",
    }),
  }),
});

export const circuitBreaker: ModuleType<CircuitBreaker> = {
  type: CircuitBreakerModule,
  input: CircuitBreakerModuleInput,
  about: "When requests are no longer sent upstream; always sent when null.",
  kind: "Spares a backend that fails.",
};
