import { text } from "../core/fields.js";

export const MAX_CLIENT_ID_BYTES = 512;
export const MAX_CLIENT_SECRET_BYTES = 4096;
export const MAX_SCOPE_BYTES = 256;

/** The client of an OAuth application (RFC 6749, section 2.3). */
export const clientId = text(MAX_CLIENT_ID_BYTES);
export const clientSecret = text(MAX_CLIENT_SECRET_BYTES);

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** One scope (RFC 6749, section 3.3). */
export const scope = text(MAX_SCOPE_BYTES).refine(
  (value) => SCOPE.test(value),
  "must be one scope: printable ASCII characters without spaces, quotes and backslashes",
);
