import type { IncomingMessage } from "node:http";
import {
  DomainError,
  type ErrorCode,
  type Issue,
  listed,
  summarize,
} from "../../domain/core/errors.js";
import { UNAUTHENTICATED } from "../../http/authorization.js";
import { DEFECT, type HttpAnswer, type HttpRefusal } from "../../http/refusals.js";
import { toWireIssue, wireText } from "../contract/wire.js";
import { numberOf } from "./numbering.js";

/** An error that REST raises before it calls the domain. */
export type TransportErrorCode =
  | "METHOD_NOT_ALLOWED"
  | "PRECONDITION_FAILED"
  | "BODY_TOO_LARGE"
  | "HEADERS_TOO_LARGE"
  | "REQUEST_TIMEOUT"
  | "UNSUPPORTED_MEDIA_TYPE";

export class TransportError extends Error {
  constructor(
    readonly code: TransportErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly issues: readonly Issue[] = [],
  ) {
    super(message);
    this.name = "TransportError";
  }
}

interface Answer {
  readonly status: number;
  readonly code: `ERR_${string}`;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the error's own. */
  readonly message?: string;
}

/** Status and `error_code` of every error (wire facts, Part 0). */
export const ANSWERS = {
  INVALID_REQUEST: { status: 400, code: "ERR_INVALID_REQUEST" },
  UNAUTHENTICATED: { ...UNAUTHENTICATED, code: "ERR_UNAUTHENTICATED" },
  FORBIDDEN: { status: 403, code: "ERR_FORBIDDEN" },
  NOT_FOUND: { status: 404, code: "ERR_NOT_FOUND" },
  METHOD_NOT_ALLOWED: { status: 405, code: "ERR_METHOD_NOT_ALLOWED" },
  REQUEST_TIMEOUT: { status: 408, code: "ERR_REQUEST_TIMEOUT" },
  CONFLICT: { status: 409, code: "ERR_CONFLICT" },
  IN_USE: { status: 409, code: "ERR_IN_USE" },
  REQUEST_IN_FLIGHT: {
    status: 409,
    code: "ERR_REQUEST_IN_FLIGHT",
    headers: { "Retry-After": "1" },
  },
  GONE: { status: 410, code: "ERR_GONE" },
  PRECONDITION_FAILED: { status: 412, code: "ERR_PRECONDITION_FAILED" },
  BODY_TOO_LARGE: { status: 413, code: "ERR_BODY_TOO_LARGE" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: "ERR_UNSUPPORTED_MEDIA_TYPE" },
  IDEMPOTENCY_KEY_REUSED: { status: 422, code: "ERR_IDEMPOTENCY_KEY_REUSED" },
  RATE_LIMITED: { status: 429, code: "ERR_RATE_LIMITED" },
  HEADERS_TOO_LARGE: { status: 431, code: "ERR_HEADERS_TOO_LARGE" },
  INTERNAL: { status: 500, code: "ERR_INTERNAL" },
  UNAVAILABLE: { status: 503, code: "ERR_UNAVAILABLE", headers: { "Retry-After": "1" } },
} satisfies Record<ErrorCode | TransportErrorCode | "INTERNAL", Answer>;

/**
 * The error envelope: `details` has one member per problem, named by its path, and always
 * `operation_id`. `error` is null for a defect, of which the caller learns only the operation id. `error_code` is the
 * number of the problem when the request that is to be `numbered` is given, and there is one; else a word.
 */
export function errorResponse(
  error: DomainError | TransportError | null,
  issues: readonly Issue[],
  operationId: string,
  numbered: IncomingMessage | null = null,
): Response {
  const { status, headers, body } = errorAnswer(error, issues, operationId, numbered);
  return Response.json(body, { status, headers });
}

/** The envelope of what is refused as HTTP, and of a defect outside of any transport when `refusal` is null. */
export function restRefusal(
  refusal: HttpRefusal | null,
  operationId: string,
  numbered: IncomingMessage | null = null,
): HttpAnswer {
  const error =
    refusal &&
    (refusal.code === "BAD_REQUEST"
      ? new DomainError("INVALID_REQUEST", refusal.message)
      : new TransportError(refusal.code, refusal.message));
  return errorAnswer(error, [], operationId, numbered);
}

function errorAnswer(
  error: DomainError | TransportError | null,
  issues: readonly Issue[],
  operationId: string,
  numbered: IncomingMessage | null,
): HttpAnswer {
  const answer: Answer = ANSWERS[error?.code ?? "INTERNAL"];
  const wireIssues = issues.map(toWireIssue);
  const details: [string, string][] = listed(wireIssues).map(({ path, message }) => [
    path.join(".") || "body",
    message,
  ]);
  const headers = error instanceof TransportError ? error.headers : {};
  const number =
    error && numbered
      ? numberOf(numbered, { code: error.code, message: error.message, issues: wireIssues })
      : null;
  return {
    status: answer.status,
    headers: { "Content-Type": "application/json", ...answer.headers, ...headers },
    body: {
      error_code: number === null ? answer.code : `ERR_NGROK_${number}`,
      status_code: answer.status,
      msg: answer.message ?? message(error, wireIssues),
      details: { ...joined(details), ...currentVersionOf(error), operation_id: operationId },
    },
  };
}

function message(error: DomainError | TransportError | null, issues: readonly Issue[]): string {
  if (!error) return DEFECT;
  if (error.code === "INVALID_REQUEST" && issues.length > 0) return summarize(issues);
  return error instanceof DomainError ? wireText(error.message) : error.message;
}

/** The version that a resource has when another one was expected; a text, as all details are. */
function currentVersionOf(error: DomainError | TransportError | null) {
  const version = error instanceof DomainError ? error.currentVersion : undefined;
  return version === undefined ? {} : { current_version: String(version) };
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
