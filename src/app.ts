import type { IncomingMessage, RequestListener, ServerOptions, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { Logger } from "pino";
import { createAuthenticate } from "./domain/api-keys.js";
import type { Services } from "./domain/context.js";
import { newOperationId } from "./domain/ids.js";
import { createRest, type RestOptions } from "./rest/server.js";
import { createGraphiql } from "./schema/graphiql/server.js";
import { createGraphql, type GraphqlSettings } from "./schema/server.js";
import type { Trace } from "./trace.js";

export interface AppOptions extends Pick<RestOptions, "versionHeaders"> {
  /** The URL that callers use, or null to take it from each request. */
  readonly publicUrl: string | null;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are to be believed. */
  readonly trustProxy: boolean;
  readonly graphql: GraphqlSettings;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly graphiql: boolean;
  readonly logger: Logger;
  /** Resolves while the database can be reached. */
  ready(): Promise<void>;
}

/**
 * What node:http is to bear of a connection, before any of our code sees a request. Bodies are small, so slow
 * ones are no honest clients; but an idle connection is kept for longer than load balancers keep theirs, since
 * one that sends on a connection which is just being closed shows its client an error.
 */
export const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
} satisfies ServerOptions;

/** Both transports and the health checks behind one listener; `/graphql` goes to Yoga, all else to REST. */
export function createApp(services: Services, options: AppOptions): RequestListener {
  const { logger } = options;
  const traces = new WeakMap<IncomingMessage, Trace>();
  const traceOf = (request: IncomingMessage): Trace =>
    traces.get(request) ?? { operationId: newOperationId() };
  const authenticate = createAuthenticate(services);
  const rest = createRest(services, {
    authenticate,
    versionHeaders: options.versionHeaders,
    baseUrl: (request) => options.publicUrl ?? originOf(request, options.trustProxy),
  });
  const serveRest = getRequestListener((request, env) => {
    // Only HTTP/1.1 is served, so these are its bindings.
    const { incoming } = env as HttpBindings;
    return rest.fetch(request, { incoming, trace: traceOf(incoming) });
  });
  const graphql = createGraphql(services, authenticate, options.graphql, (defect) =>
    logger.error({ err: defect }, "GraphQL failed"),
  );
  const graphiql = options.graphiql
    ? createGraphiql((defect) => logger.error({ err: defect }, "GraphiQL failed"))
    : null;

  return (request, response) => {
    const trace: Trace = { operationId: newOperationId() };
    traces.set(request, trace);
    response.setHeader("Operation-Id", trace.operationId);
    const path = request.url?.split("?", 1)[0] ?? "/";
    logWhenDone(logger, request, response, trace, path);
    if (path === "/livez") return answerHealth(response, 200, "ok");
    if (path === "/readyz") {
      return void options.ready().then(
        () => answerHealth(response, 200, "ok"),
        () => answerHealth(response, 503, "the database cannot be reached"),
      );
    }
    if (graphiql?.(request, response, path)) return;
    if (path === "/graphql") {
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      const lastId = firstOf(request.headers["last-event-id"]) ?? null;
      const events = { lastId, gone: gone.signal };
      return void graphql(request, response, { trace, events });
    }
    return void serveRest(request, response);
  };
}

function answerHealth(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain", "Cache-Control": "no-store" });
  response.end(`${text}\n`);
}

function logWhenDone(
  logger: Logger,
  { method }: IncomingMessage,
  response: ServerResponse,
  trace: Trace,
  path: string,
): void {
  const start = performance.now();
  response.once("close", () => {
    const { operationId, keyId, defect } = trace;
    const line = {
      operationId,
      method,
      path,
      status: response.statusCode,
      ms: Math.round((performance.now() - start) * 10) / 10,
      ...(keyId !== undefined && { keyId }),
      ...(!response.writableFinished && { aborted: true }),
    };
    if (defect === undefined) logger.info(line, "request");
    else logger.error({ ...line, err: defect }, "request failed");
  });
}

function originOf({ url, headers }: Request, trustProxy: boolean): string {
  const origin = url.slice(0, url.indexOf("/", url.indexOf("//") + 2));
  if (!trustProxy) return origin;
  const [ownScheme, ownHost] = origin.split("://", 2);
  const scheme = firstOf(headers.get("x-forwarded-proto")) ?? ownScheme;
  return `${scheme}://${firstOf(headers.get("x-forwarded-host")) ?? ownHost}`;
}

function firstOf(header: string | string[] | null | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(",", 1)[0]?.trim() || undefined;
}
