import type { IncomingMessage } from "node:http";

/** The name of the header with a key of the caller's own, under which a request may be repeated. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** What such a key may be, as a regular expression. */
export const IDEMPOTENCY_KEY_PATTERN = "^[\\x21-\\x7e]{1,255}$";

const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** The key of a request; null when it has none. */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | null {
  const given = headers[IDEMPOTENCY_KEY.toLowerCase()];
  return given === undefined ? null : String(given);
}

/** What is wrong with a key; null when nothing is. */
export function idempotencyKeyProblem(key: string): string | null {
  return KEY.test(key) ? null : "must be 1 to 255 printable ASCII characters without spaces";
}

/** The header of an answer that was given before, when nothing has happened now: `true`. */
export const REPLAYED = "Idempotency-Replayed";
