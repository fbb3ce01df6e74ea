import { type Issue, refuse } from "../../domain/core/errors.js";
import { idProblem } from "../../domain/core/fields.js";
import type { ResourceKind } from "../../domain/core/ids.js";
import { MAX_PAGE_SIZE, type PageRequest } from "../../domain/lists/pages.js";
import { verbatim } from "./wire.js";

/** The names that existing clients send for a query parameter besides its own. */
const ALIASES: Readonly<Record<string, string>> = { beforeId: "before_id" };

/** Refuses unknown and repeated query parameters, naming those that are supported. */
export function checkQuery(query: URLSearchParams, supported: readonly string[]): void {
  const names = [...query.keys()].map((name) => ALIASES[name] ?? name);
  const list = supported.length > 0 ? supported.join(", ") : "none";
  const issues = [...new Set(names)].flatMap((name): Issue[] => {
    if (!supported.includes(name)) {
      return [
        {
          path: [verbatim(name)],
          message: `is not a supported query parameter; supported are: ${list}`,
        },
      ];
    }
    const count = names.filter((other) => other === name).length;
    return count > 1 ? [{ path: [verbatim(name)], message: "is given more than once" }] : [];
  });
  refuse(issues);
}

/** `limit` and `before_id` of a list request; empty values mean absent (Part 0, Lists). */
export function listRequest(query: URLSearchParams, kind: ResourceKind): PageRequest {
  const limit = query.get("limit") || String(MAX_PAGE_SIZE);
  const before = query.get("before_id") || query.get("beforeId") || undefined;
  const issues: Issue[] = [];
  const size = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > MAX_PAGE_SIZE) {
    const message = `must be a whole number from 1 to ${MAX_PAGE_SIZE}`;
    const isNumber = /^-?\d+$/.test(limit);
    issues.push({
      path: [verbatim("limit")],
      message: isNumber ? message : `is not a number, and ${message}`,
    });
  }
  const message = before === undefined ? null : idProblem(before, [kind]);
  if (message) issues.push({ path: [verbatim("before_id")], message });
  refuse(issues);
  return { limit: size, after: before };
}
