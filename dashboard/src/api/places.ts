// The server may be below the path of a proxy, so everything is found from where this script is.

const SCRIPT_URL = import.meta.url;

/** The path of the dashboard, such as `/dashboard`. While developing, the page is at the root. */
export const DASHBOARD_PATH = import.meta.env.DEV
  ? "/"
  : new URL("..", SCRIPT_URL).pathname.replace(/\/$/, "");

/** The URL of what the server has beside the dashboard, such as `docs`. */
export function placeOf(name: string): string {
  return new URL(import.meta.env.DEV ? `/${name}` : `../../${name}`, SCRIPT_URL).href;
}

export const GRAPHQL_URL = placeOf("graphql");
