import { readFile } from "node:fs/promises";

/** The path at which the OpenAPI document is served to everybody. */
export const DOCUMENT_PATH = "/openapi.json";

const FILE = new URL("../../../openapi.json", import.meta.url);

let loading: Promise<string> | undefined;

/** The OpenAPI document of this very contract: a test holds that the committed file is it. */
export async function documentResponse(): Promise<Response> {
  loading ??= readFile(FILE, "utf8");
  return new Response(await loading, { headers: { "Content-Type": "application/json" } });
}
