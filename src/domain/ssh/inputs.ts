import { z } from "zod";
import { SshInputError } from "./errors.js";
import type { RuleProblem } from "./rules.js";

// The checks of OpenSSH's formats as rules of inputs.

/** A rule with a check behind it, whose problems become issues. */
export function checked<Rule extends z.ZodType>(
  rule: Rule,
  check: (value: z.output<Rule>) => readonly RuleProblem[],
) {
  return rule.superRefine((value, ctx) => {
    for (const { path, message, limit } of check(value)) {
      ctx.addIssue({
        code: "custom",
        path,
        message: refused(message),
        ...(limit !== undefined && { params: { limit } }),
      });
    }
  });
}

/** A public key as given, which `read` reads, or refuses with `SshInputError`. */
export function publicKeyReadBy(read: (text: string) => unknown) {
  return checked(z.string(), (text) => {
    try {
      read(text);
      return [];
    } catch (error) {
      if (!(error instanceof SshInputError)) throw error;
      return [{ path: [], message: error.message }];
    }
  });
}

/** A sentence of its own, as the end of one that begins with the path. */
function refused(sentence: string): string {
  return `is refused: ${sentence.replace(/\.$/, "")}`;
}
