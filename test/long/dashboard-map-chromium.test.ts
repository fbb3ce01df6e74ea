import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { onDashboard } from "../harness/dashboard.js";
import { card, exportAs, idsInSvg, onMap, textsOf, untilWhole } from "../harness/dashboard-map.js";
import { fillWithDemo } from "../harness/demo.js";
import { startServer, type TestServer } from "../harness/server.js";
import { rest } from "../harness/transports.js";

// The map of the dashboard over the demo, in a real browser.

describe.runIf(chromiumIsInstalled("the map of the dashboard"))("the map of the demo", () => {
  vi.setConfig({ testTimeout: PATIENCE_MS });
  let server: TestServer;
  let browser: Browser;
  let spareId: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
    await fillWithDemo(server);
    spareId = await request("POST", "/backends/static", {
      address: "spare.internal:80",
      description: "Spare server",
    });
    const edgeId = await request("POST", "/edges/https", {
      description: "Second shop",
      hostports: ["SHOP.fjellmark.example:443"],
    });
    await request("POST", `/edges/https/${edgeId}/routes`, {
      match_type: "path_prefix",
      match: "/hollow",
      backend: { backend_id: spareId },
      compression: { enabled: false },
    });
    await request("POST", "/backends/static", {
      address: "unused.internal:80",
      description: "Left over",
    });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Sends a request that is to be done: the id of the answer. */
  async function request(method: string, path: string, body?: unknown): Promise<string> {
    const answer = await rest(server, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body.id;
  }

  it("has everything, with routes from top to bottom in match order", () =>
    onMap(browser, server, "?hostport=tools.fjellmark.example%3A443", async (page) => {
      await page.getByText("1 edge, 4 routes, 4 backends").waitFor();
      const routes = await textsOf(page, '[data-kind="route"]');
      expect(routes).toEqual([
        expect.stringMatching(/^1\. Path prefix\/metrics/),
        expect.stringMatching(/^2\. Path prefix\/deploy/),
        expect.stringMatching(/^3\. Path prefix\/people/),
        expect.stringMatching(/^4\. Path prefix\/wiki/),
      ]);
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await page.getByText("9 edges, 11 routes, 25 backends").waitFor();
      await untilWhole(page);
    }));

  it("has the failover order and the weights down to the servers, and what serves nothing is dashed", () =>
    onMap(browser, server, "?hostport=shop.fjellmark.example%3A443", async (page) => {
      await card(page, "Storefront, then its standby").click();
      await page
        .getByRole("complementary")
        .getByText("Failover backend", { exact: true })
        .waitFor();
      const labels = page.locator(".react-flow__edges text");
      await expect
        .poll(() => labels.allTextContents().then((texts) => texts.sort()))
        .toEqual(["1.", "2.", "3.", "5%", "95%"]);
      const servers = await textsOf(page, '[data-kind="backend"]');
      const place = (name: string) => servers.findIndex((text) => text.includes(name));
      expect(place("One request in twenty")).toBeLessThan(place("standby in Stockholm"));
      expect(place("standby in Stockholm")).toBeLessThan(place("Maintenance page"));
    }));

  it("greys unused backends, has disabled modules hollow, and marks a hostport of two edges", () =>
    onMap(browser, server, "?search=shop", async (page) => {
      const chip = page.locator('[data-enabled="false"]', { hasText: "Compression" });
      await chip.waitFor();
      expect(await chip.evaluate((node) => getComputedStyle(node).backgroundColor)).toBe(
        "rgba(0, 0, 0, 0)",
      );
      await card(page, "On 2 edges")
        .filter({ hasText: /shop\.fjellmark\.example:443/i })
        .waitFor();
      await page.getByLabel("Search").fill("left over");
      await card(page, "Static backend, unused").filter({ hasText: "Left over" }).waitFor();
      await page.getByText("0 edges, 0 routes, 1 backend").waitFor();
      expect(page.url()).toContain("search=left+over");
      await page.getByLabel("Search").fill("spare");
      await card(page, "Spare server").waitFor();
      expect(await textsOf(page, "[data-unused]")).toEqual([]);
    }));

  it("narrows by module as the API does, and leaves out edges that cannot have it", () =>
    onMap(browser, server, "?module.kind=OAUTH&module.enabled=true", async (page) => {
      const edges = await textsOf(page, '[data-kind="edge"]');
      expect(edges.map((text) => /^[A-Z]+ edge/.exec(text)?.[0])).toEqual(["HTTPS edge"]);
      expect(edges[0]).toContain("Internal tools");
    }));

  it("is about one node, by the keyboard alone: its users, its page, and the way back", () =>
    onMap(browser, server, "", async (page) => {
      const before = await page.locator(".react-flow__node").count();
      await card(page, "Status page").filter({ hasText: "HTTP response" }).focus();
      await page.keyboard.press("Enter");
      const panel = page.getByRole("complementary", { name: "Status page" });
      await panel.waitFor();
      await expect.poll(() => page.locator(".react-flow__node").count()).toBe(4);
      expect(new URL(page.url()).searchParams.get("focus")).toMatch(/^bkdhr_/);
      await panel
        .getByRole("region", { name: "Used by" })
        .getByRole("button", { name: "/" })
        .waitFor();
      await expectNoViolations(page);

      await page.reload();
      await panel.waitFor();
      await expect.poll(() => page.locator(".react-flow__node").count()).toBe(4);
      const link = await panel.getByRole("link", { name: "Open its page" }).getAttribute("href");
      expect(link).toMatch(/\/dashboard\/backends\/http_response\/bkdhr_/);

      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
      await expect
        .poll(() => page.locator(".react-flow__node").count())
        .toBeGreaterThanOrEqual(before);
      expect(new URL(page.url()).search).toBe("");
    }));

  it("says that nothing matches, and leads back to the whole", () =>
    onDashboard(browser, server, "/map?search=nothing-has-this", async (page) => {
      await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
      await page.getByRole("button", { name: "Show the whole map" }).click();
      await card(page, "Internal tools").waitFor();
    }));

  it("shows the node that it is about in the middle of its many users", async () => {
    const id = await request("POST", "/backends/static", { address: "busy.internal:80" });
    const edgeId = await request("POST", "/edges/https", { hostports: ["busy.example:443"] });
    const routes = Array.from({ length: 60 }, (_, index) =>
      request("POST", `/edges/https/${edgeId}/routes`, {
        match_type: "exact_path",
        match: `/${index}`,
        backend: { backend_id: id },
      }),
    );
    await Promise.all(routes);
    await onMap(browser, server, `?focus=${id}`, async (page) => {
      const canvas = await page.getByRole("application", { name: "Map" }).boundingBox();
      const node = await card(page, "busy.internal:80").boundingBox();
      expect(node?.y).toBeGreaterThan(canvas?.y ?? 0);
      expect(node?.y).toBeLessThan((canvas?.y ?? 0) + (canvas?.height ?? 0));
    });
    await request("DELETE", `/edges/https/${edgeId}`);
    await request("DELETE", `/backends/static/${id}`);
  });

  it("fits into a narrow window", () =>
    onMap(browser, server, "", async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.reload();
      await untilWhole(page);
      await card(page, "Internal tools").click();
      await page.getByRole("complementary", { name: "Internal tools" }).waitFor();
      await expectNoViolations(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    }));

  it("moves by arrow keys", () =>
    onMap(browser, server, "", async (page) => {
      const viewport = page.locator(".react-flow__viewport");
      const before = await viewport.getAttribute("style");
      await page.getByRole("application", { name: "Map" }).focus();
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => viewport.getAttribute("style")).not.toBe(before);
    }));

  it("follows what others change, without a reload", () =>
    onMap(browser, server, "", async (page) => {
      const id = await request("POST", "/edges/https", {
        description: "Made meanwhile",
        hostports: ["new.fjellmark.example:443"],
      });
      await card(page, "Made meanwhile").waitFor();
      const routeId = await request("POST", `/edges/https/${id}/routes`, {
        match_type: "exact_path",
        match: "/made",
        backend: { backend_id: spareId },
      });
      await card(page, "Exact path/made").waitFor();
      await request("PATCH", `/backends/static/${spareId}`, { description: "Renamed server" });
      await card(page, "Renamed server").first().waitFor();
      await request("DELETE", `/edges/https/${id}/routes/${routeId}`);
      await card(page, "Exact path/made").waitFor({ state: "detached" });
      await request("DELETE", `/edges/https/${id}`);
      await card(page, "Made meanwhile").waitFor({ state: "detached" });
      await request("PATCH", `/backends/static/${spareId}`, { description: "Spare server" });
      await card(page, "Spare server").first().waitFor();
    }));

  it("is saved as a whole, as SVG and as PNG", () =>
    onMap(browser, server, "", async (page) => {
      const ids = await idsInSvg(page, (await exportAs(page, "SVG")).toString());
      const [, edges, routes, backends] =
        /(\d+) edges, (\d+) routes, (\d+) backends/.exec(
          await page
            .getByText(/\d+ backends/)
            .first()
            .innerText(),
        ) ?? [];
      const resources = ids.filter((id) => !id.startsWith("hostport:"));
      expect(resources.length).toBe(Number(edges) + Number(routes) + Number(backends));
      expect(new Set(ids).size).toBe(ids.length);

      const png = await exportAs(page, "PNG");
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
      expect(Math.min(width, height)).toBeGreaterThan(1000);
      expect(png.length).toBeGreaterThan(50_000);
    }));

  it.each(["light", "dark"] as const)("has no barrier that axe finds: %s", (colorScheme) =>
    onMap(browser, server, "", async (page) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expectNoViolations(page);
      await card(page, "Internal tools").click();
      await page.getByRole("complementary", { name: "Internal tools" }).waitFor();
      await expectNoViolations(page);
    }),
  );
});
