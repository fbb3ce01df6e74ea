import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asset, answerAsset, createAsset } from "./assets.js";
import { answerPage, isRead } from "./pages.js";

/** A page that loads files, which only we serve. */
interface SiteOptions<Name extends string> {
  /** The path of the page, such as `/docs`; its files are below `/docs/assets/`. */
  readonly path: string;
  /** The content security policy of the page. */
  readonly policy: string;
  /** Whether a request of the path gets the page; others at that path are not for the site. */
  readonly takes: (request: IncomingMessage) => boolean;
  /** The files by their names, such as `page.js`. Called before the first answer, and not again. */
  readonly load: () => Promise<Readonly<Record<Name, string>>>;
  /** The HTML of the page. `url` gives the URL of a file, which is relative, for proxies that serve us below a path. */
  readonly render: (url: (name: Name) => string) => string;
}

/** Takes the requests that are for the site, and returns whether this was one. */
export type Site = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** Answers a request that met a defect. */
export type Fail = (request: IncomingMessage, response: ServerResponse, defect: unknown) => void;

/** A site whose page and files are served without a key. Nothing is loaded before the first request. */
export function createSite<Name extends string>(options: SiteOptions<Name>, fail: Fail): Site {
  const assetPath = `${options.path}/assets/`;
  let loading: ReturnType<typeof loadSite<Name>> | undefined;
  const site = () => {
    loading ??= loadSite(options, assetPath.slice(1)).catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };

  return (request, response, path) => {
    const isPage = path === options.path && options.takes(request);
    const isAsset = path.startsWith(assetPath) && isRead(request);
    if (!isPage && !isAsset) return false;
    const answered = site().then(({ page, assets }) =>
      isPage
        ? answerPage(response, page, options.policy)
        : answerAsset(request, response, assets.get(path.slice(assetPath.length))),
    );
    answered.catch((error: unknown) => fail(request, response, error));
    return true;
  };
}

async function loadSite<Name extends string>(
  { load, render }: SiteOptions<Name>,
  assetUrl: string,
): Promise<{ page: string; assets: ReadonlyMap<string, Asset> }> {
  const texts: Readonly<Record<string, string>> = await load();
  const assets = new Map(
    Object.entries(texts).map(([name, text]) => [name, createAsset(name, text)]),
  );
  const page = render((name) => `${assetUrl}${assets.get(name)?.file}`);
  return { page, assets: new Map([...assets.values()].map((asset) => [asset.file, asset])) };
}

const OWN_FILES = new URL("../../pages/", import.meta.url);

/** The text of a file of `pages`. */
export function ownFile(path: string): Promise<string> {
  return readFile(new URL(path, OWN_FILES), "utf8");
}
