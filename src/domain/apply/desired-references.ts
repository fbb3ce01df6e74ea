import { z } from "zod";
import type { Context } from "../core/context.js";
import type { Issue } from "../core/errors.js";
import { exactlyOne, reference } from "../core/fields.js";
import { BACKENDS, kindOfId, oneOfKind, type ResourceKind } from "../core/ids.js";
import { enabled } from "../modules/enabled.js";
import { danglingReferences } from "../storage/reference-checks.js";
import { applyKey, idsByKey } from "./keys.js";

/**
 * An existing backend, by its id or by the key with which it was applied. A desired state cannot contain a new backend:
 * each apply would create another one.
 */
export function appliedBackendReference(...kinds: readonly ResourceKind[]) {
  return exactlyOne({ id: reference(...kinds), key: applyKey });
}

export type AppliedBackendReference = z.output<ReturnType<typeof appliedBackendReference>>;

/** The destination of the traffic. */
export const appliedBackendSettings = z.strictObject({
  enabled,
  backend: appliedBackendReference(...BACKENDS),
});

/** A reference, and its path in the input. */
export interface FoundReference {
  readonly path: Issue["path"];
  readonly reference: AppliedBackendReference;
  readonly kinds: readonly ResourceKind[];
}

/**
 * The ids to which `places` refer, in order, and an issue for each reference in `input` that does not exist or is a
 * backend of another kind. The number of statements does not depend on the number of references.
 */
export async function resolveReferences(
  context: Context,
  input: unknown,
  places: readonly FoundReference[],
): Promise<{ readonly ids: readonly string[]; readonly issues: readonly Issue[] }> {
  const keys = places.flatMap(({ reference: { key } }) => (key === undefined ? [] : [key]));
  const known = await idsByKey(context, "backend", [...new Set(keys)]);
  const ids = places.map(({ reference: { id, key } }) => id ?? known.get(key ?? "") ?? "");
  const issues = places.flatMap(({ path, reference: { key }, kinds }, index): Issue[] => {
    if (key === undefined) return [];
    const kind = kindOfId(ids[index] ?? "");
    const at = [...path, "key"];
    if (!kind) return [{ path: at, message: "is a key with which no backend was applied" }];
    if (kinds.includes(kind)) return [];
    return [{ path: at, message: `is the key of ${oneOfKind(kind)}, which is not allowed here` }];
  });
  return { ids, issues: [...(await danglingReferences(context, input)), ...issues] };
}
