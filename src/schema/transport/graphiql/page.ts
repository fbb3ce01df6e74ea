import type { Assets } from "./assets.js";
import type { Example } from "./examples.js";

/**
 * The content security policy of the page. Inline styles are allowed, since the editor writes its own; inline scripts
 * are not, and no script is made from text. The page loads nothing from other origins, and no other page may frame it.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The HTML of the page. `assetUrl` is relative to it, so that it works below the path of a proxy too. */
export function renderPage(
  assets: Assets,
  examples: readonly Example[],
  assetUrl: (file: string) => string,
): string {
  const url = (name: keyof Assets) => assetUrl(assets[name].file);
  const settings = {
    workers: {
      graphql: url("graphqlWorker"),
      json: url("jsonWorker"),
      editorWorkerService: url("editorWorker"),
    },
    examples: examples.map(({ query, variables }) => ({ query, variables })),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edgeplane GraphiQL</title>
<link rel="icon" href="${url("icon")}">
<link rel="stylesheet" href="${url("styles")}">
<link rel="stylesheet" href="${url("pageStyles")}">
<script src="${url("pageScript")}" defer></script>
<script src="${url("script")}" defer></script>
</head>
<body>
<form id="key-form" autocomplete="off">
<label for="key">API key</label>
<input id="key" type="password" placeholder="Paste an API key here" spellcheck="false" autocomplete="off">
<button type="submit">Use key</button>
<button type="button" id="forget">Forget</button>
<output id="key-state" for="key"></output>
<button type="button" id="restore" title="Closes your tabs and opens the examples again">Restore examples</button>
</form>
<noscript>GraphiQL needs JavaScript. The schema is in schema.graphql; send queries with POST to this URL.</noscript>
<main id="graphiql"></main>
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll("<", "\\u003c")}</script>
</body>
</html>
`;
}
