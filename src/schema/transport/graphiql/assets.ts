import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Encoding = "br" | "gzip" | "identity";

/** A file that never changes under its URL, which names its content. */
export interface Asset {
  /** The last part of its URL, such as `page.3f2a9c.js`. */
  readonly file: string;
  readonly type: string;
  /** Its bytes, compressed once for each encoding that is asked for. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

const SCRIPT = "text/javascript; charset=utf-8";
const STYLES = "text/css; charset=utf-8";
const OWN_FILES = new URL("../../../../graphiql/", import.meta.url);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Everything that the page loads: GraphiQL as its package ships it, and what is ours around it. */
export async function loadAssets() {
  // 9 MB, which are loaded only when somebody opens GraphiQL.
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const own = (name: string) => readFile(new URL(name, OWN_FILES), "utf8");
  return {
    script: asset("graphiql.js", SCRIPT, graphiql.js),
    styles: asset("graphiql.css", STYLES, graphiql.css),
    graphqlWorker: asset("graphql-worker.js", SCRIPT, graphiql.graphqlWorker),
    jsonWorker: asset("json-worker.js", SCRIPT, graphiql.jsonWorker),
    editorWorker: asset("editor-worker.js", SCRIPT, graphiql.editorWorkerService),
    pageScript: asset("page.js", SCRIPT, await own("page.js")),
    pageStyles: asset("page.css", STYLES, await own("page.css")),
    icon: asset("icon.svg", "image/svg+xml", await own("icon.svg")),
  };
}

export type Assets = Awaited<ReturnType<typeof loadAssets>>;

function asset(name: string, type: string, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return {
    file: name.replace(".", `.${hash}.`),
    type,
    encoded(encoding) {
      const bytes = encoded.get(encoding) ?? encode(text, encoding);
      encoded.set(encoding, bytes);
      return bytes;
    },
  };
}

async function encode(text: string, encoding: Encoding): Promise<Buffer> {
  if (encoding === "br") return promisify(brotliCompress)(text, BROTLI);
  if (encoding === "gzip") return promisify(gzip)(text);
  return Buffer.from(text);
}
