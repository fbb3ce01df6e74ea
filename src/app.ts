import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import type { Logger } from "pino";
import { createAdmission } from "./admission/admission.js";
import type { Counters } from "./admission/counters.js";
import type { RateLimitSettings } from "./admission/rate-limiter.js";
import { createDashboard } from "./dashboard/server.js";
import type { Services } from "./domain/core/context.js";
import { newOperationId } from "./domain/core/ids.js";
import { createCompression } from "./http/compression.js";
import { createCors } from "./http/cors.js";
import { badRequest, type HttpRefusal } from "./http/refusals.js";
import type { HttpApp } from "./http/server.js";
import { pathOf, targetProblem } from "./http/target.js";
import type { BaseUrlOptions } from "./rest/transport/base-url.js";
import { createDocument } from "./rest/transport/document.js";
import { restRefusal } from "./rest/transport/errors.js";
import { createReference } from "./rest/transport/reference/server.js";
import { createRootPage } from "./rest/transport/root-page.js";
import { createRest, type RestOptions } from "./rest/transport/server.js";
import { graphqlRefusal } from "./schema/builder/errors.js";
import { createGraphiql } from "./schema/transport/graphiql/server.js";
import { createGraphql, type GraphqlSettings } from "./schema/transport/server.js";
import { webSocketProblem } from "./schema/transport/web-sockets.js";
import { logRequest } from "./telemetry/request-log.js";
import type { Telemetry } from "./telemetry/telemetry.js";
import { inRequest, newTrace, type Trace } from "./trace.js";

export interface AppOptions
  extends Pick<RestOptions, "versionHeaders" | "errorCodes">,
    BaseUrlOptions {
  readonly graphql: GraphqlSettings;
  /** Whether browsers get the dashboard at `/dashboard`, to which the root leads them then. */
  readonly dashboard: boolean;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly graphiql: boolean;
  /** How many requests may come with one key; null for any number. */
  readonly rateLimits: RateLimitSettings | null;
  /** The counters of the primary, in one of its workers. Default none. */
  readonly primaryCounters?: Counters | undefined;
  /** The origins whose pages may read answers; see `http/cors.ts`. Empty for none. */
  readonly corsOrigins: readonly string[];
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Resolves while the database can be reached. */
  ready(): Promise<void>;
  /** Whether this process is about to end: it still serves, but wants no more connections. Default never. */
  isStopping?(): boolean;
}

/**
 * Both transports and the health checks behind one listener; `/graphql` goes to Yoga, everything else to REST. Every
 * error thrown here is answered with an envelope and logged.
 */
export function createApp(services: Services, options: AppOptions): HttpApp {
  const { logger, telemetry, isStopping = () => false } = options;
  const traces = new WeakMap<IncomingMessage, Trace>();
  const admit = createAdmission(services, {
    ...options,
    onStoreError: (error) =>
      logger.warn(
        { err: error },
        "each process counts requests by itself, since nobody does for all",
      ),
  });
  const cors = createCors({
    origins: options.corsOrigins,
    versionHeaders: options.versionHeaders,
  });

  const compress = createCompression();

  const whenDone = (request: IncomingMessage, response: ServerResponse, trace: Trace) => {
    const start = performance.now();
    response.once("close", () => {
      const ms = performance.now() - start;
      const ended = { request, response, trace, ms };
      logRequest(logger, ended);
      telemetry.ended(ended);
    });
  };
  const begin = (request: IncomingMessage, response: ServerResponse): Trace => {
    const known = traces.get(request);
    if (known) return known;
    const trace = newTrace(newOperationId());
    traces.set(request, trace);
    response.setHeader("Operation-Id", trace.operationId);
    // Answers have secrets, and what is behind a key. The files of pages say otherwise.
    response.setHeader("Cache-Control", "no-store");
    if (isStopping()) response.shouldKeepAlive = false;
    cors?.allow(request, response);
    compress(request, response);
    telemetry.begun(request, trace);
    whenDone(request, response, trace);
    return trace;
  };
  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    refusal: HttpRefusal | null,
  ) => {
    const { operationId, codes } = begin(request, response);
    codes.add(refusal?.code ?? "INTERNAL");
    if (response.headersSent) return void response.destroy();
    const { status, headers, body } = isGraphql(pathOf(request))
      ? graphqlRefusal(refusal, operationId)
      : restRefusal(refusal, operationId, options.errorCodes === "numbered" ? request : null);
    const text = JSON.stringify(body);
    response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  };
  const fail = (request: IncomingMessage, response: ServerResponse, defect: unknown) => {
    begin(request, response).defect = defect;
    answer(request, response, null);
  };

  const rest = createRest(services, {
    admit,
    versionHeaders: options.versionHeaders,
    errorCodes: options.errorCodes,
    baseUrl: options,
  });
  const serveRest = getRequestListener(
    (request, env) => {
      // Only HTTP/1.1 is served, so these are its bindings.
      const { incoming, outgoing } = env as HttpBindings;
      const trace = begin(incoming, outgoing);
      trace.part = "rest";
      return rest(request, { incoming, outgoing, trace });
    },
    {
      errorHandler: (error) => {
        throw error;
      },
    },
  );
  const graphql = createGraphql(services, admit, options.graphql, (defect) =>
    logger.error({ err: defect }, "GraphQL failed"),
  );
  const sites = [
    ...(options.dashboard ? [createDashboard(fail)] : []),
    ...(options.graphiql ? [createGraphiql(fail)] : []),
    createDocument(options.errorCodes, fail),
    createReference(fail),
    createRootPage(options),
  ];

  const route = async (request: IncomingMessage, response: ServerResponse, trace: Trace) => {
    // Load balancers ask for their health without a Host.
    if (pathOf(request) === "/livez") {
      note(trace, "health", "/livez");
      return answerHealth(response, 200, "ok");
    }
    if (pathOf(request) === "/readyz") {
      note(trace, "health", "/readyz");
      if (isStopping()) return answerHealth(response, 503, "the server is stopping");
      return options.ready().then(
        () => answerHealth(response, 200, "ok"),
        () => answerHealth(response, 503, "the database cannot be reached"),
      );
    }
    const problem = targetProblem(request);
    if (problem) return answer(request, response, problem);
    if (cors?.isPreflight(request)) return void response.writeHead(204).end();
    const path = pathOf(request);
    const webSocket = isGraphql(path) ? webSocketProblem(request) : null;
    if (webSocket) {
      response.shouldKeepAlive = false;
      return answer(request, response, webSocket);
    }
    if (sites.some((site) => site(request, response, path))) {
      return note(trace, "page", routeOfPage(path));
    }
    if (path !== "/graphql") return serveRest(request, response);
    note(trace, "graphql", path);
    return graphql(request, response, { trace, events: eventsOf(request, response) });
  };

  return {
    serve: (request, response) => {
      const trace = begin(request, response);
      inRequest(trace, () => route(request, response, trace)).catch((error: unknown) => {
        if (error instanceof RequestError) answer(request, response, badRequest(NO_URL));
        else fail(request, response, error);
      });
    },
    refuse: answer,
  };
}

/** How far the subscription has come that a request may carry; it is told of the client's going when it asks. */
function eventsOf(request: IncomingMessage, response: ServerResponse) {
  let gone: AbortSignal | undefined;
  return {
    lastId: firstOf(request.headers["last-event-id"]) ?? null,
    get gone() {
      gone ??= closingOf(response);
      return gone;
    },
  };
}

function closingOf(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  if (response.closed) closing.abort();
  else response.once("close", () => closing.abort());
  return closing.signal;
}

function note(trace: Trace, part: Trace["part"], route: string): void {
  trace.part = part;
  trace.route = route;
}

const ASSET = /\/assets\/.*/;
const DASHBOARD_PAGE = /^\/dashboard\/(?!assets\/).+/;
const NO_URL = "The header Host and the request target do not form a valid URL.";

/** One name for all files of a page, and for all pages of the dashboard, so that there are few. */
function routeOfPage(path: string): string {
  return path.replace(ASSET, "/assets/{file}").replace(DASHBOARD_PAGE, "/dashboard/{page}");
}

function isGraphql(path: string): boolean {
  return path === "/graphql" || path.startsWith("/graphql/");
}

function answerHealth(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain" });
  response.end(`${text}\n`);
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(",", 1)[0]?.trim() || undefined;
}
