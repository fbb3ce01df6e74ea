import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { exportAs, onMap, untilWhole } from "../harness/dashboard-map.js";
import { fillWithDemo } from "../harness/demo.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, type RestAnswer, rest } from "../harness/transports.js";

// The map reads only what changes are about. Whatever they are, that is what reading all of it gives.

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

type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** Changes something over REST; what is refused, such as to delete a backend in use, changes nothing. */
async function change(server: TestServer, { what, one, other }: Step): Promise<RestAnswer> {
  const idsOf = async (path: string, key: string): Promise<string[]> => {
    const { body } = await rest(server, "GET", `${path}?limit=100`);
    return body[key].map(({ id }: Fields) => id);
  };
  const servers = await idsOf("/backends/static", "backends");
  const edges = await idsOf("/edges/https", "https_edges");
  const edge = `/edges/https/${pick(edges, one)}`;
  const routes = edges.length > 0 ? await idsOf(`${edge}/routes`, "routes") : [];
  const route = `${edge}/routes/${pick(routes, other)}`;
  const backend = { backend: { backend_id: pick(servers, one) } };
  switch (what) {
    case "an edge":
      return rest(server, "POST", "/edges/https", { hostports: [`random-${one}.example:443`] });
    case "a route": {
      const match = { match_type: "path_prefix", match: `/${other}` };
      return rest(server, "POST", `${edge}/routes`, { ...match, ...backend });
    }
    case "a route elsewhere":
      return rest(server, "PATCH", route, backend);
    case "a module":
      return rest(server, "PATCH", route, { compression: { enabled: one % 2 === 0 } });
    case "a server":
      return rest(server, "POST", "/backends/static", { address: `random-${one}.internal:80` });
    case "a choice of servers": {
      const weights = [one, other].map((number) => [pick(servers, number), number % 100]);
      return rest(server, "POST", "/backends/weighted", { backends: Object.fromEntries(weights) });
    }
    case "a description":
      return rest(server, "PATCH", `/backends/static/${pick(servers, one)}`, {
        description: `Described ${other}`,
      });
    case "no route":
      return rest(server, "DELETE", route);
    case "no edge":
      return rest(server, "DELETE", edge);
    case "no backend":
      return rest(server, "DELETE", `/backends/static/${pick(servers, one)}`);
  }
}

function pick(ids: readonly string[], number: number): string {
  return ids[number % ids.length] ?? "none";
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

describe.runIf(chromiumIsInstalled("the map of the dashboard after changes"))("the map", () => {
  vi.setConfig({ testTimeout: PATIENCE_MS });
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
    await fillWithDemo(server);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it("after many changes is the map that is read anew", () =>
    onMap(browser, server, "", async (page) => {
      const seed = Date.now();
      for (const step of fc.sample(steps, { numRuns: CHANGES, seed })) await change(server, step);
      await onMap(browser, server, "", async (anew) => {
        const expected = await partsOf(anew);
        expect(expected.length).toBeGreaterThan(30);
        await expect
          .poll(() => partsOf(page), { timeout: PATIENCE_MS, message: `seed ${seed}` })
          .toEqual(expected);
      });
    }));
});
