import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fill, multiplyRoutes } from "../harness/bulk.js";
import { chromiumIsInstalled, onPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { exportAs, idsInSvg, untilWhole } from "../harness/dashboard-map.js";
import { startServer, type TestServer } from "../harness/server.js";

// What is drawn of a map that is far larger than any window, and how fast. Times are printed and not tested.

const EDGES = 1000;
const ROUTES_AN_EDGE = 5;
/** How long the map is dragged while its frames are counted. */
const DRAG_MS = 2000;

describe.runIf(chromiumIsInstalled("the large map of the dashboard"))(
  `the map of ${EDGES} edges with ${EDGES * ROUTES_AN_EDGE} routes`,
  () => {
    let server: TestServer;
    let browser: Browser;
    beforeAll(async () => {
      [server, browser] = await Promise.all([startServer(), startChromium()]);
      await fill(server, {
        rows: EDGES,
        tables: ["backends", "backend_children", "https_edges", "https_edge_routes"],
      });
      await multiplyRoutes(server, ROUTES_AN_EDGE);
    }, PATIENCE_MS);
    afterAll(async () => {
      await browser.close();
      await server.stop();
    });

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
      3 * PATIENCE_MS,
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
