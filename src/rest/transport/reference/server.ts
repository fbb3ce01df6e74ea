import { readFile } from "node:fs/promises";
import { isRead } from "../../../http/pages.js";
import { createSite, type Fail, ownFile, type Site } from "../../../http/sites.js";
import { type FileName, PAGE_POLICY, renderPage } from "./page.js";

/** The path at which the API reference is served to everybody. */
export const REFERENCE_PATH = "/docs";

/** Where the build puts what we serve of Swagger UI. */
const SWAGGER_UI = new URL("../../../../dist/swagger-ui/", import.meta.url);

/**
 * The API reference for browsers: a page at `GET /docs` that shows the OpenAPI document and sends requests, and its
 * files below `/docs/assets/`. Both are served without a key; each request that the page sends then needs one. `fail`
 * answers a request that met a defect.
 */
export function createReference(fail: Fail): Site {
  return createSite(
    {
      path: REFERENCE_PATH,
      policy: PAGE_POLICY,
      takes: isRead,
      load: loadFiles,
      render: renderPage,
    },
    fail,
  );
}

/** Everything that the page loads besides the document: Swagger UI as its package ships it, and what is ours. */
async function loadFiles(): Promise<Readonly<Record<FileName, string>>> {
  const packaged = (name: string) => readFile(new URL(name, SWAGGER_UI), "utf8");
  return {
    "swagger-ui.js": await packaged("swagger-ui-bundle.js"),
    "swagger-ui.css": await packaged("swagger-ui.css"),
    "page.js": await ownFile("reference/page.js"),
    "page.css": await ownFile("reference/page.css"),
    "icon.svg": await ownFile("icon.svg"),
  };
}
