import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import DataLoader from "dataloader";
import { z } from "zod";
import type { Prisma } from "../database/index.js";
import { created, deleted, updated } from "./change-log.js";
import { type Actor, type Context, inTransaction, type Services } from "./context.js";
import { DomainError } from "./errors.js";
import { description, metadata, text, withDefault } from "./fields.js";
import { keyset, type PageRequest } from "./pages.js";
import {
  changedTexts,
  changes,
  createdTexts,
  findOne,
  lockRow,
  newRow,
  type Row,
  touched,
} from "./rows.js";
import { countOf } from "./tallies.js";

const SECRET_BYTES = 24;
const MAX_OWNER_BYTES = 255;

export const API_KEY_SCOPES = ["read", "write"] as const;
type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** A credential of this API. Only a hash of its token is stored. */
export interface ApiKey extends Row {
  /** Who the key belongs to, as given; "" when unspecified. */
  readonly ownerId: string;
  /** `write` (default) may change things, `read` may not. */
  readonly scope: ApiKeyScope;
  /** Shown once, in the answer that creates the key; null ever after. */
  readonly token: string | null;
}

const texts = { description: description.nullish(), metadata: metadata.nullish() };

export const apiKeyInputs = {
  create: z.strictObject({
    ...texts,
    ownerId: text(MAX_OWNER_BYTES).nullish(),
    scope: withDefault(z.enum(API_KEY_SCOPES), "write"),
  }),
  update: z.strictObject(texts),
};

/** The token is `<the id's suffix>_<secret>`, and in this answer alone; null of a trial. */
export async function createApiKey(
  context: Context,
  input: z.output<typeof apiKeyInputs.create>,
): Promise<ApiKey> {
  const row = newRow("apiKey");
  const token = `${row.id.slice("ak_".length)}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
  return inTransaction(context, async (context) => {
    const stored = await context.db.apiKey.create({
      data: {
        ...row,
        ...createdTexts(input),
        ownerId: input.ownerId ?? "",
        scope: input.scope,
        tokenHash: hash(token),
      },
      select: COLUMNS,
    });
    const key = created(context, "apiKey", toApiKey(stored));
    return { ...key, token: context.isTrial ? null : token };
  });
}

/** Throws NOT_FOUND. */
export async function getApiKey({ db }: Context, id: string): Promise<ApiKey> {
  const read = () => db.apiKey.findUnique({ where: { id }, select: COLUMNS });
  return toApiKey(await findOne("apiKey", id, read));
}

export async function apiKeysById({ db }: Context, ids: readonly string[]): Promise<ApiKey[]> {
  const rows = await db.apiKey.findMany({ where: { id: { in: [...ids] } }, select: COLUMNS });
  return rows.map(toApiKey);
}

/** Newest first. */
export async function listApiKeys({ db }: Context, page: PageRequest): Promise<ApiKey[]> {
  return (await db.apiKey.findMany({ ...keyset(page), select: COLUMNS })).map(toApiKey);
}

/** Looks at the keys themselves: who sees none makes the first one. */
export async function hasApiKeys({ db }: Pick<Context, "db">): Promise<boolean> {
  return (await db.apiKey.findFirst({ select: { id: true } })) !== null;
}

export function countApiKeys(context: Context): Promise<number> {
  return countOf(context, "apiKey");
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateApiKey(
  context: Context,
  id: string,
  input: z.output<typeof apiKeyInputs.update>,
): Promise<ApiKey> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "apiKey", id);
    const current = await getApiKey(context, id);
    const changed = changes(current, changedTexts(input));
    if (!changed) return current;
    const data = { ...changed, ...touched() };
    const row = await context.db.apiKey.update({ where: { id }, data, select: COLUMNS });
    return updated(context, "apiKey", current, toApiKey(row));
  });
}

/** Revokes the key at once. Throws NOT_FOUND. */
export function deleteApiKey(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "apiKey", id);
    const current = await getApiKey(context, id);
    await context.db.apiKey.delete({ where: { id } });
    deleted(context, "apiKey", current);
  });
}

/** Says who presents a request by the value of its `Authorization` header. */
export type Authenticate = (authorization: string | undefined) => Promise<Actor>;

/**
 * Throws UNAUTHENTICATED with the same text, after the same work, whether the header is missing, malformed,
 * or names a key that is unknown or revoked. Requests that arrive together are looked up together; nothing
 * is kept, so that a revoked key is refused at once.
 */
export function createAuthenticate({ db, bootstrapKey }: Services): Authenticate {
  const keys = new DataLoader((hashes: readonly string[]) => findActors(db, hashes), {
    cache: false,
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  });
  return async (authorization) => {
    const [, token = ""] = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization ?? "") ?? [];
    const tokenHash = hash(token);
    if (bootstrapKey && timingSafeEqual(tokenHash, hash(bootstrapKey))) {
      return { keyId: null, scope: "write" };
    }
    const actor = await keys.load(tokenHash.toString("hex"));
    if (actor) return actor;
    throw new DomainError(
      "UNAUTHENTICATED",
      "This needs a valid API key in the header: Authorization: Bearer <API key>.",
    );
  };
}

async function findActors(
  db: Services["db"],
  hashes: readonly string[],
): Promise<(Actor | null)[]> {
  const keys = await db.$queryRaw<{ id: string; scope: string; hash: string }[]>`
    SELECT key.id, key.scope, wanted.hash
    FROM unnest(${[...new Set(hashes)]}::text[]) AS wanted(hash)
    JOIN api_keys AS key ON key.token_hash = decode(wanted.hash, 'hex')`;
  const actors = new Map<string, Actor>(
    keys.map(({ id, scope, hash }) => [hash, { keyId: id, scope: scopeOf(scope) }]),
  );
  return hashes.map((hash) => actors.get(hash) ?? null);
}

const COLUMNS = {
  id: true,
  createdAt: true,
  updatedAt: true,
  version: true,
  description: true,
  metadata: true,
  ownerId: true,
  scope: true,
} satisfies Prisma.ApiKeySelect;

function toApiKey(row: Prisma.ApiKeyGetPayload<{ select: typeof COLUMNS }>): ApiKey {
  return { ...row, scope: scopeOf(row.scope), token: null };
}

function scopeOf(column: string): ApiKeyScope {
  return column === "write" ? "write" : "read";
}

function hash(token: string): Buffer<ArrayBuffer> {
  return createHash("sha256").update(token).digest();
}
