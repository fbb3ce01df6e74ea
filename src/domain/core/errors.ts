/** The codes of domain errors. The list is closed: each transport has a table with an entry for every code. */
export type ErrorCode =
  | "INVALID_REQUEST"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "IN_USE"
  | "GONE"
  | "REQUEST_IN_FLIGHT"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "UNAVAILABLE";

/**
 * One problem of a request. `path` leads to the value in the domain's spelling (camelCase); `message` continues a
 * sentence that begins with that path. Field names in it are in backticks and in the domain's spelling; each transport
 * converts both to the caller's spelling.
 */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The number that the value had to keep to, where the message states one: of bytes, items, or the value itself. */
  readonly limit?: number | undefined;
}

/** The same issues of a value that stands at `path`. */
export function below(path: Issue["path"], issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** What an error can have besides its message and its issues. */
interface ErrorFacts {
  /**
   * What was refused, as given: lets the references in it be checked for the same answer. Paths of issues lead into it.
   */
  readonly input?: unknown;
  /** The version that the resource has, when another one was expected. */
  readonly currentVersion?: number | undefined;
  /** What the operator has to see in the log. */
  readonly cause?: unknown;
}

/** An error whose full text the caller may read. Every other error is a defect, and its text stays hidden. */
export class DomainError extends Error {
  readonly input: unknown;
  readonly currentVersion: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly issues: readonly Issue[] = [],
    { input, currentVersion, cause }: ErrorFacts = {},
  ) {
    super(message, { cause });
    this.name = "DomainError";
    this.input = input;
    this.currentVersion = currentVersion;
  }
}

/** Throws INVALID_REQUEST with all of `issues`, unless there are none. */
export function refuse(issues: readonly Issue[], input?: unknown): void {
  if (issues.length > 0) throw invalidRequest(issues, input);
}

export function invalidRequest(issues: readonly Issue[], input?: unknown): DomainError {
  return new DomainError("INVALID_REQUEST", summarize(issues), issues, { input });
}

/** Issues that a refusal lists, and characters of a name in it. */
export const MOST_ISSUES = 100;
const LONGEST_NAME = 100;

/**
 * The issues that an error shows: the first 100, and the number of the others. Long names are cut. `count` is given when
 * there are more than in `issues`.
 */
export function listed(issues: readonly Issue[], count = issues.length): Issue[] {
  const shown = issues.slice(0, MOST_ISSUES).map(({ path, ...issue }) => ({
    ...issue,
    path: path.map((segment) => (typeof segment === "string" ? shortened(segment) : segment)),
  }));
  const others = count - shown.length;
  if (others === 0) return shown;
  const message = `has further problems that are not listed: ${others}`;
  return [...shown, { path: [], message }];
}

/** One text with all of the listed `issues`, of `count` in all. */
export function summarize(issues: readonly Issue[], count = issues.length): string {
  const sentences = listed(issues, count).map(sentence);
  if (count === 1) return sentences.join("");
  return `The request has ${count} problems: ${sentences.join(" ")}`;
}

/** At most `most` characters of `text`, by default as many as a name may have in a refusal. */
export function shortened(text: string, most = LONGEST_NAME): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}

function sentence({ path, message }: Issue): string {
  const subject = path.length > 0 ? `\`${path.join(".")}\`` : "The body";
  return `${subject} ${message}.`;
}
