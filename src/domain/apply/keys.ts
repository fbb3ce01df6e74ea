import type { Context } from "../core/context.js";
import { requiredText } from "../core/fields.js";

export const MAX_KEY_BYTES = 255;

/** The key that a caller chooses for an applied resource. */
export const applyKey = requiredText(MAX_KEY_BYTES);

/** The kinds that can be applied, with the field that holds the id. */
const FIELDS = {
  backend: "backendId",
  httpsEdge: "httpsEdgeId",
  tlsEdge: "tlsEdgeId",
  tcpEdge: "tcpEdgeId",
  ipPolicy: "ipPolicyId",
} as const;

export type AppliedKind = keyof typeof FIELDS;

/**
 * Makes other applies with `key` wait until the transaction ends. It does not lock the row of the key: that row is
 * deleted with its resource, so a delete and an apply could wait for each other.
 */
export async function lockKey({ db }: Context, kind: AppliedKind, key: string): Promise<void> {
  await db.$queryRaw`
    SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(${`${kind} ${key}`}, 0))) AS locked`;
}

/** The ids of the resources that were applied with `keys`, by key. */
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

/** Stores that `key` belongs to the resource `id`. */
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
