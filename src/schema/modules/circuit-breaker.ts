import type { CircuitBreaker } from "../../domain/modules/circuit-breaker.js";
import { MAX_BUCKETS } from "../../domain/modules/circuit-breaker.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const CircuitBreakerModule = builder.objectRef<CircuitBreaker>("CircuitBreakerModule").implement({
  description: "Stops sending requests to the backend while too many of them fail.",
  interfaces: [Module],
  fields: (t) => ({
    trippedDuration: t.expose("trippedDuration", {
      type: "UInt32",
      description: "The number of seconds without requests before the backend is tried again.",
    }),
    rollingWindow: t.expose("rollingWindow", {
      type: "UInt32",
      description:
        "The length of the rolling window in seconds. Only requests in the window count.",
    }),
    numBuckets: t.expose("numBuckets", {
      type: "UInt32",
      description: "The number of parts of the rolling window that are counted separately.",
    }),
    volumeThreshold: t.expose("volumeThreshold", {
      type: "UInt32",
      description: "The minimum number of requests in a rolling window before it can trip.",
    }),
    errorThresholdPercentage: t.exposeFloat("errorThresholdPercentage", {
      description: "The share of failed requests at which it trips, 0 to 1.",
    }),
  }),
});

const CircuitBreakerModuleInput = builder.inputType("CircuitBreakerModuleInput", {
  description: "Stops sending requests to the backend while too many of them fail.",
  fields: (t) => ({
    enabled: enabledInput(t),
    trippedDuration: t.field({
      type: "UInt32",
      description:
        "The number of seconds without requests before the backend is tried again; default 10, also for 0.",
    }),
    rollingWindow: t.field({
      type: "UInt32",
      description:
        "The length of the rolling window in seconds. Only requests in the window count. Default 10, also for 0.",
    }),
    numBuckets: t.field({
      type: "UInt32",
      description: `The number of parts of the rolling window that are counted separately: at most ${MAX_BUCKETS}; default 10, also for 0.`,
    }),
    volumeThreshold: t.field({
      type: "UInt32",
      description:
        "The minimum number of requests in a rolling window before it can trip; default 20, also for 0.",
    }),
    errorThresholdPercentage: t.float({
      description:
        "The share of failed requests at which it trips, 0 to 1 (not 100); default 0.5, also for 0.",
    }),
  }),
});

export const circuitBreaker: ModuleType<CircuitBreaker> = {
  type: CircuitBreakerModule,
  input: CircuitBreakerModuleInput,
  about: "Stops requests to a failing backend; null means never.",
  kind: "Stops requests to a failing backend.",
};
