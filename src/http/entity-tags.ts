// Entity tags and the conditions of requests on them (RFC 9110, sections 8.8.3 and 13.1).

/** What a condition names: any version with `*`, or these tags. */
export type TagCondition = "*" | readonly NamedTag[];

interface NamedTag {
  /** Without its quotes. */
  readonly tag: string;
  readonly isWeak: boolean;
}

const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;
const LIST = new RegExp(`^[ \\t,]*(?:${TAG.source}[ \\t]*(?:,[ \\t,]*|$))+$`);
const TAGS = new RegExp(TAG.source, "g");

/** What `If-Match` or `If-None-Match` says; null when that is neither `*` nor a list of tags in quotes. */
export function readCondition(header: string): TagCondition | null {
  if (header.trim() === "*") return "*";
  if (!LIST.test(header)) return null;
  return [...header.matchAll(TAGS)].map(([, weak, tag = ""]) => ({
    tag,
    isWeak: weak !== undefined,
  }));
}

/** Whether a condition names `tag`, which is strong: what a change has to ask, for which weak tags name nothing. */
export function namesStrongly(condition: TagCondition, tag: string): boolean {
  return condition === "*" || condition.some((named) => !named.isWeak && named.tag === tag);
}

/** The same for reading, to which a weak tag is as good: a proxy that compresses answers makes them weak. */
export function namesWeakly(condition: TagCondition, tag: string): boolean {
  return condition === "*" || condition.some((named) => named.tag === tag);
}

/** A strong tag as the header `ETag` has it. */
export function quoted(tag: string): string {
  return `"${tag}"`;
}
