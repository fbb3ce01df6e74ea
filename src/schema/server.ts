import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  parse,
} from "graphql";
import { createYoga, isAsyncIterable, type Plugin } from "graphql-yoga";
import { LRUCache } from "lru-cache";
import type { Authenticate } from "../domain/api-keys.js";
import type { Services } from "../domain/context.js";
import { DomainError } from "../domain/errors.js";
import { newOperationId } from "../domain/ids.js";
import { withDanglingReferences } from "../domain/references.js";
import { fromStorageError } from "../domain/storage-errors.js";
import type { Trace } from "../trace.js";
import type { GraphqlContext } from "./builder.js";
import { maskedError, toGraphqlError } from "./errors.js";
import { type EventStreamContext, eventIds } from "./event-stream.js";
import { schema } from "./index.js";
import { oneOfNames } from "./one-of.js";

const MAX_BODY_BYTES = 256 * 1024;
const MAX_TOKENS = 2_000;
const MAX_CACHED_DOCUMENT_BYTES = 4 * 1024 * 1024;

const JSON_TYPE = /^application\/(graphql-response\+)?json\s*(;|$)/i;

interface ServerContext extends EventStreamContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly trace: Trace;
}

/** The GraphQL transport as a node:http listener. `report` gets what is thrown outside of any resolver and is a defect. */
export function createGraphql(
  services: Services,
  authenticate: Authenticate,
  report: (defect: unknown) => void,
) {
  return createYoga<ServerContext, GraphqlContext>({
    schema,
    graphqlEndpoint: "/graphql",
    // The defaults reflect any origin, take forms, answer on any URL that ends like theirs, and
    // load scripts from elsewhere.
    cors: false,
    multipart: false,
    healthCheckEndpoint: `/${newOperationId()}`,
    landingPage: false,
    graphiql: false,
    logging: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    parserAndValidationCache: { documentCache: cacheBoundedInBytes<DocumentNode>() },
    maskedErrors: { isDev: false, maskError: (error) => translate(error, report) },
    context: async ({ req, trace, events }) => {
      const authenticateAgain = () => authenticate(req.headers.authorization);
      const actor = await authenticateAgain();
      trace.keyId = actor.keyId;
      const { operationId } = trace;
      return { ...services, actor, operationId, loaders: new Map(), events, authenticateAgain };
    },
    plugins: [jsonOnly(), boundedTokens(), oneOfNames(), refusals(), eventIds()],
  });
}

/** Refuses bodies in other than JSON, which a form on any web page could send. */
function jsonOnly(): Plugin {
  return {
    onRequest({ request, endResponse, fetchAPI }) {
      const type = request.headers.get("content-type") ?? "";
      if (request.method !== "POST" || JSON_TYPE.test(type)) return;
      const message = "Send the body as JSON with the header: Content-Type: application/json.";
      const errors = [{ message, extensions: { code: "UNSUPPORTED_MEDIA_TYPE" } }];
      endResponse(fetchAPI.Response.json({ errors }, { status: 415 }));
    },
  };
}

function boundedTokens(): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: Parameters<typeof parse>[0], options: object) =>
        parse(source, { ...options, maxTokens: MAX_TOKENS }),
      );
    },
  };
}

/** Turns what resolvers throw into coded errors, all problems of an input at once. */
function refusals(): Plugin<GraphqlContext & ServerContext> {
  return {
    onExecute({ args }) {
      const { contextValue } = args;
      return {
        async onExecuteDone({ result, setResult }) {
          if (!isAsyncIterable(result)) setResult(await coded(contextValue, result));
        },
      };
    },
    onSubscribe({ args: { contextValue }, subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const result = await subscribeFn(args);
        return isAsyncIterable(result) ? result : coded(contextValue, result);
      });
      return {
        onSubscribeResult: () => ({
          async onNext({ result, setResult }) {
            if (!isAsyncIterable(result)) setResult(await coded(contextValue, result));
          },
        }),
      };
    },
  };
}

async function coded(
  context: GraphqlContext & ServerContext,
  result: ExecutionResult,
): Promise<ExecutionResult> {
  if (!result.errors) return result;
  const errors = await Promise.all(result.errors.map((error) => completed(context, error)));
  return { ...result, errors };
}

async function completed(
  context: GraphqlContext & ServerContext,
  error: GraphQLError,
): Promise<GraphQLError> {
  const { originalError } = error;
  if (!originalError) return error;
  const refusal = fromStorageError(originalError);
  if (!refusal) {
    context.trace.defect = originalError;
    return maskedError(context.trace.operationId, error.path);
  }
  const { code, message } = refusal;
  const issues = await withDanglingReferences(context, refusal);
  return toGraphqlError(new DomainError(code, message, issues), error.path);
}

/** What was thrown outside of a resolver. */
function translate(error: unknown, report: (defect: unknown) => void): Error {
  const original = error instanceof Error && "originalError" in error ? error.originalError : error;
  const refusal = fromStorageError(original);
  if (refusal) return toGraphqlError(refusal);
  if (isGraphqlError(error)) return error;
  report(error);
  return maskedError();
}

/** Its own name, since a test runner may load the class twice. */
function isGraphqlError(error: unknown): error is GraphQLError {
  return (
    error instanceof Error &&
    error.name === "GraphQLError" &&
    !("originalError" in error && error.originalError)
  );
}

function cacheBoundedInBytes<Value extends object>() {
  return new LRUCache<string, Value>({
    maxSize: MAX_CACHED_DOCUMENT_BYTES,
    // A parsed document takes far more memory than its text.
    sizeCalculation: (_, text) => text.length * 20,
  });
}
