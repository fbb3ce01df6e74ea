import { readFile } from "node:fs/promises";
import { type Asset, answerDocument, createAsset } from "../../http/assets.js";
import { isRead } from "../../http/pages.js";
import type { Fail, Site } from "../../http/sites.js";
import type { ErrorCodes } from "./numbering.js";

/** The path at which the OpenAPI document is served to everybody. */
export const DOCUMENT_PATH = "/openapi.json";

const FILE = new URL("../../../openapi.json", import.meta.url);

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/**
 * Serves the OpenAPI document of this very contract, without a key: a test holds that the committed file is it. `fail`
 * answers a request that met a defect.
 */
export function createDocument(errorCodes: ErrorCodes, fail: Fail): Site {
  let loading: Promise<Asset> | undefined;
  const document = () => {
    loading ??= loadDocument(errorCodes).catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return (request, response, path) => {
    if (path !== DOCUMENT_PATH || !isRead(request)) return false;
    document()
      .then((asset) => answerDocument(request, response, asset))
      .catch((error: unknown) => fail(request, response, error));
    return true;
  };
}

async function loadDocument(errorCodes: ErrorCodes): Promise<Asset> {
  const text = await readFile(FILE, "utf8");
  return createAsset(
    "openapi.json",
    errorCodes === "words" ? text : JSON.stringify(withNumbers(JSON.parse(text))),
  );
}

/** The document of a server that answers numbers where there are some. */
export function withNumbers(document: OpenApiDocument): OpenApiDocument {
  const { components } = document;
  const ErrorCode = {
    type: "string",
    description: "The number of the problem where there is one, else the kind of the refusal.",
    pattern: "^ERR_[A-Z0-9_]+$",
  };
  return {
    ...document,
    components: { ...components, schemas: { ...components.schemas, ErrorCode } },
  };
}
