/** What can go wrong in the domain. A closed list: each transport has a table with an entry for every code. */
export type ErrorCode =
  | "INVALID_REQUEST"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "IN_USE"
  | "GONE"
  | "UNAVAILABLE";

/**
 * One problem of a request. `path` leads to the value in the domain's spelling (camelCase); `message`
 * continues a sentence that begins with that path. Names of fields in it stand in backticks, in the
 * domain's spelling: a transport turns both into the caller's.
 */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The number that the value had to keep to, where the message states one: of bytes, items, or the value itself. */
  readonly limit?: number | undefined;
}

/** A refusal that the caller may read in full. Anything else that is thrown is a defect and stays masked. */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly issues: readonly Issue[] = [],
    /** What was refused, as given: lets the references in it be checked for the same answer. */
    readonly input?: unknown,
  ) {
    super(message);
    this.name = "DomainError";
  }
}

/** Throws INVALID_REQUEST with all of `issues`, unless there are none. */
export function refuse(issues: readonly Issue[], input?: unknown): void {
  if (issues.length > 0) throw invalidRequest(issues, input);
}

export function invalidRequest(issues: readonly Issue[], input?: unknown): DomainError {
  return new DomainError("INVALID_REQUEST", summarize(issues), issues, input);
}

/** All of `issues` in one text. */
export function summarize(issues: readonly Issue[]): string {
  const [first] = issues;
  if (issues.length === 1 && first) return sentence(first);
  return `The request has ${issues.length} problems: ${issues.map(sentence).join(" ")}`;
}

function sentence({ path, message }: Issue): string {
  const subject = path.length > 0 ? `\`${path.join(".")}\`` : "The body";
  return `${subject} ${message}.`;
}
