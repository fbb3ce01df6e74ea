import { createHash } from "node:crypto";
import { z } from "zod";
import type { Context } from "../core/context.js";
import { DomainError } from "../core/errors.js";
import { inTransaction, type Transaction } from "./transactions.js";

// A caller that got no answer does not know whether there was a change. Under a key of its own it may ask again: the
// answer is kept in the transaction of the change, so there are both or neither.

/** How long an answer is kept. */
const KEPT_FOR_MS = 24 * 60 * 60 * 1000;
/** Answers that one statement forgets. */
const FORGET_BATCH = 5_000;
/** Bytes of an answer that is kept. */
const MOST_BYTES = 512 * 1024;

/** A request that its caller may repeat. */
export interface RepeatableRequest {
  /** The caller's own: those of one API key are not those of another. */
  readonly key: string;
  /** Everything that is asked: whoever asks something else under the same key is refused. */
  readonly asks: unknown;
}

export interface KeptAnswer {
  readonly text: string;
  /** It was given before, and nothing has happened now. */
  readonly isRepeated: boolean;
}

const outcome = z.object({ asks: z.string(), text: z.string() });

/**
 * The answer that `run` makes in one transaction with all of its changes; or the one that it made under the same key
 * within 24 hours. What throws is not kept, so the key may be used again. Of requests at the same time one runs, in
 * whatever process. Throws REQUEST_IN_FLIGHT while another request with the key runs, IDEMPOTENCY_KEY_REUSED when the key
 * was used for another request, and INVALID_REQUEST for an answer of more than 512 KiB.
 */
export async function runOnce(
  context: Context,
  request: RepeatableRequest,
  run: (transaction: Transaction) => Promise<string>,
): Promise<KeptAnswer> {
  // The configured key has no id, and may be replaced.
  const owner = context.actor.keyId ?? context.bootstrapKey;
  const id = digestOf([owner, request.key]);
  const asks = digestOf(request.asks);
  return inTransaction(context, async (transaction) => {
    if (!(await tryLock(transaction, id))) throw inFlight();
    const before = await outcomeOf(transaction, id);
    if (before && before.asks !== asks) throw reused();
    if (before) return { text: before.text, isRepeated: true };
    const text = await run(transaction);
    await keep(transaction, id, { asks, text });
    return { text, isRepeated: false };
  });
}

/** Forgets the answers that are not kept any more; returns how many. */
export async function forgetOutcomes({ db }: Pick<Context, "db">): Promise<number> {
  for (let forgotten = 0; ; ) {
    const count = await db.$executeRaw`
      DELETE FROM outcomes WHERE id IN (
        SELECT id FROM outcomes WHERE created_at < ${oldest()} ORDER BY created_at LIMIT ${FORGET_BATCH}
      )`;
    forgotten += count;
    if (count < FORGET_BATCH) return forgotten;
  }
}

/** Whether nobody else holds the lock of the id. It is held until the transaction ends, and is visible to all of them. */
async function tryLock({ db }: Context, id: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ locked: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`outcome ${id}`}, 0)) AS locked`;
  return row?.locked === true;
}

async function outcomeOf({ db, keyring }: Context, id: string) {
  const row = await db.outcome.findFirst({ where: { id, createdAt: { gte: oldest() } } });
  return row && outcome.parse(JSON.parse(keyring.open(row.sealed, purposeOf(id))));
}

/** Sealed, since answers have secrets that are shown once, and requests have passwords. */
async function keep({ db, keyring }: Context, id: string, answer: z.output<typeof outcome>) {
  const bytes = Buffer.byteLength(answer.text);
  if (bytes > MOST_BYTES) throw tooLong(bytes);
  const data = {
    sealed: keyring.seal(JSON.stringify(answer), purposeOf(id)),
    createdAt: new Date(),
  };
  await db.outcome.upsert({ where: { id }, create: { id, ...data }, update: data });
}

function purposeOf(id: string): string {
  return `${id}.outcome`;
}

function oldest(): Date {
  return new Date(Date.now() - KEPT_FOR_MS);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

function tooLong(bytes: number): DomainError {
  return new DomainError(
    "INVALID_REQUEST",
    `An answer that is kept under an Idempotency-Key may have at most ${MOST_BYTES} bytes, and this one has ${bytes}. Ask for less of it.`,
  );
}

function inFlight(): DomainError {
  return new DomainError(
    "REQUEST_IN_FLIGHT",
    "Another request with this Idempotency-Key is under way. Try again in a moment to get its answer.",
  );
}

function reused(): DomainError {
  return new DomainError(
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used for another request within the last 24 hours. Use a new key for each request, and the same key only to repeat it.",
  );
}
