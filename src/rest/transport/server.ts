import type { IncomingMessage, ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import type { Admit } from "../../admission/admission.js";
import { requireWrite } from "../../domain/changes/transactions.js";
import type { Services } from "../../domain/core/context.js";
import { DomainError, type Issue, refuse } from "../../domain/core/errors.js";
import { servicesForQueries } from "../../domain/reads/replica.js";
import { fromStorageError } from "../../domain/storage/errors.js";
import { withDanglingReferences } from "../../domain/storage/reference-checks.js";
import { ClientGone } from "../../http/body.js";
import type { Trace } from "../../trace.js";
import { type Endpoint, templateOf } from "../contract/contract.js";
import { checkQuery } from "../contract/lists.js";
import { verbatim } from "../contract/wire.js";
import { contract } from "../index.js";
import { type BaseUrlOptions, createBaseUrl } from "./base-url.js";
import { readBody } from "./bodies.js";
import { DOCUMENT_PATH } from "./document.js";
import { errorResponse, TransportError } from "./errors.js";
import type { ErrorCodes } from "./numbering.js";
import { REFERENCE_PATH } from "./reference/server.js";
import { respond } from "./responses.js";

const API_VERSION = "2";

export interface RestOptions {
  readonly admit: Admit;
  /** Names of the headers that may carry the version of the API. */
  readonly versionHeaders: readonly string[];
  /** What `error_code` is. */
  readonly errorCodes: ErrorCodes;
  readonly baseUrl: BaseUrlOptions;
}

interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly trace: Trace;
}

/**
 * The REST transport as a fetch function that never throws: `contract` behind routing, authentication and the
 * version check.
 */
export function createRest(services: Services, options: RestOptions) {
  const baseUrlOf = createBaseUrl(options.baseUrl);
  const envelope = (
    error: DomainError | TransportError | null,
    issues: readonly Issue[],
    { incoming, trace }: Bindings,
  ) => {
    const numbered = options.errorCodes === "numbered" ? incoming : null;
    trace.codes.add(error?.code ?? "INTERNAL");
    return errorResponse(error, issues, trace.operationId, numbered);
  };
  const app = new Hono<{ Bindings: Bindings }>({ strict: true });

  for (const row of contract) {
    const template = templateOf(row.path);
    app.on(row.method, row.path, async (c) => {
      const { incoming, outgoing, trace } = c.env;
      trace.route = template;
      const caller = await options.admit(incoming, outgoing, trace);
      const own = row.method === "GET" ? servicesForQueries(services, caller) : services;
      const context = { ...own, actor: caller.actor, operationId: trace.operationId };
      try {
        checkVersion(c.req.raw, options.versionHeaders);
        if (row.method !== "GET") requireWrite(context);
        const query = queryOf(c.req.url);
        checkQuery(query, row.query ?? []);
        const baseUrl = baseUrlOf(c.req.raw);
        const request = {
          context,
          params: c.req.param(),
          query,
          body: hasBody(row) ? await readBody(incoming) : {},
          link: (path: string) => baseUrl + path,
        };
        return await respond(row, request, incoming);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const issues = await withDanglingReferences(context, error);
        throw new DomainError(error.code, error.message, issues);
      }
    });
  }

  for (const [path, methods] of methodsByPath()) {
    app.all(path, (c) => {
      c.env.trace.route = templateOf(path);
      const allow = methods.join(", ");
      throw new TransportError("METHOD_NOT_ALLOWED", `This path accepts ${allow}.`, {
        Allow: allow,
      });
    });
  }

  app.notFound((c) => {
    const error = new DomainError("NOT_FOUND", "There is nothing at this path.");
    return envelope(error, [], c.env);
  });

  app.onError((error, c) => {
    if (error instanceof ClientGone) return RESPONSE_ALREADY_SENT;
    const known = error instanceof TransportError ? error : fromStorageError(error);
    if (!known || known.cause !== undefined) c.env.trace.defect = error;
    return envelope(known, known?.issues ?? [], c.env);
  });

  return async (request: Request, bindings: Bindings): Promise<Response> => {
    try {
      const response = await app.fetch(request, bindings);
      // For example when the body ended too early.
      return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response;
    } catch (error) {
      // Hono hands on what is thrown and no Error.
      bindings.trace.defect = error;
      return envelope(null, [], bindings);
    }
  };
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}

function hasBody({ method }: Endpoint): boolean {
  return method === "POST" || method === "PATCH" || method === "PUT";
}

function checkVersion(request: Request, names: readonly string[]): void {
  const given = names.map((name) => request.headers.get(name)).filter((value) => value !== null);
  if (given.length > 0 && given.every((value) => value.trim() === API_VERSION)) return;
  const problem = given.length > 0 ? `must be ${API_VERSION}` : "is missing";
  refuse([
    {
      path: [verbatim(names[0] ?? "")],
      message: `${problem}: send the header ${names.join(" or ")} with the value ${API_VERSION}`,
    },
  ]);
}

function methodsByPath(): Map<string, string[]> {
  const paths = new Map<string, string[]>([
    [DOCUMENT_PATH, ["GET"]],
    [REFERENCE_PATH, ["GET"]],
  ]);
  for (const { path, method } of contract) {
    paths.set(path, [...(paths.get(path) ?? []), method]);
  }
  return paths;
}
