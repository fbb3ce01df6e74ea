import { requiredText } from "../core/fields.js";

export const ACL_RULE_MAX_BYTES = 512;

/** A rule such as `bind:*.example.com`. What it means is decided where it is applied. */
export const aclRule = requiredText(ACL_RULE_MAX_BYTES).refine(
  (rule) => !/\p{Cc}/u.test(rule),
  "must not contain control characters",
);
