import { z } from "zod";
import { list, requiredText } from "../core/fields.js";

export const MAX_TARGETS = 50;
export const MAX_TARGET_BYTES = 255;

/**
 * What the name of a reserved domain resolves to, in order (wire facts, Part 2, ReservedDomainResolvesToEntry): at most
 * 50 values such as the name of a region or "global", of 1 to 255 bytes each. What they mean is left to who answers for
 * the domain.
 */
export const resolutionTargets = list(
  z.strictObject({ value: requiredText(MAX_TARGET_BYTES) }),
  MAX_TARGETS,
);

/** The same as it was stored. */
export const storedResolutionTargets = z.array(z.object({ value: z.string() }));

export type ResolutionTarget = z.output<typeof storedResolutionTargets>[number];
