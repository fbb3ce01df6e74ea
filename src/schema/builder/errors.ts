import type { ASTNode } from "graphql";
import { createGraphQLError } from "graphql-yoga";
import {
  type DomainError,
  type ErrorCode,
  type Issue,
  listed,
  summarize,
} from "../../domain/core/errors.js";
import { UNAUTHENTICATED } from "../../http/authorization.js";
import { DEFECT, type HttpAnswer, type HttpRefusal } from "../../http/refusals.js";

/** The codes of errors that only this transport raises, and of defects. */
export type TransportErrorCode =
  | "BAD_REQUEST"
  | "GRAPHQL_PARSE_FAILED"
  | "GRAPHQL_VALIDATION_FAILED"
  | "OPERATION_RESOLUTION_FAILURE"
  | "LIMIT_EXCEEDED"
  | "PERSISTED_QUERY_NOT_FOUND"
  | "PERSISTED_QUERY_NOT_SUPPORTED"
  | "PERSISTED_QUERY_REQUIRED"
  | "METHOD_NOT_ALLOWED"
  | "NOT_ACCEPTABLE"
  | "REQUEST_TIMEOUT"
  | "BODY_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "HEADERS_TOO_LARGE"
  | "DEADLINE_EXCEEDED"
  | "INTERNAL";

interface Answer {
  /** Of an answer that has this error. */
  readonly status: number;
  /** A client that accepts `application/json` alone gets 200 instead, as GraphQL over HTTP has it. */
  readonly unlessJson?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the error's own. */
  readonly message?: string;
}

/** Every `extensions.code` that `/graphql` answers with. `docs/errors.md` says when. */
export const ANSWERS = {
  INVALID_REQUEST: { status: 200 },
  UNAUTHENTICATED,
  FORBIDDEN: { status: 200 },
  NOT_FOUND: { status: 200 },
  CONFLICT: { status: 200 },
  IN_USE: { status: 200 },
  REQUEST_IN_FLIGHT: { status: 409, headers: { "Retry-After": "1" } },
  GONE: { status: 200 },
  UNAVAILABLE: { status: 503 },
  BAD_REQUEST: { status: 400 },
  GRAPHQL_PARSE_FAILED: { status: 400, unlessJson: true },
  GRAPHQL_VALIDATION_FAILED: { status: 400, unlessJson: true },
  OPERATION_RESOLUTION_FAILURE: { status: 400, unlessJson: true },
  LIMIT_EXCEEDED: { status: 400, unlessJson: true },
  PERSISTED_QUERY_NOT_FOUND: { status: 400, unlessJson: true },
  PERSISTED_QUERY_NOT_SUPPORTED: { status: 400, unlessJson: true },
  PERSISTED_QUERY_REQUIRED: { status: 400, unlessJson: true },
  METHOD_NOT_ALLOWED: { status: 405 },
  NOT_ACCEPTABLE: { status: 406 },
  REQUEST_TIMEOUT: { status: 408 },
  BODY_TOO_LARGE: { status: 413, headers: { Connection: "close" } },
  UNSUPPORTED_MEDIA_TYPE: { status: 415 },
  IDEMPOTENCY_KEY_REUSED: { status: 422 },
  RATE_LIMITED: { status: 429 },
  HEADERS_TOO_LARGE: { status: 431 },
  DEADLINE_EXCEEDED: { status: 504 },
  INTERNAL: { status: 500 },
} satisfies Record<ErrorCode | TransportErrorCode, Answer>;

type Path = readonly (string | number)[] | undefined;

/** A refusal of the domain as GraphQL shows it: a code, and one issue per problem with its path in the caller's arguments. */
export function toGraphqlError(error: DomainError, path?: Path) {
  const { code, issues, currentVersion } = error;
  const answer: Answer = ANSWERS[code];
  const summed = code === "INVALID_REQUEST" && issues.length > 0;
  const message = summed ? summarize(issues) : (answer.message ?? error.message);
  return createGraphQLError(message, {
    ...(path && { path }),
    extensions: {
      code,
      issues: shown(issues),
      ...(currentVersion !== undefined && { currentVersion }),
      ...http(answer),
    },
  });
}

/** A refusal of this transport. `headers` go with those of its code. */
export function refusal(
  code: TransportErrorCode,
  message: string,
  issues?: readonly Issue[],
  headers?: Readonly<Record<string, string>>,
) {
  const answer: Answer = ANSWERS[code];
  return createGraphQLError(message, {
    extensions: {
      code,
      ...(issues && { issues: shown(issues) }),
      ...http({ ...answer, headers: { ...answer.headers, ...headers } }),
    },
  });
}

/**
 * The error for exceeded limits: one issue for each, whose path is the name of the limit, and advice that would fit.
 */
export function limitExceeded(issues: readonly Issue[], advice: readonly Issue[] = []) {
  const message = [issues, ...advice.map((issue) => [issue])]
    .map((listed) => summarize(listed))
    .join(" ");
  return refusal("LIMIT_EXCEEDED", message, [...issues, ...advice]);
}

/** The error for JSON that is nested too deeply. */
export function tooDeep(issues: readonly Issue[]) {
  return createGraphQLError(summarize(issues), {
    extensions: { code: "INVALID_REQUEST", issues: shown(issues), ...http({ status: 400 }) },
  });
}

/**
 * Arguments at `node` with variables that do not fit their types. `issues` are the first of `count`. Nothing was
 * executed, hence not the status of other invalid input.
 */
export function invalidVariables(issues: readonly Issue[], count: number, node: ASTNode) {
  return createGraphQLError(summarize(issues, count), {
    nodes: [node],
    extensions: {
      code: "INVALID_REQUEST",
      issues: shown(issues, count),
      ...http({ status: 400, unlessJson: true }),
    },
  });
}

/** A defect, of which the caller learns only the operation id. */
export function maskedError(operationId?: string, path?: Path) {
  return createGraphQLError(DEFECT, {
    ...(path && { path }),
    extensions: {
      code: "INTERNAL",
      ...http(ANSWERS.INTERNAL),
      ...(operationId !== undefined && { operationId }),
    },
  });
}

/** What was thrown outside of any resolver, as resolvers throw it: it has no code yet. */
export function thrownError(error: unknown) {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return createGraphQLError(originalError.message, { originalError });
}

/** The answer to what is refused as HTTP, and to a defect outside of any operation when `refusal` is null. */
export function graphqlRefusal(refused: HttpRefusal | null, operationId: string): HttpAnswer {
  const { code, message } = refused ?? { code: "INTERNAL", message: DEFECT };
  const answer: Answer = ANSWERS[code];
  const extensions = { code, ...(!refused && { operationId }) };
  return {
    status: answer.status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...answer.headers },
    body: { errors: [{ message, extensions }] },
  };
}

/** The library's message about an argument as an issue, without the value, which may be a secret. */
export function argumentIssue(message: string): Issue {
  const [, name, problem = ""] = /^Argument "(\w+)" ([\s\S]*)$/.exec(message) ?? [];
  return {
    path: name === undefined ? [] : [name],
    message: problem.endsWith("must not be null.")
      ? "must not be null"
      : problem.startsWith("of required type")
        ? "is required"
        : "has an invalid value",
  };
}

/** The code of an error, when it is in the table. */
export function isCoded({
  extensions,
}: {
  /** The errors of compiled code may have none. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}) {
  return typeof extensions?.code === "string" && Object.hasOwn(ANSWERS, extensions.code);
}

function shown(issues: readonly Issue[], count?: number) {
  return listed(issues, count).map(({ path, message, limit }) => ({
    path,
    message,
    ...(limit !== undefined && { limit }),
  }));
}

/** As Yoga reads it; it does not show in the answer. */
function http({ status, unlessJson, headers }: Answer) {
  if (status === 200) return {};
  return { http: { status, ...(unlessJson && { spec: true }), ...(headers && { headers }) } };
}

/**
 * The path of an issue as it stands in the arguments, with the position in the list
 * where the domain has a map and GraphQL a list of names and values.
 */
export function callerPath(args: Readonly<Record<string, unknown>>, path: Issue["path"]) {
  let value: unknown = args;
  return path.map((segment) => {
    if (Array.isArray(value) && typeof segment === "string") {
      const position = value.findIndex((entry) => firstMember(entry) === segment);
      value = value[position];
      return position;
    }
    value = typeof value === "object" && value !== null ? Reflect.get(value, segment) : undefined;
    return segment;
  });
}

function firstMember(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null ? Object.values(entry)[0] : undefined;
}
