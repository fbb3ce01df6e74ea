import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { acceptsPage, answerPage, isRead, pagePolicy } from "../../http/pages.js";
import type { Site } from "../../http/sites.js";

const STYLES = `
body { max-width: 42rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
code { font-size: 0.95em; }
@media (prefers-color-scheme: dark) { body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; } }
`;

/** Nothing is loaded, not even from here, and nothing runs; no other page may frame it. */
const PAGE_POLICY = pagePolicy({
  "style-src": `'sha256-${createHash("sha256").update(STYLES).digest("base64")}'`,
  "img-src": "data:",
});

interface RootPageOptions {
  /** Whether there is something at `dashboard` to lead to. */
  readonly dashboard: boolean;
  /** Whether there is something at `graphql` to lead to. */
  readonly graphiql: boolean;
}

/**
 * For people who open the root of the server in a browser, without a key, when HTML is accepted and JSON is not named:
 * leads to the dashboard, or is a page with links where there is none. Its links are relative, so that they work below
 * the path of a proxy too.
 */
export function createRootPage({ dashboard, graphiql }: RootPageOptions): Site {
  const page = renderPage(graphiql);
  return (request, response, path) => {
    if (path !== "/" || !isForPeople(request)) return false;
    if (dashboard) lead(response, "dashboard");
    else answerPage(response, page, PAGE_POLICY);
    return true;
  };
}

/** No cache keeps it, which could hand it to a client that asks for JSON. */
function lead(response: ServerResponse, location: string): void {
  response.appendHeader("Vary", "Accept");
  response.writeHead(302, { Location: location, "Cache-Control": "no-store" }).end();
}

function isForPeople(request: IncomingMessage): boolean {
  return isRead(request) && request.headers.authorization === undefined && acceptsPage(request);
}

function renderPage(graphiql: boolean): string {
  const editor = graphiql
    ? '<li><a href="graphql">GraphiQL</a>: an editor for GraphQL with examples, and the documentation of every field.</li>'
    : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edgeplane</title>
<link rel="icon" href="data:,">
<style>${STYLES}</style>
</head>
<body>
<h1>Edgeplane</h1>
<p>The management plane of a network ingress platform, over REST and GraphQL.</p>
<ul>
${editor}
<li><a href="docs">API reference</a>: every operation of REST, described, to be tried out from the page.</li>
<li>REST: send <code>Authorization: Bearer &lt;API key&gt;</code> and <code>Service-Version: 2</code>. <code>GET /</code> with these names every list, and <a href="openapi.json">openapi.json</a> describes every path.</li>
<li>GraphQL: send <code>POST /graphql</code> with the same key.</li>
<li>Documents, beside the source: <code>README.md</code> has the first calls, <code>docs/graphql.md</code> ten recipes, <code>docs/errors.md</code> all errors, <code>docs/clients.md</code> existing clients, <code>schema.graphql</code> the schema.</li>
</ul>
</body>
</html>
`;
}
