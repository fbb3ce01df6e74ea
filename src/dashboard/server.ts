import { readdir, readFile } from "node:fs/promises";
import { type Asset, answerAsset, createAsset } from "../http/assets.js";
import { APPLICATION_POLICY, answerPage, isRead } from "../http/pages.js";
import type { Fail, Site } from "../http/sites.js";

/** The path of the dashboard. Every path below it is one of its pages, except for its files. */
const DASHBOARD_PATH = "/dashboard";

const ASSET_PATH = `${DASHBOARD_PATH}/assets/`;
/** Where the build puts what `dashboard` has the sources of. */
const BUILT = new URL("../../dist/dashboard-page/", import.meta.url);

/**
 * The dashboard for browsers: one page, which is served without a key at each path that it makes links to, and its files.
 * Each query that it sends then needs a key. `fail` answers a request that met a defect.
 */
export function createDashboard(fail: Fail): Site {
  let loading: ReturnType<typeof load> | undefined;
  const files = () => {
    loading ??= load().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };

  return (request, response, path) => {
    const isOurs = path === DASHBOARD_PATH || path.startsWith(`${DASHBOARD_PATH}/`);
    if (!isOurs || !isRead(request)) return false;
    const answered = files().then(({ page, assets }) =>
      path.startsWith(ASSET_PATH)
        ? answerAsset(request, response, assets.get(path.slice(ASSET_PATH.length)))
        : answerPage(response, pageAt(page, path), APPLICATION_POLICY),
    );
    answered.catch((error: unknown) => fail(request, response, error));
    return true;
  };
}

async function load(): Promise<{ page: string; assets: ReadonlyMap<string, Asset> }> {
  const folder = new URL("assets/", BUILT);
  const names = await readdir(folder);
  const assets = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      // The build has given it a name that says its content, by which other files know it.
      return [name, { ...createAsset(name, text), file: name }] as const;
    }),
  );
  return { page: await readFile(new URL("index.html", BUILT), "utf8"), assets: new Map(assets) };
}

/** The page, with URLs that lead from `path` to its files: the server may be below the path of a proxy. */
function pageAt(page: string, path: string): string {
  const depth = path.slice(DASHBOARD_PATH.length).split("/").length - 1;
  const folder = depth === 0 ? `${DASHBOARD_PATH.slice(1)}/` : "../".repeat(depth - 1);
  return page.replaceAll('"./assets/', `"${folder}assets/`);
}
