import { Prisma } from "../../database/index.js";
import type { Context } from "../context.js";
import { requiredText } from "../fields.js";

const MAX_KEY_BYTES = 255;

/** The caller's own name for what it applies. */
export const applyKey = requiredText(MAX_KEY_BYTES);

/** What can be applied, with the column that points to it. */
const COLUMNS = {
  backend: "backend_id",
  httpsEdge: "https_edge_id",
  ipPolicy: "ip_policy_id",
} as const;

export type AppliedKind = keyof typeof COLUMNS;

const columnOf = (kind: AppliedKind) => Prisma.raw(`"${COLUMNS[kind]}"`);

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
  const rows = await db.$queryRaw<{ key: string; id: string }[]>`
    SELECT key, ${columnOf(kind)} AS id FROM applied_keys
    WHERE kind = ${kind} AND key = ANY(${[...keys]}::text[])`;
  return new Map(rows.map(({ key, id }) => [key, id]));
}

/** From now on `id` is what is applied under `key`. */
export async function keepUnderKey(
  { db }: Context,
  kind: AppliedKind,
  key: string,
  id: string,
): Promise<void> {
  const column = columnOf(kind);
  await db.$executeRaw`
    INSERT INTO applied_keys (kind, key, ${column}) VALUES (${kind}, ${key}, ${id})
    ON CONFLICT (kind, key) DO UPDATE SET ${column} = excluded.${column}`;
}
