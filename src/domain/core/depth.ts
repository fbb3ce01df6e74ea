import type { Issue } from "./errors.js";

/**
 * The maximum number of levels of arrays and objects in a value from a caller: more than any input needs, and few enough
 * for recursion.
 */
export const MAX_DEPTH = 32;

/** An issue at `path` when `value`, which may be any JSON, is nested deeper than MAX_DEPTH. */
export function depthIssues(value: unknown, path: Issue["path"]): Issue[] {
  if (!isDeeperThan(MAX_DEPTH, value)) return [];
  const message = `is nested too deeply: it may have at most ${MAX_DEPTH} levels of arrays and objects`;
  return [{ path, message, limit: MAX_DEPTH }];
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}
