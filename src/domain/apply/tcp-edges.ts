import type { z } from "zod";
import type { Context } from "../core/context.js";
import { refuse } from "../core/errors.js";
import { createTcpEdge, tcpEdgeInputs, updateTcpEdge } from "../tcp-edges.js";
import { type Applied, type ApplyOptions, apply, wholeState } from "./apply.js";
import { appliedBackendModule, withBackendId } from "./desired-references.js";

/** The desired state of a TCP edge. */
export const appliedTcpEdge = tcpEdgeInputs.create.extend(appliedBackendModule);

/**
 * Brings a TCP edge to the desired state `input`; an absent module is removed, and an absent field gets its default.
 * Throws INVALID_REQUEST for references that do not exist, and what `apply` throws.
 */
export function applyTcpEdge(
  context: Context,
  input: z.output<typeof appliedTcpEdge>,
  options: ApplyOptions,
): Promise<Applied> {
  return apply(context, "tcpEdge", options, async (context, id) => {
    const { settled, issues } = await withBackendId(context, input);
    refuse(issues);
    if (id === null) return (await createTcpEdge(context, settled)).id;
    await updateTcpEdge(context, id, wholeState(tcpEdgeInputs.update, settled));
    return id;
  });
}
