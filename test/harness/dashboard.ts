import type { Browser, Locator, Page } from "playwright-core";
import { onPage } from "./chromium.js";
import type { TestServer } from "./server.js";

/** Where the dashboard keeps the key of its tab. */
export const KEY_ITEM = "edgeplane.api-key";

interface DashboardOptions {
  /** Default the key that may write. */
  readonly key?: string;
  /** The way to the server. Default its own URL. */
  readonly url?: string;
  /** Problems of the page that are no fault, such as the browser's words on a server that is gone. Default none. */
  readonly allowed?: RegExp;
}

/** Runs `steps` on a page of the dashboard, with a key; see `onPage`. `path` begins below `/dashboard`. */
export async function onDashboard(
  browser: Browser,
  server: TestServer,
  path: string,
  steps: (page: Page) => Promise<void>,
  { key = server.writeKey, url = server.url, allowed }: DashboardOptions = {},
): Promise<void> {
  const begin = async (page: Page) => {
    await page.addInitScript(`sessionStorage.setItem("${KEY_ITEM}", ${JSON.stringify(key)})`);
    await page.goto(dashboardUrl({ url }, path));
    await steps(page);
  };
  await onPage(browser, url, begin, allowed);
}

export function dashboardUrl(server: Pick<TestServer, "url">, path: string): string {
  return `${server.url}/dashboard${path}`;
}

/** Chooses one of the options of a field, found by typing. */
export async function choose(within: Page | Locator, label: string, option: string): Promise<void> {
  const field = labelled(within, label);
  await field.fill(option);
  await pageOf(within).getByRole("option", { name: option, exact: true }).click();
}

/** Chooses one of the few options of a field that cannot be typed into. */
export async function pick(within: Page | Locator, label: string, option: string): Promise<void> {
  await labelled(within, label).click();
  await pageOf(within).getByRole("option", { name: option, exact: true }).click();
}

/** Adds a text to a field that holds several. */
export async function addTag(within: Page | Locator, label: string, text: string): Promise<void> {
  const field = labelled(within, label);
  await field.fill(text);
  await field.press("Enter");
}

/** The field with that label, whether it is required or not. */
export function labelled(within: Page | Locator, label: string): Locator {
  return within.getByLabel(new RegExp(`^${label}( \\*)?$`)).first();
}

function pageOf(within: Page | Locator): Page {
  return "page" in within ? within.page() : within;
}
