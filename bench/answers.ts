/** As JSON, with the members of objects in the order of their names, and lists of headers too. */
export function ordered(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (Array.isArray(member)) return isHeaders(member) ? member.toSorted(byName) : member;
    if (typeof member !== "object" || member === null) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Where two texts begin to differ, with what stands around it. */
export function difference(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at] && at < a.length) at++;
  const from = Math.max(0, at - 60);
  return `  ${a.slice(from, at + 100)}\n  ${b.slice(from, at + 100)}`;
}

interface Header {
  readonly name: string;
}

function isHeaders(list: readonly unknown[]): list is readonly Header[] {
  return list.every(
    (item) =>
      typeof item === "object" && item !== null && "name" in item && typeof item.name === "string",
  );
}

const byName = (a: Header, b: Header) => (a.name < b.name ? -1 : 1);
