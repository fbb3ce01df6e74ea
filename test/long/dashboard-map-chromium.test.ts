import { readFile } from "node:fs/promises";
import fc from "fast-check";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { fill, multiplyRoutes } from "../harness/bulk.js";
import { chromiumIsInstalled, onPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { fillWithDemo } from "../harness/demo.js";
import { startServer, type TestServer } from "../harness/server.js";
import { rest } from "../harness/transports.js";

// The map of the dashboard in a real browser: over the demo, and over 1,000 edges with 5,000 routes.

const EDGES = 1000;
const ROUTES_AN_EDGE = 5;
/** How long the map is dragged while its frames are counted. */
const DRAG_MS = 2000;

let browser: Browser;
let server: TestServer;

/** Opens the map with a key that may write, and waits until all of it is read and has its place. */
async function openMap(page: Page, search = ""): Promise<void> {
  await page.addInitScript(
    `sessionStorage.setItem("edgeplane.api-key", ${JSON.stringify(server.writeKey)})`,
  );
  await page.goto(`${server.url}/dashboard/map${search}`);
  await untilWhole(page);
}

async function untilWhole(page: Page): Promise<void> {
  await page.locator("button:enabled", { hasText: "Export" }).waitFor();
}

function onMap(search: string, steps: (page: Page) => Promise<void>): Promise<void> {
  return onPage(browser, server.url, async (page) => {
    await openMap(page, search);
    await steps(page);
  });
}

/** The cards in view with this text. */
function card(page: Page, text: string | RegExp): Locator {
  return page.locator(".react-flow__node").filter({ hasText: text });
}

/** The texts of the cards in view that a selector names, from top to bottom. */
function textsOf(page: Page, selector: string): Promise<string[]> {
  return page.locator(`.react-flow__node ${selector}`).evaluateAll((nodes) =>
    nodes
      .map((node) => ({ y: node.getBoundingClientRect().y, text: node.textContent ?? "" }))
      .sort((one, other) => one.y - other.y)
      .map(({ text }) => text),
  );
}

async function request(method: string, path: string, body?: unknown): Promise<string> {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Service-Version": "2",
      "Content-Type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true);
  return text === "" ? "" : JSON.parse(text).id;
}

/** Saves the map in a format: the content of the file. */
async function exportAs(page: Page, format: "SVG" | "PNG"): Promise<Buffer> {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: `As ${format}` }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(`edgeplane-map.${format.toLowerCase()}`);
  return readFile(await download.path());
}

/** How often the map is changed at random. */
const CHANGES = 60;

/** What is changed, and numbers that choose of what there is. */
const steps = fc.record({
  what: fc.constantFrom(
    "an edge",
    "a route",
    "a route elsewhere",
    "a module",
    "a server",
    "a choice of servers",
    "a description",
    "no route",
    "no edge",
    "no backend",
  ),
  one: fc.noBias(fc.nat()),
  other: fc.noBias(fc.nat()),
});

/** Changes something over REST; what is refused, such as to delete a backend in use, changes nothing. */
async function change({
  what,
  one,
  other,
}: typeof steps extends fc.Arbitrary<infer Step> ? Step : never) {
  const all = async (path: string, key: string): Promise<{ id: string; uri: string }[]> =>
    (await rest(server, "GET", `${path}?limit=100`)).body[key];
  const any = <Item>(items: readonly Item[], number: number) => items[number % items.length];
  const backends = await all("/backends/static", "backends");
  const edges = await all("/edges/https", "https_edges");
  const edge = any(edges, one)?.id;
  const routes = edge ? await all(`/edges/https/${edge}/routes`, "routes") : [];
  const route = `/edges/https/${edge}/routes/${any(routes, other)?.id}`;
  const backend = { backend: { backend_id: any(backends, one)?.id } };
  switch (what) {
    case "an edge":
      return rest(server, "POST", "/edges/https", { hostports: [`random-${one}.example:443`] });
    case "a route":
      return rest(server, "POST", `/edges/https/${edge}/routes`, {
        match_type: "path_prefix",
        match: `/${other}`,
        ...backend,
      });
    case "a route elsewhere":
      return rest(server, "PATCH", route, backend);
    case "a module":
      return rest(server, "PATCH", route, { compression: { enabled: one % 2 === 0 } });
    case "a server":
      return rest(server, "POST", "/backends/static", { address: `random-${one}.internal:80` });
    case "a choice of servers":
      return rest(server, "POST", "/backends/weighted", {
        backends: Object.fromEntries(
          [one, other].map((number) => [any(backends, number)?.id, number % 100]),
        ),
      });
    case "a description":
      return rest(server, "PATCH", `/backends/static/${any(backends, one)?.id}`, {
        description: `Described ${other}`,
      });
    case "no route":
      return rest(server, "DELETE", route);
    case "no edge":
      return rest(server, "DELETE", `/edges/https/${edge}`);
    case "no backend":
      return rest(server, "DELETE", `/backends/static/${any(backends, one)?.id}`);
  }
}

/** The nodes of the map with their texts, and how many links it has. */
async function partsOf(page: Page): Promise<string[]> {
  await untilWhole(page);
  const svg = (await exportAs(page, "SVG")).toString();
  return page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const nodes = [...parsed.querySelectorAll("g[data-id]")].map(
      (node) => `${node.getAttribute("data-id")} ${node.textContent}`,
    );
    return [...nodes.sort(), `${parsed.querySelectorAll("path").length} links`];
  }, svg);
}

/** The ids of the nodes of an exported map; throws when it is no XML. */
function idsInSvg(page: Page, svg: string): Promise<string[]> {
  return page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const error = parsed.querySelector("parsererror");
    if (error) throw new Error(error.textContent ?? "");
    return [...parsed.querySelectorAll("g[data-id]")].map(
      (node) => node.id || (node.getAttribute("data-id") ?? ""),
    );
  }, svg);
}

const isInstalled = chromiumIsInstalled("the map of the dashboard");
beforeAll(async () => {
  if (isInstalled) browser = await startChromium();
});
afterAll(() => browser?.close());

describe.runIf(isInstalled)("the map of the demo", () => {
  let spareId: string;
  beforeAll(async () => {
    server = await startServer();
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
  afterAll(() => server?.stop());

  it("has everything, with routes from top to bottom in match order", () =>
    onMap("?hostport=tools.fjellmark.example%3A443", async (page) => {
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
    onMap("?hostport=shop.fjellmark.example%3A443", async (page) => {
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
    onMap("?search=shop", async (page) => {
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
    onMap("?module.kind=OAUTH&module.enabled=true", async (page) => {
      const edges = await textsOf(page, '[data-kind="edge"]');
      expect(edges.map((text) => /^[A-Z]+ edge/.exec(text)?.[0])).toEqual(["HTTPS edge"]);
      expect(edges[0]).toContain("Internal tools");
    }));

  it("is about one node, by the keyboard alone: its users, its page, and the way back", () =>
    onMap("", async (page) => {
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

  it("fits into a narrow window", () =>
    onMap("", async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.reload();
      await untilWhole(page);
      await card(page, "Internal tools").click();
      await page.getByRole("complementary", { name: "Internal tools" }).waitFor();
      await expectNoViolations(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    }));

  it("moves by arrow keys", () =>
    onMap("", async (page) => {
      const viewport = page.locator(".react-flow__viewport");
      const before = await viewport.getAttribute("style");
      await page.getByRole("application", { name: "Map" }).focus();
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => viewport.getAttribute("style")).not.toBe(before);
    }));

  it("follows what others change, without a reload", () =>
    onMap("", async (page) => {
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
    onMap("", async (page) => {
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
    onPage(browser, server.url, async (page) => {
      await page.emulateMedia({ colorScheme });
      await openMap(page);
      await expectNoViolations(page);
      await card(page, "Internal tools").click();
      await page.getByRole("complementary", { name: "Internal tools" }).waitFor();
      await expectNoViolations(page);
    }),
  );

  it("is after many changes what it is when it is read anew", () =>
    onMap("", async (page) => {
      const seed = Date.now();
      for (const step of fc.sample(steps, { numRuns: CHANGES, seed })) await change(step);
      await onMap("", async (anew) => {
        const expected = await partsOf(anew);
        expect(expected.length).toBeGreaterThan(30);
        await expect
          .poll(() => partsOf(page), { timeout: PATIENCE_MS, message: `seed ${seed}` })
          .toEqual(expected);
      });
    }));
});

describe.runIf(isInstalled)(
  `the map of ${EDGES} edges with ${EDGES * ROUTES_AN_EDGE} routes`,
  () => {
    beforeAll(async () => {
      server = await startServer();
      await fill(server, {
        rows: EDGES,
        tables: ["backends", "backend_children", "https_edges", "https_edge_routes"],
      });
      await multiplyRoutes(server, ROUTES_AN_EDGE);
    }, PATIENCE_MS);
    afterAll(() => server?.stop());

    it(
      "is shown from its beginning at once, draws what is in view, and moves",
      () =>
        onPage(browser, server.url, async (page) => {
          await page.addInitScript(
            `sessionStorage.setItem("edgeplane.api-key", ${JSON.stringify(server.writeKey)})`,
          );
          const begin = performance.now();
          await page.goto(`${server.url}/dashboard/map`);
          await page.locator(".react-flow__node").first().waitFor();
          const firstView = performance.now() - begin;
          await untilWhole(page);
          const whole = performance.now() - begin;
          const count = /1,000 edges, 5,000 routes, ([\d,]+) backends/;
          await page.getByText(count).waitFor();
          const near = await framesWhileDragging(page);
          for (let step = 0; step < 6; step++) {
            await page.getByRole("button", { name: "Zoom out" }).click();
          }
          const far = await framesWhileDragging(page);
          const drawn = await page.locator(".react-flow__node").count();
          console.log(
            `Map of 1,000 edges with 5,000 routes: first view ${firstView.toFixed(0)} ms, all of it ${whole.toFixed(0)} ms, ` +
              `${near.toFixed(0)} frames a second while it is dragged, ${far.toFixed(0)} zoomed out with ${drawn} nodes drawn.`,
          );
          expect(drawn).toBeGreaterThan(10);
          expect(drawn).toBeLessThan(EDGES);
          const ids = await idsInSvg(page, (await exportAs(page, "SVG")).toString());
          expect(new Set(ids.filter((id) => id.startsWith("edghtsrt_"))).size).toBe(5000);
          expect((await exportAs(page, "PNG")).length).toBeGreaterThan(50_000);
        }),
      PATIENCE_MS,
    );
  },
);

/** Frames a second while the map is dragged up and down. */
async function framesWhileDragging(page: Page): Promise<number> {
  const counting = page.evaluate(
    (duration) =>
      new Promise<number>((resolve) => {
        const begin = performance.now();
        let frames = 0;
        const onFrame = (now: number) => {
          frames += 1;
          if (now - begin < duration) requestAnimationFrame(onFrame);
          else resolve((1000 * frames) / (now - begin));
        };
        requestAnimationFrame(onFrame);
      }),
    DRAG_MS,
  );
  let isOver = false;
  const counted = counting.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await page.mouse.move(900, 760);
    await page.mouse.down();
    for (let y = 760; y > 320 && !isOver; y -= 20) await page.mouse.move(900, y);
    await page.mouse.up();
  }
  return counted;
}
