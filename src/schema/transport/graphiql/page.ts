import type { Example } from "./examples.js";
import type { FileName } from "./files.js";

/** The HTML of the page. `url` gives the relative URL of a file. */
export function renderPage(examples: readonly Example[], url: (name: FileName) => string): string {
  const settings = {
    workers: {
      graphql: url("graphql-worker.js"),
      json: url("json-worker.js"),
      editorWorkerService: url("editor-worker.js"),
    },
    examples: examples.map(({ query, variables }) => ({ query, variables })),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edgeplane GraphiQL</title>
<link rel="icon" href="${url("icon.svg")}">
<link rel="stylesheet" href="${url("graphiql.css")}">
<link rel="stylesheet" href="${url("page.css")}">
<script src="${url("page.js")}" defer></script>
<script src="${url("graphiql.js")}" defer></script>
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
