import { z } from "zod";
import { text, uint32, withDefault } from "../core/fields.js";

export const MAX_COOKIE_PREFIX_BYTES = 128;
const COOKIE_PREFIX = /^[A-Za-z0-9.]+$/;

/**
 * The session settings of OAuth, OIDC and SAML (specification, section 2.4, Session settings). The two durations are
 * seconds, and 0, their default, sets no limit. `cookiePrefix` is "ngrok." when unspecified.
 */
export const sessionFields = {
  optionsPassthrough: withDefault(z.boolean(), false),
  cookiePrefix: withDefault(
    text(MAX_COOKIE_PREFIX_BYTES).refine(
      (value) => COOKIE_PREFIX.test(value),
      "must have ASCII letters, digits and dots only",
    ),
    "ngrok.",
  ),
  inactivityTimeout: withDefault(uint32, 0),
  maximumDuration: withDefault(uint32, 0),
};

/** The same fields as stored. */
export const storedSessionFields = {
  optionsPassthrough: z.boolean(),
  cookiePrefix: z.string(),
  inactivityTimeout: z.number(),
  maximumDuration: z.number(),
};
