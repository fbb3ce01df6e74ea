import { isSameJson } from "../formats/json.js";
import { MODULE_OWNERS, sealedIn } from "../modules/index.js";
import type { Resource } from "../storage/rows.js";

/** One field in which two states of a resource differ. */
export interface Difference {
  /** Leads to the field in the domain's spelling, such as `oauth`, `provider`, `github`, `clientId`. */
  readonly path: readonly string[];
  /** JSON values; null where the field was, or is, not set. */
  readonly before: unknown;
  readonly after: unknown;
}

/** The text that replaces a secret in a difference. */
const REDACTED = "[secret]";

/** The token of an API key, and every secret of a module. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "token",
  ...MODULE_OWNERS.flatMap(sealedIn).flatMap(({ path }) => path.slice(-1)),
]);

/** Members that identify the resource, or that change with every change. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "id",
  "kind",
  "createdAt",
  "updatedAt",
  "version",
] satisfies (keyof Resource | "kind")[]);

/**
 * The fields in which two states of a resource differ, down to single values; a list counts as one value. A state is
 * null before the resource was created and after it was deleted. Secrets are redacted: a difference shows only that a
 * secret changed.
 */
export function differencesOf(before: Resource | null, after: Resource | null): Difference[] {
  return differ([], before ?? {}, after ?? {}).filter(
    ({ path: [field = ""] }) => !BOOKKEEPING.has(field),
  );
}

function differ(path: readonly string[], before: unknown, after: unknown): Difference[] {
  if (isEmpty(before) && isEmpty(after)) return [];
  if (isFields(before ?? {}) && isFields(after ?? {})) {
    const [old, now] = [fieldsOf(before), fieldsOf(after)];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.flatMap((name) => differ([...path, name], old[name], now[name]));
  }
  if (isSameJson(before ?? null, after ?? null)) return [];
  const isSecret = SECRET_FIELDS.has(path.at(-1) ?? "");
  const shown = (value: unknown) => (isEmpty(value) ? null : isSecret ? REDACTED : value);
  return [{ path, before: shown(before), after: shown(after) }];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** Unset, in any of the ways in which a field can be. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length)
  );
}
