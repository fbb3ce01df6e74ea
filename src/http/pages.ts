import type { IncomingMessage, ServerResponse } from "node:http";

// Pages for browsers, some at URLs that others ask for JSON.

const JSON_TYPE = /\bapplication\/(graphql-response\+)?json\b/i;
const HTML_TYPE = /\btext\/html\b/i;

/** Headers of every page, and of the files that it loads. */
export const PAGE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Whether the caller takes HTML and does not name JSON, as browsers do. */
export function acceptsPage({ headers: { accept = "" } }: IncomingMessage): boolean {
  return HTML_TYPE.test(accept) && !JSON_TYPE.test(accept);
}

/** Whether the method is GET or HEAD. */
export function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * The content security policy of a page, which loads the given `sources` and nothing else, sends no form, and is framed
 * by no other page.
 */
export function pagePolicy(sources: Readonly<Record<string, string>>): string {
  const directives = {
    "default-src": "'none'",
    ...sources,
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

/**
 * The policy of a page that is an application. Inline styles are allowed, since its widgets write their own; inline
 * scripts are not, and no script is made from text. It loads nothing from other origins.
 */
export const APPLICATION_POLICY = pagePolicy({
  "script-src": "'self'",
  "worker-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:",
  "font-src": "data:",
  "connect-src": "'self'",
});

/**
 * Answers with a page and its content security policy. No cache keeps it, which could hand it to a client that asks the
 * same URL for JSON, or after an update, when the files that it names are gone.
 */
export function answerPage(response: ServerResponse, page: string, policy: string): void {
  response.appendHeader("Vary", "Accept");
  response.writeHead(200, {
    ...PAGE_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": policy,
    "Cache-Control": "no-store",
  });
  response.end(page);
}
