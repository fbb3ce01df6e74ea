import { DomainError, type ErrorCode, type Issue, summarize } from "../domain/errors.js";
import { toWireIssue, wireText } from "./wire.js";

/** What only this transport refuses. */
export type TransportErrorCode = "METHOD_NOT_ALLOWED" | "BODY_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE";

export class TransportError extends Error {
  constructor(
    readonly code: TransportErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "TransportError";
  }
}

interface Answer {
  readonly status: number;
  readonly code: `ERR_${string}`;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status and `error_code` of every error (wire facts, Part 0). */
export const ANSWERS = {
  INVALID_REQUEST: { status: 400, code: "ERR_INVALID_REQUEST" },
  UNAUTHENTICATED: {
    status: 401,
    code: "ERR_UNAUTHENTICATED",
    headers: { "WWW-Authenticate": "Bearer" },
  },
  FORBIDDEN: { status: 403, code: "ERR_FORBIDDEN" },
  NOT_FOUND: { status: 404, code: "ERR_NOT_FOUND" },
  METHOD_NOT_ALLOWED: { status: 405, code: "ERR_METHOD_NOT_ALLOWED" },
  CONFLICT: { status: 409, code: "ERR_CONFLICT" },
  IN_USE: { status: 409, code: "ERR_IN_USE" },
  GONE: { status: 410, code: "ERR_GONE" },
  BODY_TOO_LARGE: { status: 413, code: "ERR_BODY_TOO_LARGE" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: "ERR_UNSUPPORTED_MEDIA_TYPE" },
  INTERNAL: { status: 500, code: "ERR_INTERNAL" },
  UNAVAILABLE: { status: 503, code: "ERR_UNAVAILABLE", headers: { "Retry-After": "1" } },
} satisfies Record<ErrorCode | TransportErrorCode | "INTERNAL", Answer>;

/**
 * The error envelope: `details` has one member per problem, named by its path, and always
 * `operation_id`. `error` is null for a defect, of which the caller learns only the operation id.
 */
export function errorResponse(
  error: DomainError | TransportError | null,
  issues: readonly Issue[],
  operationId: string,
): Response {
  const answer: Answer = ANSWERS[error?.code ?? "INTERNAL"];
  const wireIssues = issues.map(toWireIssue);
  const details: [string, string][] = wireIssues.map(({ path, message }) => [
    path.join(".") || "body",
    message,
  ]);
  const headers = error instanceof TransportError ? error.headers : {};
  return Response.json(
    {
      error_code: answer.code,
      status_code: answer.status,
      msg: message(error, wireIssues),
      details: { ...joined(details), operation_id: operationId },
    },
    { status: answer.status, headers: { ...answer.headers, ...headers } },
  );
}

function message(error: DomainError | TransportError | null, issues: readonly Issue[]): string {
  if (!error) return "Something went wrong on our side. Quote the operation id when you report it.";
  if (error.code === "INVALID_REQUEST" && issues.length > 0) return summarize(issues);
  return error instanceof DomainError ? wireText(error.message) : error.message;
}

/** Two problems of one field share its member. */
function joined(details: readonly [string, string][]): Record<string, string> {
  const messages = new Map<string, string>();
  for (const [path, message] of details) {
    const before = messages.get(path);
    messages.set(path, before === undefined ? message : `${before}; ${message}`);
  }
  return Object.fromEntries(messages);
}
