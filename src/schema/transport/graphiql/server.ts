import type { IncomingMessage, ServerResponse } from "node:http";
import { acceptsPage, answerPage, PAGE_HEADERS } from "../../../http/pages.js";
import { type Asset, type Encoding, loadAssets } from "./assets.js";
import { readExamples } from "./examples.js";
import { PAGE_POLICY, renderPage } from "./page.js";

const PAGE = "/graphql";
const ASSETS = "/graphql/assets/";

/** Takes the requests that are for GraphiQL, and returns whether this was one. */
type Graphiql = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/**
 * GraphiQL for browsers: the page at `GET /graphql` when HTML is accepted and JSON is not named, and its
 * files below `/graphql/assets/`. Both are served without a key; each query then needs one. Nothing is
 * loaded before the first request. `fail` answers a request that met a defect.
 */
export function createGraphiql(
  fail: (request: IncomingMessage, response: ServerResponse, defect: unknown) => void,
): Graphiql {
  let loading: ReturnType<typeof loadSite> | undefined;
  const site = () => {
    loading ??= loadSite();
    return loading;
  };

  return (request, response, path) => {
    const isPage = path === PAGE && request.method === "GET" && acceptsPage(request);
    const isAsset = path.startsWith(ASSETS) && ["GET", "HEAD"].includes(request.method ?? "");
    if (!isPage && !isAsset) return false;
    const answered = site().then(({ page, assets }) =>
      isPage
        ? answerPage(response, page, PAGE_POLICY)
        : answerAsset(request, response, assets.get(path.slice(ASSETS.length))),
    );
    answered.catch((error: unknown) => fail(request, response, error));
    return true;
  };
}

async function loadSite() {
  const assets = await loadAssets();
  const page = renderPage(assets, readExamples(), (file) => `${ASSETS.slice(1)}${file}`);
  return { page, assets: new Map(Object.values(assets).map((asset) => [asset.file, asset])) };
}

async function answerAsset(
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
  response.appendHeader("Vary", "Accept-Encoding");
  const encoding = preferredEncoding(request);
  const bytes = await asset.encoded(encoding);
  response.writeHead(200, {
    ...PAGE_HEADERS,
    "Content-Type": asset.type,
    "Content-Length": bytes.length,
    ...(encoding !== "identity" && { "Content-Encoding": encoding }),
    // For workers and the icon, which have a policy of their own.
    "Content-Security-Policy": "default-src 'none'",
    "Cache-Control": "public, max-age=31536000, immutable",
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

function preferredEncoding({ headers }: IncomingMessage): Encoding {
  const accepted = String(headers["accept-encoding"] ?? "")
    .split(",")
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(";", 1)[0]?.trim().toLowerCase());
  if (accepted.includes("br")) return "br";
  return accepted.includes("gzip") ? "gzip" : "identity";
}
