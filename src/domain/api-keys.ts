import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import DataLoader from "dataloader";
import { z } from "zod";
import { changedSince, created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Actor, Context, Services } from "./core/context.js";
import { apiKeyScope } from "./core/enumerations.js";
import { DomainError } from "./core/errors.js";
import { ownerId, texts, withDefault } from "./core/fields.js";
import type { Resources } from "./reads/tables.js";
import { inSlot, SLOTS, together } from "./reads/together.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

const SECRET_BYTES = 24;

/** A credential of this API. Only a hash of its token is stored. */
export type ApiKey = Resources["apiKey"];

export const apiKeyInputs = {
  create: z.strictObject({
    ...texts,
    ownerId: ownerId.nullish(),
    scope: withDefault(apiKeyScope, "write"),
  }),
  update: z.strictObject(texts),
};

/** Creates an API key. Its token is `<the id's suffix>_<secret>`. Only this result has it; in a dry run it is null. */
export async function createApiKey(
  context: Context,
  input: z.output<typeof apiKeyInputs.create>,
): Promise<ApiKey> {
  const row = newRow("apiKey");
  const token = `${row.id.slice("ak_".length)}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
  return inTransaction(context, async (context) => {
    const { ownerId, scope } = input;
    const data = { ...row, ...createdTexts(input), ownerId: ownerId ?? "", scope };
    await context.db.apiKey.create({
      data: { ...data, tokenHash: hash(token) },
      select: ID_ALONE,
    });
    const key = created(context, "apiKey", { ...data, token: null });
    return { ...key, token: context.isDryRun ? null : token };
  });
}

/**
 * Creates the first API key, which nobody could create without one; null where there are keys already. When several
 * processes do so at once, one of them creates it.
 */
export async function createFirstApiKey(context: Context): Promise<ApiKey | null> {
  if (await hasApiKeys(context)) return null;
  return inTransaction(context, async (context) => {
    await context.db.$executeRaw`LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE`;
    if (await hasApiKeys(context)) return null;
    return createApiKey(context, { description: "Made by the first start", scope: "write" });
  });
}

/** Reads the table itself, and not the count. */
async function hasApiKeys({ db }: Pick<Context, "db">): Promise<boolean> {
  return (await db.apiKey.findFirst({ select: { id: true } })) !== null;
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateApiKey(
  context: Context,
  id: string,
  input: z.output<typeof apiKeyInputs.update>,
): Promise<ApiKey> {
  return changeResource(context, "apiKey", id, changedTexts(input), ({ db }, data) =>
    db.apiKey.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Revokes the key at once. Throws NOT_FOUND. */
export function deleteApiKey(context: Context, id: string): Promise<void> {
  return deleteResource(context, "apiKey", id, ({ db }) => db.apiKey.delete({ where: { id } }));
}

/** Whose key a request has. */
export interface Authenticated {
  readonly actor: Actor;
  /** Whether the replica has all that was changed with the key. */
  readonly isReplicated: boolean;
}

/** Finds the caller that an API key belongs to. */
export type Authenticate = (token: string) => Promise<Authenticated>;

/**
 * Throws UNAUTHENTICATED with the same text, after the same work, whether the token is empty, unknown or revoked.
 * Requests that arrive together are looked up together; nothing is kept, so that a revoked key is refused at once.
 */
export function createAuthenticate(
  services: Pick<Services, "readTexts" | "bootstrapKey" | "replica">,
): Authenticate {
  const { bootstrapKey } = services;
  const find = together(
    (hashes: readonly string[]) => findByHashes(services, hashes),
    SLOTS.length,
  );
  return async (token) => {
    const tokenHash = hash(token);
    if (bootstrapKey && timingSafeEqual(tokenHash, hash(bootstrapKey))) {
      const isReplicated = await isBootstrapReplicated(services);
      return { actor: { keyId: null, scope: "write" }, isReplicated };
    }
    const found = await find(tokenHash.toString("hex"));
    if (found) return found;
    throw unauthenticated();
  };
}

function unauthenticated(): DomainError {
  return new DomainError("UNAUTHENTICATED", "This needs a valid API key.");
}

/** Checks a caller again that was authenticated before. */
export type AuthenticateAgain = (actor: Actor) => Promise<void>;

/**
 * Throws UNAUTHENTICATED when the key has been revoked since then. One statement looks up all keys that are asked for
 * in the same turn; nothing is kept. The key of the configuration cannot be revoked.
 */
export function createAuthenticateAgain({ db }: Services): AuthenticateAgain {
  const keys = new DataLoader((ids: readonly string[]) => areRevoked(db, ids), {
    cache: false,
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  });
  return async ({ keyId }) => {
    if (keyId !== null && (await keys.load(keyId))) throw unauthenticated();
  };
}

async function areRevoked(db: Services["db"], ids: readonly string[]): Promise<boolean[]> {
  // One text, since a list of parameters is dear, and only what is not there, since that is seldom any.
  const revoked = await db.$queryRaw<{ id: string }[]>`
    SELECT asked.id FROM unnest(string_to_array(${[...new Set(ids)].join(" ")}, ' ')) AS asked(id)
    WHERE NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = asked.id COLLATE "C")`;
  const gone = new Set(revoked.map(({ id }) => id));
  return ids.map((id) => gone.has(id));
}

async function findByHashes(
  { readTexts, replica }: Pick<Services, "readTexts" | "replica">,
  hashes: readonly string[],
): Promise<(Authenticated | null)[]> {
  const slots = SLOTS.map((slot) => inSlot(hashes, slot));
  const horizon = replica?.horizon() ?? null;
  const texts =
    horizon === null
      ? await readTexts(KEYS_BY_HASH, slots)
      : await readTexts(KEYS_BY_HASH_AND_CHANGES, [...slots, horizon]);
  const found = new Map(texts.map(authenticatedOf));
  return hashes.map((hash) => found.get(hash) ?? null);
}

const KEYS_BY_HASH = keysByHash("false");
const KEYS_BY_HASH_AND_CHANGES = keysByHash(
  `NOT ${changedSince(`$${SLOTS.length + 1}`, 'api_keys.id COLLATE "C"')}`,
);

function keysByHash(isReplicated: string): string {
  return `
  SELECT json_build_array(encode(token_hash, 'hex'), id, scope, ${isReplicated})::text AS json FROM api_keys
  WHERE token_hash IN (${SLOTS.map((slot) => `decode($${slot + 1}, 'hex')`).join(", ")})`;
}

const keyByHash = z.tuple([z.string(), z.string(), apiKeyScope, z.boolean()]);

function authenticatedOf(json: string): [string, Authenticated] {
  const [hash, keyId, scope, isReplicated] = keyByHash.parse(JSON.parse(json));
  return [hash, { actor: { keyId, scope }, isReplicated }];
}

async function isBootstrapReplicated({
  readTexts,
  replica,
}: Pick<Services, "readTexts" | "replica">): Promise<boolean> {
  const horizon = replica?.horizon() ?? null;
  if (horizon === null) return false;
  const [isChanged] = await readTexts(BOOTSTRAP_CHANGES, [horizon]);
  return isChanged === "false";
}

const BOOTSTRAP_CHANGES = `SELECT (${changedSince("$1", "NULL")})::text`;

function hash(token: string): Buffer<ArrayBuffer> {
  return createHash("sha256").update(token).digest();
}
