/**
 * The value of `text` when it is a JSON object or list of at most `maxDepth` levels that has no key twice in an
 * object, else null. Takes a hundredth of the time that reading it as YAML does.
 */
export function readPlainJson(text: string, maxDepth: number): { readonly value: unknown } | null {
  if (!/^\s*[[{]/.test(text)) return null;
  const value = parsed(text);
  if (value === undefined) return null;
  const kept = membersOf(value, maxDepth);
  // Of a key that stands twice the parser keeps one, but the text has both.
  return kept === membersIn(text) ? { value } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How many members the objects of `value` have; not a number when it has more levels than `depth`. */
function membersOf(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === 0) return Number.NaN;
  const inner: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : inner.length;
  return inner.reduce<number>((sum, each) => sum + membersOf(each, depth - 1), own);
}

function membersIn(json: string): number {
  return json.match(/"(?:[^"\\]|\\.)*"|:/g)?.filter((token) => token === ":").length ?? 0;
}

/** Whether two values are the same as JSON, also in the order of keys, which a map of a user keeps. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
