import { z } from "zod";
import type { Context } from "../core/context.js";
import type { Issue } from "../core/errors.js";
import { exactlyOne, reference } from "../core/fields.js";
import { BACKENDS, kindOfId, oneOfKind, type ResourceKind } from "../core/ids.js";
import { enabled } from "../modules/enabled.js";
import { danglingReferences } from "../storage/reference-checks.js";
import { applyKey, idsByKey } from "./keys.js";

/**
 * A backend by its id, or by the key under which it is applied. A new one has no place in a desired state, which is
 * applied again and again: it would be another each time.
 */
export function appliedBackendReference(...kinds: readonly ResourceKind[]) {
  return exactlyOne({ id: reference(...kinds), key: applyKey });
}

export type AppliedBackendReference = z.output<ReturnType<typeof appliedBackendReference>>;

/** Where traffic goes. */
export const appliedBackendSettings = z.strictObject({
  enabled,
  backend: appliedBackendReference(...BACKENDS),
});

/** A reference, and where it stands. */
export interface Place {
  readonly path: Issue["path"];
  readonly reference: AppliedBackendReference;
  readonly kinds: readonly ResourceKind[];
}

/**
 * What `places` refer to, in their order, and an issue for each reference in `input` that leads nowhere or to a
 * backend of another kind. In as many statements whatever their number.
 */
export async function resolveReferences(
  context: Context,
  input: unknown,
  places: readonly Place[],
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
