import { z } from "zod";
import type { Context } from "../core/context.js";
import type { DomainError, Issue } from "../core/errors.js";
import { exactlyOne, reference, USER_MAPS } from "../core/fields.js";
import { BACKENDS, kindOfId, oneOfKind, type ResourceKind } from "../core/ids.js";
import { enabled } from "../modules/enabled.js";
import type { BackendSettings } from "../modules/links.js";
import { danglingReferences, withDanglingReferences } from "../storage/reference-checks.js";
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

/** In place of the module `backend`: an existing backend, by its id or by its key. */
export const appliedBackendModule = { backend: appliedBackendSettings.nullish() };

const UNKNOWN_KEY = "is a key with which no backend was applied";

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
    if (!kind) return [{ path: at, message: UNKNOWN_KEY }];
    if (kinds.includes(kind)) return [];
    return [{ path: at, message: `is the key of ${oneOfKind(kind)}, which is not allowed here` }];
  });
  return { ids, issues: [...(await danglingReferences(context, input)), ...issues] };
}

interface Forwarding {
  readonly backend?: z.output<typeof appliedBackendSettings> | null | undefined;
}

/**
 * The desired state of what forwards to a backend, with the id of this, and an issue for each reference in it that does
 * not exist.
 */
export async function withBackendId<Desired extends Forwarding>(
  context: Context,
  desired: Desired,
): Promise<{
  readonly settled: Omit<Desired, "backend"> & { readonly backend: BackendSettings | null };
  readonly issues: readonly Issue[];
}> {
  const { backend = null, ...others } = desired;
  const path = ["backend", "backend"];
  const places = backend ? [{ path, reference: backend.backend, kinds: BACKENDS }] : [];
  const { ids, issues } = await resolveReferences(context, desired, places);
  const settings = backend && { enabled: backend.enabled, backendId: ids[0] ?? "" };
  return { settled: { ...others, backend: settings }, issues };
}

/**
 * Adds to the error for `error.input` the issues that only the database can find: ids that do not exist, and keys with
 * which no backend was applied. So the caller gets all problems at once.
 */
export async function withUnknownReferences(
  context: Context,
  error: DomainError,
): Promise<readonly Issue[]> {
  const issues = await withDanglingReferences(context, error);
  const found = keysIn(error.input, []);
  const known = await idsByKey(context, "backend", [...new Set(found.map(({ key }) => key))]);
  const reported = new Set(issues.map(({ path }) => path.join(".")));
  const unknown = found.filter(({ path, key }) => !known.has(key) && !reported.has(path.join(".")));
  return [...issues, ...unknown.map(({ path }) => ({ path, message: UNKNOWN_KEY }))];
}

interface FoundKey {
  readonly path: Issue["path"];
  readonly key: string;
}

/** The references by key: objects with this one member. In a map the names are the caller's. */
function keysIn(value: unknown, path: Issue["path"]): FoundKey[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => keysIn(item, [...path, index]));
  }
  if (typeof value !== "object" || value === null) return [];
  const members = Object.entries(value);
  const [[name, key] = []] = members;
  if (members.length === 1 && name === "key" && typeof key === "string") {
    return [{ path: [...path, "key"], key }];
  }
  return members.flatMap(([name, member]) =>
    USER_MAPS.has(name) && !Array.isArray(member) ? [] : keysIn(member, [...path, name]),
  );
}
