import type { CombinedError } from "urql";

/** One thing that is wrong, with the path of what it is about, such as `["input", "hostports", 0]`. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Why something was refused, in the server's words. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly Issue[];
  /** By which the server's log names the request; null when there was no answer. */
  readonly operationId: string | null;
  /** The version that the resource has now, when somebody else was faster. */
  readonly currentVersion: number | null;
}

/** The problem behind an error; of several errors the first. */
export function problemOf(error: CombinedError): Problem {
  const [first] = error.graphQLErrors;
  const { code, issues, operationId, currentVersion } = first?.extensions ?? {};
  return {
    code: typeof code === "string" ? code : "UNREACHABLE",
    message: first?.message ?? `The server could not be reached: ${error.networkError?.message}.`,
    issues: Array.isArray(issues) ? issues.flatMap(readIssue) : [],
    operationId:
      typeof operationId === "string"
        ? operationId
        : (responseOf(error)?.headers.get("Operation-Id") ?? null),
    currentVersion: typeof currentVersion === "number" ? currentVersion : null,
  };
}

const TEMPORARY: readonly string[] = [
  "UNREACHABLE",
  "UNAVAILABLE",
  "RATE_LIMITED",
  "REQUEST_TIMEOUT",
  "DEADLINE_EXCEEDED",
];

/** Whether the server cannot answer now, and the same request may succeed later. */
export function isTemporary({ code }: Problem): boolean {
  return TEMPORARY.includes(code);
}

/** Whether the server does not know the key, or no longer. */
export function isUnauthenticated(error: CombinedError): boolean {
  return problemOf(error).code === "UNAUTHENTICATED" || responseOf(error)?.status === 401;
}

function readIssue(issue: unknown): Issue[] {
  if (typeof issue !== "object" || issue === null) return [];
  if (!("path" in issue) || !("message" in issue)) return [];
  const { path, message } = issue;
  if (!Array.isArray(path) || typeof message !== "string") return [];
  return [{ path, message }];
}

function responseOf({ response }: CombinedError): Response | null {
  return response instanceof Response ? response : null;
}
