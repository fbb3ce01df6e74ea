// npm run openapi: writes the OpenAPI document as it stands in the code, with the answers of a server as its examples.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openApi } from "../dist/openapi/document.js";
import { recordExamples } from "../dist/openapi/examples.js";
import { contract } from "../dist/rest/index.js";
import { schema } from "../dist/schema/index.js";
import { startServer } from "./demo/server.mjs";

const KEY = "bootstrap-key-for-the-examples";
const folder = mkdtempSync(path.join(tmpdir(), "edgeplane-openapi-"));
Object.assign(process.env, { DATA_DIR: path.join(folder, "data"), PORT: "0" });
const { url, stop } = await startServer(KEY, "");
const { token } = await callerWith(KEY)("POST", "/api_keys", {});
const examples = await recordExamples(contract, callerWith(token), url).finally(stop);
rmSync(folder, { recursive: true });

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const document = openApi(contract, schema, version, examples);
writeFileSync("openapi.json", `${JSON.stringify(document, null, 1)}\n`);

function callerWith(key) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "Service-Version": "2",
        ...(body && { "Content-Type": "application/json" }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} is refused: ${text}`);
    return response.headers.get("content-type") === "application/json" ? JSON.parse(text) : null;
  };
}
