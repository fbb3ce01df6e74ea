import type { IncomingMessage, ServerResponse } from "node:http";
import type { DocumentNode } from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import { LRUCache } from "lru-cache";
import type { Admit } from "../../admission/admission.js";
import { type Authenticated, createAuthenticateAgain } from "../../domain/api-keys.js";
import type { Services } from "../../domain/core/context.js";
import { newOperationId } from "../../domain/core/ids.js";
import type { Trace } from "../../trace.js";
import type { GraphqlContext } from "../builder/builder.js";
import { graphqlRefusal } from "../builder/errors.js";
import { schema } from "../index.js";
import { compiledExecution } from "./compiled-execution.js";
import { type EventStreamContext, eventIds, eventStreams } from "./event-stream.js";
import { costLimit } from "./limits/cost-limit.js";
import { deadline } from "./limits/deadline.js";
import { documents } from "./limits/documents.js";
import { largeOperations } from "./limits/large-operations.js";
import { type GraphqlSettings, LARGEST_BATCH } from "./limits/settings.js";
import { unfitArguments } from "./limits/unfit-arguments.js";
import { oneOfNames } from "./one-of.js";
import { persistedOperations } from "./persisted-operations.js";
import { refusals, translate } from "./refusals.js";
import { repeatableMutations } from "./repeatable-mutations.js";
import { replicaReads } from "./replica-reads.js";
import { jsonRequests } from "./requests.js";
import { sharedExecutions } from "./shared-executions.js";
import { tracedOperations } from "./traced-operations.js";

export type { GraphqlSettings } from "./limits/settings.js";

const MAX_CACHED_DOCUMENT_BYTES = 4 * 1024 * 1024;

interface ServerContext extends EventStreamContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly trace: Trace;
}

/**
 * The GraphQL transport as a node:http listener. `report` gets what is thrown outside of any resolver and is a
 * defect. Throws when the manifest of persisted operations has problems.
 */
export function createGraphql(
  services: Services,
  admit: Admit,
  settings: GraphqlSettings,
  report: (defect: unknown) => void,
) {
  const callers = new WeakMap<IncomingMessage, Authenticated>();
  const callerOf = (req: IncomingMessage): Authenticated => {
    const caller = callers.get(req);
    if (!caller) throw new Error("The request was not admitted.");
    return caller;
  };
  const confirm = createAuthenticateAgain(services);
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
    // Both are refused before, with codes, by `jsonRequests`.
    maxRequestBodySize: false,
    batching: { limit: LARGEST_BATCH },
    extraParamNames: ["documentId"],
    parserAndValidationCache: {
      documentCache: cacheBoundedInBytes<DocumentNode>(),
      errorCache: cacheBoundedInBytes<Error>(),
    },
    maskedErrors: { isDev: false, maskError: (error) => translate(error, report) },
    context: ({ req, trace: { operationId }, events }) => {
      const { actor } = callerOf(req);
      const authenticateAgain = () => confirm(actor);
      return { ...services, actor, operationId, loaders: new Map(), events, authenticateAgain };
    },
    plugins: [
      lastResort(),
      eventStreams(),
      jsonRequests(settings, async ({ req, res, trace }: ServerContext) => {
        const caller = await admit(req, res, trace);
        callers.set(req, caller);
        return caller;
      }),
      persistedOperations(settings),
      tracedOperations(),
      documents(settings),
      costLimit(settings),
      compiledExecution(),
      unfitArguments(settings),
      repeatableMutations(),
      largeOperations(settings),
      replicaReads(services, callerOf),
      deadline(settings),
      oneOfNames(settings),
      sharedExecutions(),
      refusals(settings),
      eventIds(),
    ],
  });
}

/** Answers what is thrown outside of everything that translates errors: the library would send it with its stack. */
function lastResort(): Plugin<GraphqlContext, ServerContext> {
  return {
    onRequest({ requestHandler, setRequestHandler, fetchAPI }) {
      setRequestHandler(async (request, context) => {
        try {
          return await requestHandler(request, context);
        } catch (error) {
          context.trace.defect = error;
          context.trace.codes.add("INTERNAL");
          const { status, headers, body } = graphqlRefusal(null, context.trace.operationId);
          return new fetchAPI.Response(JSON.stringify(body), { status, headers });
        }
      });
    },
  };
}

function cacheBoundedInBytes<Value extends object>() {
  return new LRUCache<string, Value>({
    maxSize: MAX_CACHED_DOCUMENT_BYTES,
    // A parsed document takes far more memory than its text.
    sizeCalculation: (_, text) => text.length * 20,
  });
}
