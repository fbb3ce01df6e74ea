import type { Context } from "../core/context.js";
import { requiredText } from "../core/fields.js";

const MAX_KEY_BYTES = 255;

/** The caller's own name for what it applies. */
export const applyKey = requiredText(MAX_KEY_BYTES);

/** What can be applied, with the field that points to it. */
const FIELDS = {
  backend: "backendId",
  httpsEdge: "httpsEdgeId",
  ipPolicy: "ipPolicyId",
} as const;

export type AppliedKind = keyof typeof FIELDS;

/**
 * Keeps everybody else from applying under `key` until the transaction ends. It is no lock of the key's row, which
 * goes with its resource: whoever deletes that would wait for us, and we for them.
 */
export async function lockKey({ db }: Context, kind: AppliedKind, key: string): Promise<void> {
  await db.$queryRaw`
    SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(${`${kind} ${key}`}, 0))) AS locked`;
}

/** The ids of what was applied under `keys`, by key. */
export async function idsByKey(
  { db }: Context,
  kind: AppliedKind,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const field = FIELDS[kind];
  const rows = await db.appliedKey.findMany({ where: { kind, key: { in: [...keys] } } });
  return new Map(
    rows.flatMap(({ key, [field]: id }): [string, string][] => (id === null ? [] : [[key, id]])),
  );
}

/** From now on `id` is what is applied under `key`. */
export async function keepUnderKey(
  { db }: Context,
  kind: AppliedKind,
  key: string,
  id: string,
): Promise<void> {
  const row = { [FIELDS[kind]]: id };
  await db.appliedKey.upsert({
    where: { kind_key: { kind, key } },
    create: { kind, key, ...row },
    update: row,
  });
}
