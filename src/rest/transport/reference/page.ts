import { pagePolicy } from "../../../http/pages.js";

export type FileName = "swagger-ui.js" | "swagger-ui.css" | "page.js" | "page.css" | "icon.svg";

/**
 * The content security policy of the page. Neither inline scripts nor inline styles are allowed, and no script is made
 * from text. Images may be `data:`, as those in the styles of Swagger UI are.
 */
export const PAGE_POLICY = pagePolicy({
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
});

/** The HTML of the page. `url` gives the relative URL of a file. */
export function renderPage(url: (name: FileName) => string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edgeplane API reference</title>
<link rel="icon" href="${url("icon.svg")}">
<link rel="stylesheet" href="${url("swagger-ui.css")}">
<link rel="stylesheet" href="${url("page.css")}">
<script src="${url("swagger-ui.js")}" defer></script>
<script src="${url("page.js")}" defer></script>
</head>
<body>
<noscript>The API reference needs JavaScript. <a href="openapi.json">openapi.json</a> has the same.</noscript>
<main id="reference"></main>
</body>
</html>
`;
}
