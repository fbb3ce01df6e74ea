import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** For a machine that does other things at the same time; each step ends as soon as it can. */
export const PATIENCE_MS = 60_000;
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether the tests in Chromium can run; says so once in the file's output when not. */
export function chromiumIsInstalled(what: string): boolean {
  if (findChromium()) return true;
  console.warn(`NOT RUN: ${what}, because chromium is not installed.`);
  return false;
}

/** Chromium as Debian packages it, with a new profile that is removed when it closes. */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("Chromium is not installed.");
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

function findChromium(): string | undefined {
  return PATHS.find((path) => existsSync(path));
}

export interface WatchedPage {
  readonly page: Page;
  /** Where all requests so far went to, with the path. */
  readonly requests: readonly URL[];
  /** Errors and warnings in the console, exceptions, and what the content security policy refused. */
  readonly problems: readonly string[];
}

/** An empty page that shares no storage with others. Its requests and problems are written down. */
export async function openPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(PATIENCE_MS);
  const requests: URL[] = [];
  const problems: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url())));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  await page.exposeFunction("reportViolation", (text: string) => problems.push(text));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) =>
      reportViolation(event.violatedDirective + " refused " + event.blockedURI))`,
  );
  return { page, requests, problems };
}
