import { z } from "zod";
import { uint32, withDefault } from "../core/fields.js";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";

export const MAX_BUCKETS = 128;

/** Stops requests to a failing backend (specification, EndpointCircuitBreaker). Durations are in seconds. */
export const circuitBreaker = plainModule(
  z.strictObject({
    enabled,
    trippedDuration: withDefault(uint32, 10),
    rollingWindow: withDefault(uint32, 10),
    numBuckets: withDefault(
      uint32.refine((value) => value <= MAX_BUCKETS, {
        message: `must be at most ${MAX_BUCKETS}`,
        params: { limit: MAX_BUCKETS },
      }),
      10,
    ),
    volumeThreshold: withDefault(uint32, 20),
    errorThresholdPercentage: withDefault(
      z.number().refine((value) => value >= 0 && value <= 1, "must be between 0 and 1.0"),
      0.5,
    ),
  }),
);

export type CircuitBreaker = z.output<typeof circuitBreaker.rule>;
