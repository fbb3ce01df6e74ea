import type { z } from "zod";
import type { Context } from "../core/context.js";
import { refuse } from "../core/errors.js";
import { mutualTlsUpstream } from "../modules/combinations.js";
import { createTlsEdge, tlsEdgeInputs, updateTlsEdge } from "../tls-edges.js";
import { type Applied, type ApplyOptions, apply, wholeState } from "./apply.js";
import { appliedBackendModule, withBackendId } from "./desired-references.js";

/** The desired state of a TLS edge. */
export const appliedTlsEdge = tlsEdgeInputs.create.extend(appliedBackendModule);

/**
 * Brings a TLS edge to the desired state `input`; an absent module is removed, and an absent field gets its default.
 * Throws INVALID_REQUEST for references that do not exist and for mutual TLS without TLS termination here, and what
 * `apply` throws.
 */
export function applyTlsEdge(
  context: Context,
  input: z.output<typeof appliedTlsEdge>,
  options: ApplyOptions,
): Promise<Applied> {
  return apply(context, "tlsEdge", options, async (context, id) => {
    const { settled, issues } = await withBackendId(context, input);
    refuse([...issues, ...mutualTlsUpstream(input, null)]);
    if (id === null) return (await createTlsEdge(context, settled)).id;
    await updateTlsEdge(context, id, wholeState(tlsEdgeInputs.update, settled));
    return id;
  });
}
