import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumIsInstalled, onPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { belowPath } from "../harness/path-proxy.js";
import { startServer, type TestServer } from "../harness/server.js";
import { rest } from "../harness/transports.js";

const tags = (page: Page) => page.locator(".opblock-tag");
const operation = (page: Page, name: string) => page.locator(`[id="operations-${name}"]`);
const answerOf = (page: Page, name: string) =>
  operation(page, name).locator(".live-responses-table .response");

/** Gives the page a key. */
async function authorize(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: "Authorize" }).click();
  const dialog = page.locator(".dialog-ux");
  await dialog.getByRole("textbox").fill(key);
  await dialog.getByRole("button", { name: "Apply credentials" }).click();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
}

/** Opens an operation, such as `IpPolicy-createIpPolicy`, unless it is, and sends what the page suggests. */
async function tryOut(page: Page, name: string): Promise<void> {
  const [tag = ""] = name.split("-");
  const shown = operation(page, name);
  if (!(await shown.isVisible())) await page.locator(`.opblock-tag[data-tag="${tag}"]`).click();
  await shown.locator(".opblock-summary-control").click();
  await shown.getByRole("button", { name: "Try it out" }).click();
  await shown.getByRole("button", { name: "Execute" }).click();
}

describe.runIf(chromiumIsInstalled("the API reference in Chromium"))("the API reference", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
  });
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Runs `steps` on the page, and expects nothing but the `allowed` problem and no other host. */
  async function onReference(
    steps: (page: Page) => Promise<void>,
    { url = server.url, fragment = "", allowed = /^$/ } = {},
  ): Promise<void> {
    const opened = async (page: Page) => {
      const response = await page.goto(`${url}/docs${fragment}`);
      expect(response?.status()).toBe(200);
      await tags(page).first().waitFor();
      await steps(page);
    };
    await onPage(browser, url, opened, allowed);
  }

  it("sends operations below the path of a proxy, with a key that it keeps from everything else", async () => {
    await belowPath(server.url, (url) =>
      onReference(
        async (page) => {
          await authorize(page, server.writeKey);
          await tryOut(page, "IpPolicy-createIpPolicy");
          const created = answerOf(page, "IpPolicy-createIpPolicy").filter({ hasText: "201" });
          await created.getByText(/"ipp_/).waitFor();
          const { ip_policies: policies } = (await rest(server, "GET", "/ip_policies")).body;
          expect(policies).toHaveLength(1);

          await tryOut(page, "IpPolicy-listIpPolicies");
          const listed = answerOf(page, "IpPolicy-listIpPolicies").filter({ hasText: "200" });
          await listed.getByText(policies[0].id).first().waitFor();
          const asked = operation(page, "IpPolicy-listIpPolicies").locator(".request-url");
          expect(await asked.locator("pre").innerText()).toBe(`${url}/ip_policies`);

          expect(page.url()).toBe(`${url}/docs#/IpPolicy/listIpPolicies`);
          const stored = "JSON.stringify([localStorage, sessionStorage, document.cookie])";
          expect(await page.evaluate(stored)).toBe('[{},{},""]');
        },
        { url },
      ),
    );
  });

  it("opens at an operation, shows refusals, finds operations, and is dark where the browser is", async () => {
    await onReference(
      async (page) => {
        const opened = operation(page, "TlsEdge-createTlsEdge");
        await opened.getByRole("button", { name: "Try it out" }).click();
        await opened.getByRole("button", { name: "Execute" }).click();
        const refused = answerOf(page, "TlsEdge-createTlsEdge").filter({ hasText: "401" });
        await refused.getByText("ERR_UNAUTHENTICATED").waitFor();

        const all = await tags(page).count();
        expect(all).toBeGreaterThan(15);
        await page.getByPlaceholder(/Filter/).fill("Backend");
        await opened.waitFor({ state: "detached" });
        expect(await tags(page).count()).toBeLessThan(all);

        const background = () =>
          page.evaluate("getComputedStyle(document.documentElement).background");
        const light = await background();
        await page.emulateMedia({ colorScheme: "dark" });
        await vi.waitUntil(async () => (await background()) !== light, { timeout: PATIENCE_MS });
      },
      { fragment: "#/TlsEdge/createTlsEdge", allowed: /401 \(Unauthorized\)/ },
    );
  });
});
