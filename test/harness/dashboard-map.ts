import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { onDashboard } from "./dashboard.js";
import type { TestServer } from "./server.js";

/** Runs `steps` on the map of the dashboard, as soon as all of it is there; see `onPage`. */
export async function onMap(
  browser: Browser,
  server: TestServer,
  search: string,
  steps: (page: Page) => Promise<void>,
): Promise<void> {
  await onDashboard(browser, server, `/map${search}`, async (page) => {
    await untilWhole(page);
    await steps(page);
  });
}

/** Waits until all of the map is read and has its place. */
export async function untilWhole(page: Page): Promise<void> {
  await page.locator("button:enabled", { hasText: "Export" }).waitFor();
}

/** The cards in view with this text. */
export function card(page: Page, text: string | RegExp): Locator {
  return page.locator(".react-flow__node").filter({ hasText: text });
}

/** The texts of the cards in view that a selector names, from top to bottom. */
export function textsOf(page: Page, selector: string): Promise<string[]> {
  return page.locator(`.react-flow__node ${selector}`).evaluateAll((nodes) =>
    nodes
      .map((node) => ({ y: node.getBoundingClientRect().y, text: node.textContent ?? "" }))
      .sort((one, other) => one.y - other.y)
      .map(({ text }) => text),
  );
}

/** Saves the map in a format: the content of the file. */
export async function exportAs(page: Page, format: "SVG" | "PNG"): Promise<Buffer> {
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: `As ${format}` }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(`edgeplane-map.${format.toLowerCase()}`);
  return readFile(await download.path());
}

/** The ids of the nodes of an exported map; throws when it is no XML. */
export function idsInSvg(page: Page, svg: string): Promise<string[]> {
  return page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const error = parsed.querySelector("parsererror");
    if (error) throw new Error(error.textContent ?? "");
    return [...parsed.querySelectorAll("g[data-id]")].map(
      (node) => node.id || (node.getAttribute("data-id") ?? ""),
    );
  }, svg);
}
