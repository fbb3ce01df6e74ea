import { createGraphQLError } from "graphql-yoga";
import { type DomainError, type ErrorCode, type Issue, summarize } from "../domain/errors.js";

/** `extensions.code` and the HTTP status of an answer that consists of this error alone. */
const CODES = {
  INVALID_REQUEST: { code: "INVALID_REQUEST", status: 200 },
  UNAUTHENTICATED: { code: "UNAUTHENTICATED", status: 401 },
  FORBIDDEN: { code: "FORBIDDEN", status: 200 },
  NOT_FOUND: { code: "NOT_FOUND", status: 200 },
  CONFLICT: { code: "CONFLICT", status: 200 },
  IN_USE: { code: "IN_USE", status: 200 },
  GONE: { code: "GONE", status: 200 },
  UNAVAILABLE: { code: "UNAVAILABLE", status: 503 },
} satisfies Record<ErrorCode, { code: string; status: number }>;

/** A refusal as GraphQL shows it: a code, and one issue per problem with its path in the caller's arguments. */
export function toGraphqlError(
  error: DomainError,
  path?: readonly (string | number)[] | undefined,
) {
  const { code, status } = CODES[error.code];
  const summed = error.code === "INVALID_REQUEST" && error.issues.length > 0;
  return createGraphQLError(summed ? summarize(error.issues) : error.message, {
    ...(path && { path }),
    extensions: {
      code,
      issues: error.issues.map(({ path, message }) => ({ path, message })),
      ...(status !== 200 && {
        http: { status, ...(status === 401 && { headers: { "WWW-Authenticate": "Bearer" } }) },
      }),
    },
  });
}

/** A defect, of which the caller learns only the operation id. */
export function maskedError(operationId?: string, path?: readonly (string | number)[] | undefined) {
  return createGraphQLError(
    "Something went wrong on our side. Quote the operation id when you report it.",
    {
      ...(path && { path }),
      extensions: {
        code: "INTERNAL",
        http: { status: 500 },
        ...(operationId !== undefined && { operationId }),
      },
    },
  );
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
