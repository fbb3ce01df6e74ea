import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { namesWeakly, quoted, readCondition } from "./entity-tags.js";
import { PAGE_HEADERS } from "./pages.js";

type Encoding = "br" | "gzip" | "identity";

/** A text that is served as it is. All answers share its bytes, so clients that do not read them take no memory. */
export interface Asset {
  /** A name that says its content too, such as `page.3f2a9c.js`. */
  readonly file: string;
  /** Says its content, as an entity tag. */
  readonly tag: string;
  readonly type: string;
  /** Its bytes, compressed once for each encoding that is asked for. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The asset of a text. `name` is such as `page.js`; its ending says the type. */
export function createAsset(name: string, text: string): Asset {
  const type = TYPES[extname(name)];
  if (type === undefined) throw new Error(`Of what type is ${name}?`);
  const tag = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return {
    file: name.replace(".", `.${tag}.`),
    tag,
    type,
    encoded(encoding) {
      const bytes = encoded.get(encoding) ?? encode(text, encoding);
      encoded.set(encoding, bytes);
      return bytes;
    },
  };
}

/** Answers with an asset whose URL has its name, so that caches keep it for ever; with 404 when there is none. */
export async function answerAsset(
  request: IncomingMessage,
  response: ServerResponse,
  asset: Asset | undefined,
): Promise<void> {
  if (!asset) {
    response.writeHead(404, {
      ...PAGE_HEADERS,
      "Content-Type": "text/plain",
      "Cache-Control": "no-store",
    });
    return void response.end(
      "This file does not exist. Reload the page to get the current files.\n",
    );
  }
  await send(request, response, asset, {
    ...PAGE_HEADERS,
    // For workers and the icon, which have a policy of their own.
    "Content-Security-Policy": "default-src 'none'",
    "Cache-Control": "public, max-age=31536000, immutable",
  });
}

/** Answers with an asset at a URL that stays when its content changes; with 304 to a client that has it already. */
export async function answerDocument(
  request: IncomingMessage,
  response: ServerResponse,
  asset: Asset,
): Promise<void> {
  const headers = { ETag: quoted(asset.tag) };
  const condition = readCondition(request.headers["if-none-match"] ?? "");
  if (condition === null || !namesWeakly(condition, asset.tag)) {
    return send(request, response, asset, headers);
  }
  response.appendHeader("Vary", "Accept-Encoding");
  response.writeHead(304, headers);
  response.end();
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  asset: Asset,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  response.appendHeader("Vary", "Accept-Encoding");
  const encoding = preferredEncoding(request);
  const bytes = await asset.encoded(encoding);
  response.writeHead(200, {
    ...headers,
    "Content-Type": asset.type,
    "Content-Length": bytes.length,
    ...(encoding !== "identity" && { "Content-Encoding": encoding }),
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

async function encode(text: string, encoding: Encoding): Promise<Buffer> {
  if (encoding === "br") return promisify(brotliCompress)(text, BROTLI);
  if (encoding === "gzip") return promisify(gzip)(text);
  return Buffer.from(text);
}

function preferredEncoding({ headers }: IncomingMessage): Encoding {
  const accepted = String(headers["accept-encoding"] ?? "")
    .split(",")
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(";", 1)[0]?.trim().toLowerCase());
  if (accepted.includes("br")) return "br";
  return accepted.includes("gzip") ? "gzip" : "identity";
}
