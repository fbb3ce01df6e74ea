import type { IncomingMessage, ServerResponse } from "node:http";
import createMiddleware from "cors";
import { IDEMPOTENCY_KEY, REPLAYED } from "./idempotency-key.js";

export interface CorsOptions {
  /** The origins whose pages may read answers, such as `https://dash.example`, or `*` alone for all. */
  readonly origins: readonly string[];
  /** Names of the headers that may carry the version of the REST API. */
  readonly versionHeaders: readonly string[];
}

export interface Cors {
  /** Sets the headers of an answer by which a browser decides whether the page may read it. */
  allow(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a browser asks here if it may send another request. Its answer needs no body and no key. */
  isPreflight(request: IncomingMessage): boolean;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "Last-Event-ID",
  "If-Match",
  "If-None-Match",
  IDEMPOTENCY_KEY,
];
const EXPOSED_HEADERS = [
  "Operation-Id",
  "ETag",
  "Retry-After",
  REPLAYED,
  "RateLimit",
  "RateLimit-Policy",
];
/** Seconds for which a browser keeps the answer to a preflight: the most that Chromium keeps. */
const PREFLIGHT_MAX_AGE = 7200;

/**
 * Lets pages of other origins use both transports. Keys travel in `Authorization`, so there are no credentials in the
 * sense of CORS. Null when there are no origins: then no answer has such a header.
 */
export function createCors({ origins, versionHeaders }: CorsOptions): Cors | null {
  if (origins.length === 0) return null;
  const middleware = createMiddleware({
    origin: origins.includes("*") ? "*" : [...origins],
    methods: METHODS,
    allowedHeaders: [...REQUEST_HEADERS, ...versionHeaders],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
    // It takes every OPTIONS for a preflight.
    preflightContinue: true,
  });
  return {
    allow: (request, response) => middleware(request, response, () => {}),
    isPreflight: ({ method, headers }) =>
      method === "OPTIONS" &&
      headers.origin !== undefined &&
      headers["access-control-request-method"] !== undefined,
  };
}
