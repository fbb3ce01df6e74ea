import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readExamples } from "../../src/schema/transport/graphiql/examples.js";
import { chromiumIsInstalled, onPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { fillWithDemo } from "../harness/demo.js";
import { belowPath } from "../harness/path-proxy.js";
import { startServer, type TestServer } from "../harness/server.js";

const EXAMPLES = readExamples();

const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const run = (page: Page) => page.getByRole("button", { name: /^Execute query/ });
const showing = (page: Page, text: string) =>
  page.locator(".graphiql-response .view-lines").filter({ hasText: text });
const keyState = (page: Page, text: string) => page.locator("#key-state").filter({ hasText: text });

/** GraphiQL names a tab by its operation. */
function titleOf(query: string): string | undefined {
  return /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1];
}

/** Changes to an example, and runs it once GraphiQL has read it: for a moment it has the operation before. */
async function runExample(page: Page, name: string): Promise<void> {
  await tab(page, name).click();
  await stored(page, "graphiql:query", (query) => query.includes(` ${name}`));
  await run(page).click();
}

/** Waits until GraphiQL has stored that, which it does a moment after it changed. */
async function stored(page: Page, item: string, test: (value: string) => boolean): Promise<void> {
  const read = `localStorage.getItem(${JSON.stringify(item)}) ?? ""`;
  const isThere = async () => test(String(await page.evaluate(read)));
  await vi.waitUntil(isThere, { timeout: PATIENCE_MS });
}

/** Gives the page a key, and waits until it has begun anew with it. */
async function useKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await Promise.all([
    page.waitForEvent("load"),
    page.getByRole("button", { name: "Use key" }).click(),
  ]);
  await keyState(page, "Key accepted.").waitFor();
  await tab(page, "EdgeInDepth").waitFor();
}

describe.runIf(chromiumIsInstalled("GraphiQL in Chromium"))("GraphiQL in Chromium", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
    await fillWithDemo(server);
  }, 120_000);
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Runs `steps` on the page, and expects nothing but the `allowed` problem and no other host. */
  async function onGraphiql(
    steps: (page: Page) => Promise<void>,
    allowed?: RegExp,
    url = server.url,
  ): Promise<void> {
    const opened = async (page: Page) => {
      const response = await page.goto(`${url}/graphql`);
      expect(response?.status()).toBe(200);
      expect(response?.headers()["content-security-policy"]).toMatch(/script-src 'self';/);
      await tab(page, "EdgeInDepth").waitFor();
      await steps(page);
    };
    await onPage(browser, url, opened, allowed);
  }

  it("opens with the examples and all of its workers, and asks for a key", async () => {
    await onGraphiql(async (page) => {
      const workers = ["graphql", "json", "editor"].map((name) =>
        page.waitForEvent("worker", (worker) => worker.url().includes(`/${name}-worker.`)),
      );
      await page.reload();
      await Promise.all(workers);
      expect(await page.getByRole("tab").count()).toBe(EXAMPLES.length);
      await page.locator(".graphiql-query-editor").getByText("Start here").waitFor();
      await keyState(page, "The server printed one at its first start").waitFor();
      await showing(page, "paste one into the field at the top").waitFor();
    });
  });

  it("runs an example with the key that is pasted", async () => {
    await onGraphiql(async (page) => {
      await useKey(page, server.readKey);
      await run(page).click();
      await showing(page, "shop.fjellmark.example:443").waitFor();
      await runExample(page, "WhoMayConnect");
      await showing(page, "Warehouses").waitFor();
    });
  });

  it("sends the variables of an example", async () => {
    await onGraphiql(async (page) => {
      await useKey(page, server.writeKey);
      await runExample(page, "CreateABackend");
      await showing(page, "We are moving house").waitFor();
    });
  });

  it("shows our descriptions in its docs", async () => {
    await onGraphiql(async (page) => {
      await useKey(page, server.readKey);
      await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
      const docs = page.locator(".graphiql-doc-explorer");
      await docs.getByRole("link", { name: "Query", exact: true }).click();
      await docs.getByText("All reads.").waitFor();
      await docs.getByRole("link", { name: "httpsEdges", exact: true }).click();
      await docs
        .getByText("The maximum number of items from the start: 1 to 100, default 20.")
        .waitFor();
      await docs.getByRole("link", { name: "HttpsEdgeConnection", exact: true }).click();
      await docs.getByRole("link", { name: "HttpsEdge", exact: true }).first().click();
      await docs.getByText("Where it is served").waitFor();
    });
  });

  it("opens a query of the URL beside the examples, and the same tabs after a reload", async () => {
    await onGraphiql(async (page) => {
      const titles = () => page.getByRole("tab").allInnerTexts();
      await useKey(page, server.readKey);
      expect(await titles()).toEqual(EXAMPLES.map(({ query }) => titleOf(query)));
      await stored(page, "graphiql:tabState", (state) => state.includes("EdgeInDepth"));
      await page.goto(
        `${server.url}/graphql?query=${encodeURIComponent("query Shared { __typename }")}`,
      );
      await tab(page, "Shared").waitFor();
      await run(page).click();
      await showing(page, '"__typename": "Query"').waitFor();
      expect(page.url()).toBe(`${server.url}/graphql`);
      await runExample(page, "PageByPage");
      await showing(page, '"hasNextPage": true').waitFor();
      const before = await titles();
      await stored(page, "graphiql:tabState", (state) => {
        const { tabs, activeTabIndex } = JSON.parse(state);
        return tabs[activeTabIndex].title === "PageByPage";
      });
      await page.reload();
      await page.locator(".graphiql-query-editor").getByText("query PageByPage").waitFor();
      expect(await titles()).toEqual(before);
    });
  });

  it("keeps the key until its tab closes: not in the URL, not where other tabs read", async () => {
    await onGraphiql(async (page) => {
      await useKey(page, server.readKey);
      await page.locator(".graphiql-query-editor").click();
      await page.keyboard.type("# note\n");
      await page.reload();
      await keyState(page, "Key accepted.").waitFor();
      expect(await page.getByLabel("API key").inputValue()).toBe(server.readKey);
      expect(page.url()).toBe(`${server.url}/graphql`);
      await stored(page, "graphiql:tabState", (state) => state.includes("EdgeInDepth"));
      expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(server.readKey);

      await Promise.all([
        page.waitForEvent("load"),
        page.getByRole("button", { name: "Forget" }).click(),
      ]);
      await keyState(page, "The server printed one").waitFor();
      expect(await page.evaluate("sessionStorage.length")).toBe(0);
    });
  });

  it("says that a key is wrong, and does not keep it", async () => {
    await onGraphiql(async (page) => {
      await page.getByLabel("API key").fill("wrong-key-0123456789");
      await page.getByLabel("API key").press("Enter");
      await keyState(page, "Key refused: this server has no such key").waitFor();
      expect(await page.evaluate("sessionStorage.length")).toBe(0);
      await page.getByLabel("API key").fill("two words");
      await page.getByLabel("API key").press("Enter");
      await keyState(page, "was it copied whole?").waitFor();
    }, /401 \(Unauthorized\)/);
  });

  it("brings the examples back", async () => {
    await onGraphiql(async (page) => {
      await tab(page, "EdgeInDepth").waitFor();
      await page.getByRole("button", { name: "Close Tab" }).first().click();
      await tab(page, "EdgeInDepth").waitFor({ state: "detached" });
      await Promise.all([
        page.waitForEvent("load"),
        page.getByRole("button", { name: "Restore examples" }).click(),
      ]);
      await tab(page, "EdgeInDepth").waitFor();
    });
  });

  it("runs queries where the schema is kept to itself", async () => {
    await onGraphiql(async (page) => {
      await page.route("**/graphql", async (route) => {
        const hidden = { errors: [{ message: "Introspection is switched off." }] };
        if (!route.request().postData()?.includes("__schema")) return route.continue();
        await route.fulfill({ json: hidden });
      });
      await useKey(page, server.readKey);
      await showing(page, "Introspection is switched off.").waitFor();
      await run(page).click();
      await showing(page, "shop.fjellmark.example:443").waitFor();
    });
  });

  it("works below the path of a proxy", async () => {
    await belowPath(server.url, (url) =>
      onGraphiql(
        async (page) => {
          await useKey(page, server.readKey);
          await run(page).click();
          await showing(page, "shop.fjellmark.example:443").waitFor();
        },
        undefined,
        url,
      ),
    );
  });
});
