import type { ErrorCode } from "../domain/core/errors.js";
import { ANSWERS, type TransportErrorCode } from "../rest/transport/errors.js";
import { type HeaderName, headersOfCounted } from "./headers.js";
import { type JsonSchema, SCHEMAS } from "./schemas.js";

type Code = ErrorCode | TransportErrorCode | "INTERNAL";

/**
 * Not of the change log, which REST does not show, nor of methods that no operation has. A request that is under way is a
 * conflict by its status.
 */
type Documented = Exclude<Code, "GONE" | "METHOD_NOT_ALLOWED" | "REQUEST_IN_FLIGHT">;

/** What every refusal means, in a sentence. */
const MEANINGS: Readonly<Record<Documented, string>> = {
  INVALID_REQUEST: "The request is not valid; each problem stands in `details` by its path.",
  UNAUTHENTICATED: "There is no key in the request, or none that is known.",
  FORBIDDEN: "The key may only read.",
  NOT_FOUND: "There is no such resource.",
  REQUEST_TIMEOUT: "The request did not arrive in time.",
  CONFLICT:
    "The request contradicts what is stored, or another one with its `Idempotency-Key` is under way.",
  IN_USE: "Other resources refer to it; `details` names up to five of them.",
  PRECONDITION_FAILED:
    "The resource has another entity tag than `If-Match` names; the header `ETag` has it.",
  BODY_TOO_LARGE: "The body is too large.",
  UNSUPPORTED_MEDIA_TYPE: "The body is not declared as JSON.",
  IDEMPOTENCY_KEY_REUSED: "The `Idempotency-Key` was used for another request.",
  RATE_LIMITED:
    "Too many requests came with this key, or without a valid one; try again after `Retry-After`.",
  HEADERS_TOO_LARGE: "The headers are too large.",
  INTERNAL: "Something went wrong on our side.",
  UNAVAILABLE: "The database cannot be reached; try again.",
};

const { GONE: _, ...OF_REST } = ANSWERS;

/** The words of `error_code`; a server that answers numbers has another schema in their place. */
export const ERROR_CODE: JsonSchema = {
  type: "string",
  description: "The kind of a refusal.",
  enum: Object.values(OF_REST).map(({ code }) => code),
};

export const REFUSAL: JsonSchema = {
  type: "object",
  description: "Every refusal.",
  properties: {
    error_code: { $ref: `${SCHEMAS}ErrorCode`, description: "Stands for the kind of the refusal." },
    status_code: { type: "integer", description: "The same as the status of the answer." },
    msg: { type: "string", description: "What is wrong, in sentences." },
    details: {
      type: "object",
      description: "Each problem by its path, and `operation_id`, which the log has too.",
      properties: {
        operation_id: { type: "string", description: "Also in the header `Operation-Id`." },
      },
      required: ["operation_id"],
      additionalProperties: { type: "string" },
    },
  },
  required: ["error_code", "status_code", "msg", "details"],
  additionalProperties: false,
};

const OWN_HEADERS: Partial<Record<Code, readonly HeaderName[]>> = {
  // While another request with the same key is under way.
  CONFLICT: ["Retry-After"],
  PRECONDITION_FAILED: ["ETag"],
  RATE_LIMITED: ["Retry-After"],
  UNAVAILABLE: ["Retry-After"],
};

/** The headers of a refusal. */
function headersOf(code: Code) {
  // These come before the key is looked at.
  if (code === "REQUEST_TIMEOUT" || code === "HEADERS_TOO_LARGE") return {};
  return { headers: headersOfCounted(...(OWN_HEADERS[code] ?? [])) };
}

/** Those of the HTTP layer and of the server, which every request can get. */
const COMMON: readonly Code[] = [
  ...(["INVALID_REQUEST", "UNAUTHENTICATED", "RATE_LIMITED", "REQUEST_TIMEOUT"] as const),
  ...(["HEADERS_TOO_LARGE", "INTERNAL", "UNAVAILABLE"] as const),
];
const OF_BODIES: readonly Code[] = ["BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];

/** What an operation takes besides its path: a body, `If-Match`, or `Idempotency-Key`. */
interface Traits {
  readonly hasBody: boolean;
  readonly isConditional: boolean;
  readonly isRepeatable: boolean;
}

/** The refusals of an operation, by their status. */
export function refusalsOf(
  refusals: readonly ErrorCode[],
  { hasBody, isConditional, isRepeatable }: Traits,
) {
  const codes: readonly Code[] = [
    ...COMMON,
    ...refusals,
    ...(hasBody ? OF_BODIES : []),
    ...(isConditional ? (["PRECONDITION_FAILED"] as const) : []),
    ...(isRepeatable ? (["CONFLICT", "IDEMPOTENCY_KEY_REUSED"] as const) : []),
  ];
  return Object.fromEntries(
    codes.map((code) => [ANSWERS[code].status, { $ref: `#/components/responses/${nameOf(code)}` }]),
  );
}

/** The response to `If-None-Match` with a tag that is still right. */
const NOT_MODIFIED = {
  description: "It still has a tag that `If-None-Match` names; the answer has no body.",
  headers: headersOfCounted("ETag"),
};

/** The refusals, by names such as `InvalidRequest`, and `NotModified`. */
export const RESPONSES = {
  NotModified: NOT_MODIFIED,
  ...refusals(),
};

function refusals() {
  return Object.fromEntries(
    Object.entries(MEANINGS).map(([code, description]) => {
      const { status, code: error_code } = ANSWERS[code as Documented];
      const example = {
        error_code,
        status_code: status,
        msg: description,
        details: { operation_id: "op_3AFnHp9kQ2VtXw7LzRbYcM5sJdE" },
      };
      const content = { schema: { $ref: `${SCHEMAS}Refusal` }, example };
      const headers = headersOf(code as Documented);
      return [nameOf(code), { description, ...headers, content: { "application/json": content } }];
    }),
  );
}

function nameOf(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
