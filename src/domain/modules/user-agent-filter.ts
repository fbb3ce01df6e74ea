import { z } from "zod";
import { ALWAYS, list, requiredText, withDefault } from "../core/fields.js";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";
import { re2Size } from "./re2-syntax.js";

export const MAX_EXPRESSIONS = 100;
export const MAX_EXPRESSION_BYTES = 512;
/** Instructions of all compiled expressions of a filter: a repetition such as `{1000}` multiplies them. */
const MAX_INSTRUCTIONS = 100_000;

const expressions = withDefault(list(requiredText(MAX_EXPRESSION_BYTES), MAX_EXPRESSIONS), []);

const rule = z
  .strictObject({ enabled, allow: expressions, deny: expressions })
  .superRefine((filter, ctx) => {
    let left = MAX_INSTRUCTIONS;
    for (const { path, expression } of [
      ...expressionsOf("allow", filter?.allow),
      ...expressionsOf("deny", filter?.deny),
    ]) {
      const size = re2Size(expression);
      if (size === null) {
        const message =
          "must be a regular expression that RE2 accepts: no lookaround, no backreferences";
        ctx.addIssue({ code: "custom", message, path });
        continue;
      }
      left -= size;
      if (left >= 0) continue;
      const message =
        "makes the expressions of the filter too large: a repetition counts as copies of the repeated part";
      ctx.addIssue({ code: "custom", message, path });
      return;
    }
  }, ALWAYS);

/** The expressions that are worth reading: the field's own rule has refused the others. */
function expressionsOf(field: string, value: unknown) {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, MAX_EXPRESSIONS)
    .flatMap((expression: unknown, index) =>
      typeof expression === "string" && Buffer.byteLength(expression) <= MAX_EXPRESSION_BYTES
        ? [{ path: [field, index], expression }]
        : [],
    );
}

const document = z.object({
  enabled: z.boolean(),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
});

/**
 * Allows or denies requests by their User-Agent header (specification, EndpointUserAgentFilter). `allow` and `deny` are
 * lists of at most 100 regular expressions each, in RE2 syntax, of at most 512 bytes; all of a filter's together
 * compile to at most 100,000 instructions.
 */
export const userAgentFilter = plainModule(rule, document);

export type UserAgentFilter = z.output<typeof rule>;
