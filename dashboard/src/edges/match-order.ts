// Which route of an edge serves a request, as the server decides it: `src/domain/questions/route-resolution.ts`.

export interface Matching {
  readonly id: string;
  readonly matchType: "EXACT_PATH" | "PATH_PREFIX";
  /** A path, a hostname, or both. */
  readonly match: string;
}

/** What of a request is compared with routes. */
export interface Target {
  /** In lower case. */
  readonly host: string;
  readonly path: string;
}

/**
 * Compares routes by the order in which they are tried: those for a hostname, those for a wildcard (the longest first),
 * those for any hostname. Within that an exact path comes before a prefix, a longer one before a shorter one, and an
 * older route before a newer one. Routes for different hostnames, of which at most one fits a request, are in the order
 * of the alphabet.
 */
export function byMatchOrder(one: Matching, other: Matching): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  return (
    first.rank - second.rank ||
    (first.rank === WILDCARD ? second.host.length - first.host.length : 0) ||
    compare(first.host, second.host) ||
    Number(second.path !== "") - Number(first.path !== "") ||
    Number(second.isExact) - Number(first.isExact) ||
    second.length - first.length ||
    compare(one.id, other.id)
  );
}

/** Why a route does not match; null when it does. */
export function mismatchOf(route: Matching, target: Target): string | null {
  const { rank, host, path, isExact } = partsOf(route);
  if (rank === EXACT && host !== target.host) return `the host is not ${host}`;
  if (rank === WILDCARD && !target.host.endsWith(host.slice(1))) {
    return `the host does not end with ${host.slice(1)}`;
  }
  // A hostname alone matches every path.
  if (path === "") return null;
  if (isExact) return target.path === path ? null : `the path is not ${path}`;
  return target.path.startsWith(path) ? null : `the path does not begin with ${path}`;
}

const EXACT = 0;
const WILDCARD = 1;
const ANY = 2;

function partsOf({ match, matchType }: Matching) {
  const slash = match.indexOf("/");
  const host = (slash < 0 ? match : match.slice(0, slash)).toLowerCase();
  const path = slash < 0 ? "" : match.slice(slash);
  return {
    rank: host === "" ? ANY : host.startsWith("*.") ? WILDCARD : EXACT,
    host,
    path,
    /** Either match type of a hostname alone means the same. */
    isExact: path !== "" && matchType === "EXACT_PATH",
    length: Array.from(match).length,
  };
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
