import { readFile } from "node:fs/promises";
import type { ErrorCodes } from "./numbering.js";

/** The path at which the OpenAPI document is served to everybody. */
export const DOCUMENT_PATH = "/openapi.json";

const FILE = new URL("../../../openapi.json", import.meta.url);

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const loading = new Map<ErrorCodes, Promise<string>>();

/** The OpenAPI document of this very contract: a test holds that the committed file is it. */
export async function documentResponse(errorCodes: ErrorCodes): Promise<Response> {
  const text = loading.get(errorCodes) ?? loadDocument(errorCodes);
  loading.set(errorCodes, text);
  return new Response(await text, { headers: { "Content-Type": "application/json" } });
}

async function loadDocument(errorCodes: ErrorCodes): Promise<string> {
  const text = await readFile(FILE, "utf8");
  return errorCodes === "words" ? text : JSON.stringify(withNumbers(JSON.parse(text)));
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
