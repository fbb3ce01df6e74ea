import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { fill } from "../harness/bulk.js";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { dashboardUrl, labelled, onDashboard, pick } from "../harness/dashboard.js";
import { startServer, type TestServer } from "../harness/server.js";
import { graphql } from "../harness/transports.js";

/** Of each kind, so that there are many pages. */
const ROWS = 1_000;
const PAGE_SIZE = 25;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

describe.runIf(chromiumIsInstalled("the lists of the dashboard"))("a list", () => {
  let server: TestServer;
  let empty: TestServer;
  let browser: Browser;
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  beforeAll(async () => {
    [server, empty, browser] = await Promise.all([startServer(), startServer(), startChromium()]);
    await fill(server, { rows: ROWS, tables: ["backends"] });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await Promise.all([server.stop(), empty.stop()]);
  });

  /** Where the rows on the page lead, in their order, once they are those of `expected`. */
  async function expectRows(page: Page, expected: readonly string[]): Promise<void> {
    const links = page.getByRole("rowheader").getByRole("link");
    await expect
      .poll(() => links.evaluateAll((all) => all.map((link) => link.getAttribute("href"))), {
        timeout: PATIENCE_MS,
      })
      .toEqual(expected.map((id) => `/dashboard/backends/static/${id}`));
  }
  /** What the server lists for the same arguments. */
  async function idsOf(args: string): Promise<string[]> {
    const { page } = await graphql(
      server,
      `{ page: staticBackends(${args}) { nodes { id } pageInfo { endCursor } } }`,
    );
    return page.nodes.map(({ id }: { id: string }) => id);
  }
  const count = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  it("keeps filter, order, search and page in the URL, through the way back and a reload", async () => {
    const first = `first: ${PAGE_SIZE}`;
    const all = await idsOf("first: 50");
    await onDashboard(browser, server, "/backends/static", async (page) => {
      await count(page, "1,000 static backends");
      await expectRows(page, all.slice(0, PAGE_SIZE));
      await expectNoViolations(page);
      await button(page, "Next page").click();
      await expectRows(page, all.slice(PAGE_SIZE));
      expect(new URL(page.url()).searchParams.has("after")).toBe(true);

      // Another order begins on the first page.
      await button(page, /^Descending/).click();
      const ascending = `${first}, orderBy: { field: CREATED_AT, direction: ASC }`;
      await expectRows(page, await idsOf(ascending));
      expect([...new URL(page.url()).searchParams]).toEqual([
        ["order", "CREATED_AT"],
        ["direction", "ASC"],
      ]);
      await pick(page, "Order by", "Updated at");
      const updated = `${first}, orderBy: { field: UPDATED_AT, direction: ASC }`;
      await expectRows(page, await idsOf(updated));

      await button(page, "Filter").click();
      await labelled(page, "Address").fill("Shared.internal:80");
      await page.keyboard.press("Enter");
      await count(page, "250 static backends");
      const shared = `${updated}, filter: { address: "Shared.internal:80" }`;
      await expectRows(page, await idsOf(shared));
      await expectNoViolations(page);

      await page.getByRole("searchbox", { name: "Search" }).pressSequentially("needle");
      await heading(page, "No static backends match").waitFor();
      const kept = page.url();
      expect(Object.fromEntries(new URL(kept).searchParams)).toEqual({
        search: "needle",
        order: "UPDATED_AT",
        direction: "ASC",
        address: "Shared.internal:80",
      });

      await page.reload();
      await heading(page, "No static backends match").waitFor();
      expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("needle");
      expect(await labelled(page, "Address").inputValue()).toBe("Shared.internal:80");
      await page.goBack();
      await expectRows(page, await idsOf(shared));
      expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("");
      await page.goBack();
      await expectRows(page, await idsOf(updated));
      await page.goBack();
      await expectRows(page, await idsOf(ascending));
      await page.goBack();
      await expectRows(page, all.slice(PAGE_SIZE));
      await page.goBack();
      await expectRows(page, all.slice(0, PAGE_SIZE));
      await page.goForward();
      await expectRows(page, all.slice(PAGE_SIZE));
    });
  });

  it("has all rows once, page by page, there and back", async () => {
    const all = await idsOf("first: 100");
    await onDashboard(browser, server, "/backends/static", async (page) => {
      await count(page, "1,000 static backends");
      expect(await button(page, "Previous page").isDisabled()).toBe(true);
      for (const start of [0, 25, 50, 75]) {
        await expectRows(page, all.slice(start, start + PAGE_SIZE));
        if (start < 75) await button(page, "Next page").click();
      }
      for (const start of [50, 25, 0]) {
        await button(page, "Previous page").click();
        await expectRows(page, all.slice(start, start + PAGE_SIZE));
      }
      await expect.poll(() => button(page, "Previous page").isDisabled()).toBe(true);
    });
  });

  it.each([
    ["search=nobody-has-this", null],
    ["search=Rare+needle", "1 static backend"],
    ["address=Shared.internal%3A80", "250 static backends"],
    ["search=of+many", "1,000 static backends"],
  ])("shows what ?%s asks for, be it none, one, many or all", async (query, counted) => {
    await onDashboard(browser, server, `/backends/static?${query}`, async (page) => {
      if (counted) return count(page, counted);
      await heading(page, "No static backends match").waitFor();
      await expectNoViolations(page);
      await button(page, "Show all static backends").click();
      await count(page, "1,000 static backends");
      expect(page.url()).toBe(dashboardUrl(server, "/backends/static"));
    });
  });

  it("tells what the server says of a wrong value in the URL, and leads on", async () => {
    const wrong = {
      "order=NONSENSE": "`orderBy.field` must be one of",
      "direction=SIDEWAYS": "`orderBy.direction` must be one of",
      "after=nonsense": "`after`",
      "before=nonsense": "`before`",
      "unused=perhaps": "`filter.unused` must be",
      "createdAfter=yesterday": "`filter.createdAfter` must be",
      "ids=nonsense": "`filter.ids",
    };
    await onDashboard(browser, server, "/backends/static", async (page) => {
      const refused = page.getByRole("alert").filter({ hasText: "This list was refused" });
      for (const [query, said] of Object.entries(wrong)) {
        await page.goto(dashboardUrl(server, `/backends/static?${query}`));
        const text = await refused.innerText();
        expect(text).toContain(said);
        expect(text).toMatch(/operation op_/);
        await button(page, "Show all static backends").click();
        await count(page, "1,000 static backends");
        expect(await refused.count()).toBe(0);
      }
    });
  });

  it("loses nothing that is typed slowly, and searches for the whole of it", async () => {
    await onDashboard(browser, server, "/backends/static", async (page) => {
      const field = page.getByRole("searchbox", { name: "Search" });
      // About as long as the pause after which what was typed is searched.
      await field.pressSequentially("rare needle", { delay: 290 });
      await count(page, "1 static backend");
      expect(await field.inputValue()).toBe("rare needle");
      await button(page, "Clear").click();
      await count(page, "1,000 static backends");
      expect(await field.inputValue()).toBe("");
    });
  });

  it("takes times in the viewer's zone, and leaves alone what is no time", async () => {
    await onDashboard(browser, server, "/backends/static", async (page) => {
      await button(page, "Filter").click();
      const field = labelled(page, "Created before");
      await field.fill("2026-01-01T00:00");
      await field.press("Enter");
      await heading(page, "No static backends match").waitFor();
      const stored = new URL(page.url()).searchParams.get("createdBefore") ?? "";
      expect(await page.evaluate(`new Date("${stored}").getTime()`)).toBe(
        await page.evaluate('new Date("2026-01-01T00:00").getTime()'),
      );
      await field.fill("12026-01-01T00:00");
      await field.press("Enter");
      await field.fill("");
      await field.press("Enter");
      await count(page, "1,000 static backends");
    });
  });

  it("says what to do next where there is nothing, which differs from none found", async () => {
    await onDashboard(browser, empty, "/backends/static", async (page) => {
      await heading(page, "There are no static backends yet").waitFor();
      await page.getByText("npm run demo").waitFor();
      await page.getByRole("link", { name: "New static backend" }).waitFor();
      await expectNoViolations(page);
      await page.goto(dashboardUrl(empty, "/backends/static?search=shop"));
      await heading(page, "No static backends match").waitFor();
      expect(await page.getByText("npm run demo").count()).toBe(0);
      await page.goto(dashboardUrl(empty, "/"));
      await heading(page, "This server has nothing yet").waitFor();
      await page.goto(dashboardUrl(empty, "/changes?types=TCP_EDGE"));
      await heading(page, "No changes match").waitFor();
      await expectNoViolations(page);
      await button(page, "Show all changes").click();
      // The keys of the tests.
      await page.getByRole("table").waitFor();
    });
  });

  it("finds among all kinds of backends what a filter names", async () => {
    const { total, weighted } = await graphql(
      server,
      "{ total: backends { totalCount } weighted: backends(filter: { kind: WEIGHTED }) { totalCount } }",
    );
    await onDashboard(browser, server, "/backends", async (page) => {
      await count(page, `${total.totalCount.toLocaleString("en")} backends`);
      await button(page, "Filter").click();
      await pick(page, "Kind", "Weighted");
      await count(page, `${weighted.totalCount.toLocaleString("en")} backends`);
    });
  });
});
