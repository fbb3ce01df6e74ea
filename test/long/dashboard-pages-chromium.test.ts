import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { chromiumIsInstalled, onPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { dashboardUrl, onDashboard } from "../harness/dashboard.js";
import { fillWithDemo } from "../harness/demo.js";
import { belowPath } from "../harness/path-proxy.js";
import { resources, routesOf } from "../harness/resources.js";
import { startServer, type TestServer } from "../harness/server.js";
import { graphql, rest } from "../harness/transports.js";

// Every page of the dashboard over the demo, in both themes: what it loads, what it says, and who can use it.

/** Kinds that are made on the page of another one. */
const MADE_ELSEWHERE = ["ipPolicyRule", "httpsEdgeRoute"];
/** The largest first view, in bytes as they are sent. */
const MOST_BYTES = 300_000;

const kinds = [...resources, routesOf("")].map(({ one, many, path, title }) => ({
  one,
  many,
  title,
  path: one === "httpsEdgeRoute" ? "/edges/https/routes" : path,
}));

describe.runIf(chromiumIsInstalled("the dashboard's pages"))("the dashboard", () => {
  let server: TestServer;
  let browser: Browser;
  /** An id of each kind, by its field. */
  let ids: Record<string, string>;
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
    await fillWithDemo(server);
    const lists = kinds.map(({ one, many }) => `${one}: ${many}(last: 1) { nodes { id } }`);
    const data = await graphql(server, `{ ${lists.slice(0, 12).join(" ")} }`);
    Object.assign(data, await graphql(server, `{ ${lists.slice(12).join(" ")} }`));
    ids = Object.fromEntries(kinds.map(({ one }) => [one, data[one].nodes[0].id]));
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Waits until the page has said what it is, and read what it shows. */
  async function whole(page: Page): Promise<string> {
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByLabel("Reading").first().waitFor({ state: "detached" });
    return (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
  }

  /** Looks at the page in one theme and in the other. */
  async function expectForEveryone(page: Page): Promise<void> {
    await whole(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expectNoViolations(page);
    }
  }

  it.each(["/", "/changes", "/backends", "/resolve", "/changes?types=HTTPS_EDGE", "/no/such/page"])(
    "%s opens, for everyone",
    async (path) =>
      onDashboard(browser, server, path, async (page) => {
        await page.getByRole("heading").first().waitFor();
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await expectNoViolations(page);
        }
      }),
  );

  it.each(kinds)("the pages of $title open, for everyone", async ({ one, path }) => {
    await onDashboard(browser, server, path, async (page) => {
      await expectForEveryone(page);
      expect(await page.getByRole("table").getByRole("link").count()).toBeGreaterThan(0);
      await page.goto(dashboardUrl(server, `${path}/${ids[one]}`));
      await expectForEveryone(page);
      await page
        .getByText(ids[one] ?? "")
        .first()
        .waitFor();
      if (MADE_ELSEWHERE.includes(one)) return;
      await page.goto(dashboardUrl(server, `${path}/new`));
      await expectForEveryone(page);
    });
  });

  it("loads little before it shows something", async () => {
    const urls = new Set<string>();
    await onDashboard(browser, server, "/", async (page) => {
      page.on("response", (response) => urls.add(response.url()));
      await page.reload();
      await whole(page);
    });
    const files = [...urls].filter((url) => url.includes("/assets/"));
    const sizes = await Promise.all(files.map(compressedSizeOf));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`The first view loads ${Math.round(bytes / 1000)} kB in ${sizes.length} files.`);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it("opens what an id names, and says when it names nothing", async () => {
    await onDashboard(browser, server, `/resources/${ids.ipPolicy}`, async (page) => {
      await page.waitForURL(dashboardUrl(server, `/ip_policies/${ids.ipPolicy}`));
      await page.getByLabel("Go to the resource with this id").fill(ids.tcpEdge ?? "");
      await page.keyboard.press("Enter");
      await page.waitForURL(dashboardUrl(server, `/edges/tcp/${ids.tcpEdge}`));
      await page.goto(dashboardUrl(server, "/resources/ipp_none"));
      await page.getByRole("heading", { name: "Nothing has the id ipp_none" }).waitFor();
      await page.goto(dashboardUrl(server, "/ip_policies/ipp_none"));
      await page.getByRole("heading", { name: "There is no IP policy ipp_none" }).waitFor();
    });
  });

  it("works below the path of a proxy, deep links included", async () => {
    await belowPath(server.url, (url) =>
      onPage(browser, url, async (page) => {
        await page.goto(`${url}/dashboard/ip_policies/${ids.ipPolicy}`);
        await page.getByLabel("API key").fill(server.readKey);
        await page.getByRole("button", { name: "Open the dashboard" }).click();
        await whole(page);
        await page.getByRole("link", { name: "Overview" }).click();
        await page.waitForURL(/\/dashboard\/?$/);
        expect(await whole(page)).toBe("Overview");
      }),
    );
  });

  it("can be used with the keyboard alone", async () => {
    await onDashboard(browser, server, "/", async (page) => {
      await whole(page);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the page");
      await page.keyboard.press("Enter");
      const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
      expect(await focused()).toBe("Page");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("HTTPS edges");
      await page.keyboard.press("Enter");
      await page.waitForURL(dashboardUrl(server, "/edges/https"));
      await expect.poll(focused).toBe("Page");
    });
  });

  it("fits into a narrow window", async () => {
    await onDashboard(browser, server, "/", async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await whole(page);
      await expectNoViolations(page);
      await page.getByRole("button", { name: "Open the navigation" }).click();
      await page.getByRole("link", { name: "IP policies", exact: true }).first().click();
      await page.waitForURL(dashboardUrl(server, "/ip_policies"));
      await page.getByRole("button", { name: "Open the navigation" }).waitFor();
      for (const path of [
        "/",
        "/changes",
        "/edges/https",
        `/edges/https/${ids.httpsEdge}`,
        "/edges/https/new",
      ]) {
        await page.goto(dashboardUrl(server, path));
        await whole(page);
        const wide = await page.evaluate("document.documentElement.scrollWidth");
        expect([path, wide]).toEqual([path, 390]);
      }
    });
  });

  it("has room for texts of every shape, and a name for what has a blank one", async () => {
    const make = async (path: string, body: unknown) =>
      (await rest(server, "POST", path, body)).body.id;
    const long = await make("/backends/static", {
      address: "long.example.com:80",
      description: "x".repeat(255),
    });
    const markup = await make("/backends/weighted", {
      backends: { [long]: 0 },
      description: "<img src=x onerror=alert(1)> שלום 😀",
    });
    const blank = await make("/backends/failover", { backends: [markup], description: " " });
    await onDashboard(browser, server, "/", async (page) => {
      for (const path of [
        "/",
        "/changes",
        "/backends",
        `/backends/static/${long}`,
        `/backends/weighted/${markup}`,
        `/backends/failover/${blank}`,
      ]) {
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 844 });
          await page.goto(dashboardUrl(server, path));
          await whole(page);
          await expectNoViolations(page);
          const wide = await page.evaluate("document.documentElement.scrollWidth");
          expect([path, wide]).toEqual([path, width]);
        }
      }
      expect(await whole(page)).toBe(blank);
    });
    for (const path of [`failover/${blank}`, `weighted/${markup}`, `static/${long}`]) {
      await rest(server, "DELETE", `/backends/${path}`);
    }
  });

  it("shows a key that may only read everything but secrets, and nothing that it may not do", async () => {
    const { body: route } = await rest(server, "POST", `/edges/https/${ids.httpsEdge}/routes`, {
      match_type: "exact_path",
      match: "/for-readers",
      webhook_verification: { provider: "github", secret: "only-for-writers" },
    });
    await onDashboard(
      browser,
      server,
      `/edges/https/routes/${route.id}`,
      async (page) => {
        await whole(page);
        await page.getByText("(read only)").waitFor();
        await page.getByText("github").first().waitFor();
        expect(await page.content()).not.toContain("only-for-writers");
        for (const { path } of kinds) {
          await page.goto(dashboardUrl(server, path));
          await whole(page);
          expect(await page.getByRole("link", { name: /^New / }).count()).toBe(0);
        }
        await page.goto(dashboardUrl(server, `/ip_policies/${ids.ipPolicy}`));
        await whole(page);
        for (const name of [/^Delete/, /^Save/, /^Add/]) {
          expect(await page.getByRole("button", { name }).count()).toBe(0);
        }
        await page.goto(dashboardUrl(server, "/ip_policies/new"));
        await page.getByText("may only read").waitFor();
      },
      { key: server.readKey },
    );
  });
});

async function compressedSizeOf(url: string): Promise<number> {
  const response = await fetch(url);
  return gzipSync(Buffer.from(await response.arrayBuffer())).length;
}
