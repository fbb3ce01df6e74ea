// What fails because the server cannot answer now is tried again, with longer and longer pauses.

const FIRST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 10_000;
/** A server that asks for more is asked earlier: somebody is waiting. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Milliseconds before another attempt after so many failures in a row, at least 1. They differ by chance, so that not all
 * tabs come at once when a server is back. `retryAfter` is what the server asks for, in milliseconds.
 */
export function pauseAfter(failures: number, retryAfter = 0, chance = Math.random()): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MOST_PAUSE_MS);
  return Math.max(longest * (0.5 + chance / 2), Math.min(retryAfter, LONGEST_WAIT_MS));
}

/** The header `Retry-After` in milliseconds; 0 without it. */
export function retryAfterOf(headers: Headers | undefined): number {
  const text = headers?.get("Retry-After") ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.max(seconds * 1000, 0);
}
