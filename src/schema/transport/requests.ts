import type { IncomingMessage, ServerResponse } from "node:http";
import type { GraphQLError } from "graphql";
import type { GraphQLParams, Plugin } from "graphql-yoga";
import type { Caller } from "../../admission/admission.js";
import { depthIssues } from "../../domain/core/depth.js";
import { summarize } from "../../domain/core/errors.js";
import {
  DECLARE_JSON,
  isDeclaredAs,
  isJsonObject,
  parseBody,
  parseJson,
  readBytes,
} from "../../http/body.js";
import { IDEMPOTENCY_KEY, idempotencyKeyOf } from "../../http/idempotency-key.js";
import type { Trace } from "../../trace.js";
import { limitExceeded, refusal, tooDeep } from "../builder/errors.js";
import { HOW_TO_SUBSCRIBE } from "./event-stream.js";
import { operationOf } from "./limits/documents.js";
import { type GraphqlSettings, LARGEST_BATCH } from "./limits/settings.js";
import { limitIssue } from "./limits/shape.js";
import { singleConnectionRefusal } from "./single-connection.js";

interface ServerContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly trace: Trace;
}

/** Lets a request in or throws, before anything of what it asks is looked at. */
type Admit<Context> = (context: Context) => Promise<Pick<Caller, "count">>;

const RESPONSE_TYPE = "application/graphql-response+json";
const TYPES = new Set(["application/json", RESPONSE_TYPE]);
const UNREADABLE = {
  NOT_UTF8: "The body is not UTF-8.",
  NOT_JSON: "The body is not valid JSON.",
};
/** The content types of a response, and the media ranges that include them. */
const RANGES = new Set([...TYPES, "text/event-stream", "*/*", "application/*", "text/*"]);

/**
 * Reads the operations of a request from the query of a GET or from the JSON of a POST. Every other request is refused
 * with a code. It replaces Yoga's own parsers, which accept forms and send some errors without a body.
 */
export function jsonRequests<Context extends ServerContext>(
  settings: GraphqlSettings,
  admit: Admit<Context>,
): Plugin<ServerContext & Record<string, unknown>, Context> {
  const batches = new WeakSet<Request>();
  return {
    onRequestParse({ request, serverContext, setRequestParser, endResponse, fetchAPI }) {
      const refused = singleConnectionRefusal(request, fetchAPI);
      if (refused) {
        serverContext.trace.codes.add(refused.code);
        return void endResponse(refused.response);
      }
      const accept = request.headers.get("accept");
      checkMethod(request.method);
      if (!isAcceptable(accept)) throw notAcceptable();
      setRequestParser(async () => {
        const caller = await admit(serverContext);
        if (request.method === "GET") return fromQuery(request.url);
        const body = await bodyOf(serverContext.req, settings);
        if (!Array.isArray(body)) return checked(body);
        checkBatch(body, settings);
        if (body.length > settings.maxBatch) {
          serverContext.trace.codes.add("LIMIT_EXCEEDED");
          const headers = { "Content-Type": jsonType(accept) };
          return new fetchAPI.Response(tooLongBatch(body, settings), { headers });
        }
        await caller.count(body.length - 1);
        batches.add(request);
        // Each of the operations listens whether the client goes.
        serverContext.res.setMaxListeners(0);
        return body.map(checked);
      });
    },
    onExecute({ args, setResultAndStopExecution }) {
      const { request, req } = args.contextValue;
      if (!batches.has(request) || idempotencyKeyOf(req) === null) return;
      if (operationOf(args.document, args.operationName).operation !== "mutation") return;
      const message = `A mutation with an ${IDEMPOTENCY_KEY} cannot be part of a batch: send it alone.`;
      setResultAndStopExecution({ errors: [refusal("BAD_REQUEST", message)] });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      if (!batches.has(args.contextValue.request)) return;
      const message = "A subscription cannot be part of a batch: send it alone.";
      setResultAndStopExecution({ errors: [refusal("BAD_REQUEST", message)] });
    },
    onResultProcess({ request, result, resultProcessor, setResultProcessor, serverContext }) {
      // A result that streams for one who takes none, and the refusal of what one does take. The library would send
      // that as multipart/mixed to who asks for it.
      if (resultProcessor && isAcceptable(request.headers.get("accept"))) return;
      setResultProcessor((_, { Response }) => {
        serverContext.trace.codes.add("NOT_ACCEPTABLE");
        const isStream = Symbol.asyncIterator in result;
        if (isStream) void result[Symbol.asyncIterator]().return?.();
        const refused = notAcceptable(isStream ? HOW_TO_SUBSCRIBE : undefined);
        return Response.json({ errors: [shown(refused)] }, { status: 406 });
      }, "application/json");
    },
  };
}

function checkMethod(method: string): void {
  if (method === "GET" || method === "POST") return;
  throw refusal("METHOD_NOT_ALLOWED", "Send GraphQL by POST, or a query by GET.", undefined, {
    Allow: "GET, POST",
  });
}

function isAcceptable(accept: string | null): boolean {
  if (accept === null || accept.trim() === "") return true;
  const ranges = accept.split(",").map((range) => range.split(";", 1)[0]?.trim().toLowerCase());
  return ranges.some((range) => range !== undefined && RANGES.has(range));
}

function notAcceptable(message = `Set Accept to ${[...TYPES].join(" or ")}. ${HOW_TO_SUBSCRIBE}`) {
  return refusal("NOT_ACCEPTABLE", message);
}

function fromQuery(url: string): GraphQLParams {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
  const text = (name: string) => query.get(name) || undefined;
  const json = (name: string) => {
    const value = text(name);
    const notJson = () => refusal("BAD_REQUEST", `The parameter \`${name}\` is not valid JSON.`);
    return value === undefined ? undefined : parseJson(value, notJson);
  };
  return checked({
    query: text("query"),
    operationName: text("operationName"),
    variables: json("variables"),
    extensions: json("extensions"),
    documentId: text("documentId"),
  });
}

async function bodyOf(request: IncomingMessage, settings: GraphqlSettings): Promise<unknown> {
  if (!isDeclaredAs(TYPES, request)) throw refusal("UNSUPPORTED_MEDIA_TYPE", DECLARE_JSON);
  if ((request.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw refusal("UNSUPPORTED_MEDIA_TYPE", "Send the body without Content-Encoding.");
  }
  const bytes = await readBytes(request, settings.maxBodyBytes);
  if (!bytes) throw bodyTooLarge(settings.maxBodyBytes);
  return parseBody(bytes, (problem) => refusal("BAD_REQUEST", UNREADABLE[problem]));
}

/** Throws for a batch that is answered as a whole: with an item for each operation the answer would have no bound. */
function checkBatch({ length }: readonly unknown[], { maxBatch }: GraphqlSettings): void {
  if (length === 0) throw refusal("BAD_REQUEST", "The batch has no operations.");
  if (length > LARGEST_BATCH) throw limitExceeded([limitIssue("batch", length, maxBatch)]);
}

/** The answer to a batch that is too long: each operation is refused, since clients hand it its own item. */
function tooLongBatch({ length }: readonly unknown[], { maxBatch }: GraphqlSettings): string {
  const error = shown(limitExceeded([limitIssue("batch", length, maxBatch)]));
  return JSON.stringify(Array.from({ length }, () => ({ errors: [error] })));
}

/** The content type of JSON for a client that accepts `accept`. */
function jsonType(accept: string | null): string {
  const type = accept?.includes(RESPONSE_TYPE) ? RESPONSE_TYPE : "application/json";
  return `${type}; charset=utf-8`;
}

/** An error as it stands in an answer that the library does not write. */
function shown({ message, extensions: { http, ...extensions } }: GraphQLError) {
  return { message, extensions };
}

function bodyTooLarge(limit: number) {
  const message = `has more than ${limit} bytes, which is the limit for a request`;
  return refusal("BODY_TOO_LARGE", `The body ${message}.`, [{ path: [], message, limit }]);
}

const PARAMETERS = new Set(["query", "operationName", "variables", "extensions", "documentId"]);

/** The parameters of one operation. Throws BAD_REQUEST with every problem. */
function checked(body: unknown): GraphQLParams {
  if (!isJsonObject(body)) {
    const expected = "a JSON object with `query`, and optionally `variables` and `operationName`";
    throw refusal("BAD_REQUEST", `An operation is ${expected}.`);
  }
  const { query, operationName, variables, extensions, documentId } = body;
  const issues = [
    ...Object.keys(body)
      .filter((name) => !PARAMETERS.has(name))
      .map((name) => ({
        path: [name],
        message: `is not a parameter; there are ${[...PARAMETERS].join(", ")}`,
      })),
    ...problem("query", "a string", query, isString),
    ...problem("operationName", "a string", operationName, isString),
    ...problem("variables", "an object", variables, isJsonObject),
    ...problem("extensions", "an object", extensions, isJsonObject),
    ...problem("documentId", "a string", documentId, isString),
  ];
  if (issues.length > 0) throw refusal("BAD_REQUEST", summarize(issues), issues);
  const deep = [
    ...depthIssues(variables, ["variables"]),
    ...depthIssues(extensions, ["extensions"]),
  ];
  if (deep.length > 0) throw tooDeep(deep);
  return body;
}

function problem(name: string, kind: string, value: unknown, is: (value: unknown) => boolean) {
  const fits = value === undefined || value === null || is(value);
  return fits ? [] : [{ path: [name], message: `must be ${kind}` }];
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}
