import { APPLICATION_POLICY, acceptsPage } from "../../../http/pages.js";
import { createSite, type Fail, type Site } from "../../../http/sites.js";
import { readExamples } from "./examples.js";
import { loadFiles } from "./files.js";
import { renderPage } from "./page.js";

/**
 * GraphiQL for browsers: the page at `GET /graphql` when HTML is accepted and JSON is not named, and its
 * files below `/graphql/assets/`. Both are served without a key; each query then needs one. `fail` answers a request
 * that met a defect.
 */
export function createGraphiql(fail: Fail): Site {
  return createSite(
    {
      path: "/graphql",
      policy: APPLICATION_POLICY,
      takes: (request) => request.method === "GET" && acceptsPage(request),
      load: loadFiles,
      render: (url) => renderPage(readExamples(), url),
    },
    fail,
  );
}
