import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

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

/**
 * Runs `steps` on an empty page that shares no storage with others. Expects that it asks the host of `url` alone, and no
 * problem but the `allowed` ones.
 */
export async function onPage(
  browser: Browser,
  url: string,
  steps: (page: Page) => Promise<void>,
  allowed?: RegExp,
): Promise<void> {
  const { page, requests, problems } = await openPage(browser);
  try {
    await steps(page);
    const hosts = requests
      .filter(({ protocol }) => protocol !== "data:")
      .map(({ origin }) => origin);
    expect([...new Set(hosts)]).toEqual([new URL(url).origin]);
    expect(problems.filter((problem) => !allowed?.test(problem))).toEqual([]);
  } finally {
    await page.context().close();
  }
}

/** What the page's scripts still hold, garbage not counted, as text in which a string can be looked for. */
export async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  return chunks.join("");
}

interface WatchedPage {
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
