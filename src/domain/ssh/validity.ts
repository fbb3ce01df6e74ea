import type { Issue } from "../core/errors.js";

/** The validity that a certificate has from its creation on when its end is unspecified. */
export interface DefaultLifetime {
  readonly seconds: number;
  /** The same for people: "24 hours". */
  readonly words: string;
}

/** Times of an input; a text where one was refused. */
export interface GivenTimes {
  readonly validAfter?: unknown;
  readonly validUntil?: unknown;
}

/** The validity of a certificate, in whole seconds. */
export interface Validity {
  readonly after: Date;
  readonly until: Date;
  readonly given: { readonly after: boolean; readonly until: boolean };
  readonly now: Date;
}

/**
 * The times of an input, completed with the defaults: from now on, and for the default lifetime from now. Where
 * `maxLifetime`, in seconds, is shorter than that, a certificate without an end is valid for as long as it may be; null
 * does not limit it.
 */
export function validityOf(
  { validAfter, validUntil }: GivenTimes,
  lifetime: DefaultLifetime,
  maxLifetime: number | null,
): Validity {
  const now = new Date();
  const second = Math.floor(now.getTime() / 1000) * 1000;
  const after = validAfter instanceof Date ? validAfter : new Date(second);
  const usual = new Date(second + lifetime.seconds * 1000);
  const latest = new Date(after.getTime() + (maxLifetime ?? lifetime.seconds) * 1000);
  const isShortened = maxLifetime !== null && maxLifetime < lifetime.seconds && latest < usual;
  // What would have expired by then is refused for its early start.
  const end = isShortened && latest > now ? latest : usual;
  return {
    after,
    until: validUntil instanceof Date ? validUntil : end,
    given: { after: validAfter != null, until: validUntil != null },
    now,
  };
}

/** What is wrong with a validity, of which no time was refused by itself. */
export function validityProblems(
  { after, until, given, now }: Validity,
  { words }: DefaultLifetime,
  maxLifetime: number | null,
): Issue[] {
  if (until <= now) return [{ path: ["validUntil"], message: "must be in the future" }];
  if (until <= after) {
    const message = given.until
      ? "must be after `validAfter`"
      : `is required when \`validAfter\` is ${words} from now or later, since its default is ${words} from now`;
    return [{ path: ["validUntil"], message }];
  }
  const lifetime = (until.getTime() - after.getTime()) / 1000;
  if (maxLifetime === null || lifetime <= maxLifetime) return [];
  const message = `makes the certificate valid for ${lifetime} seconds, and at most ${maxLifetime} are allowed`;
  const path = [given.after && !given.until ? "validAfter" : "validUntil"];
  return [{ path, message, limit: maxLifetime }];
}
