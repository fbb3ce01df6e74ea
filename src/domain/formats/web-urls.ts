import { text } from "../core/fields.js";
import { MAX_URL_BYTES } from "./request-urls.js";

/** A complete http or https URL of at most 8192 bytes, or "" for none. Kept as given. */
export const webUrlOrNone = text(MAX_URL_BYTES).refine(
  (value) => value === "" || readWebUrl(value) !== null,
  "must be a complete URL that begins with https:// or http://, such as https://example.com/error",
);

/** The URL that `value` is, when it is a complete http or https URL; null for anything else. */
export function readWebUrl(value: string): URL | null {
  // A parser of URLs passes over white space and control characters, and takes backslashes for slashes.
  if (/[\s\p{Cc}\\]/u.test(value) || !/^https?:\/\//i.test(value)) return null;
  return URL.canParse(value) ? new URL(value) : null;
}
