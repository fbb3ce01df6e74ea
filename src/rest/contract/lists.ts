import { type Issue, refuse } from "../../domain/core/errors.js";
import { idProblem } from "../../domain/core/fields.js";
import { readExpression } from "../../domain/expressions/expressions.js";
import type { Subject } from "../../domain/expressions/fields.js";
import { MAX_PAGE_SIZE } from "../../domain/lists/pages.js";
import type { FilteredPageRequest } from "../../domain/lists/sequences.js";
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

/** What a list takes in its query. */
export const LIST_QUERY = ["limit", "before_id", "filter"] as const;

/** The query of a list; empty values mean absent (Part 0, Lists). */
export function listRequest(query: URLSearchParams, subject: Subject): FilteredPageRequest {
  const limit = query.get("limit") || String(MAX_PAGE_SIZE);
  const before = query.get("before_id") || query.get("beforeId") || undefined;
  const filter = query.get("filter") || undefined;
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
  const message = before === undefined ? null : idProblem(before, [subject.kind]);
  if (message) issues.push({ path: [verbatim("before_id")], message });
  const read = filter === undefined ? null : readExpression(filter, subject);
  if (read && "problems" in read) {
    issues.push(...read.problems.map((message) => ({ path: [verbatim("filter")], message })));
  }
  refuse(issues);
  const conditions = read && "condition" in read ? [read.condition] : [];
  return { limit: size, after: before, conditions };
}

/** The query of the page behind the item with the id `last`: of the same size, and with the same filter. */
export function nextQuery(query: URLSearchParams, limit: number, last: string): string {
  const filter = query.get("filter");
  const kept = filter ? `&filter=${encodeURIComponent(filter)}` : "";
  return `limit=${limit}&before_id=${last}${kept}`;
}
