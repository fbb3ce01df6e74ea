import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { type CutConnections, cutConnections } from "../harness/cut-connections.js";
import { dashboardUrl, onDashboard } from "../harness/dashboard.js";
import { startDatabaseProxy } from "../harness/database-proxy.js";
import { freshDatabase, startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";

/** What the browser itself says of requests that fail. */
const FAILED = /net::ERR_|status of (401|429|503|504)/;
/** More than the page waits for a sign of life. */
const LONG_SILENCE_MS = 61_000;

const isStream = (request: Request) => request.headers().accept === "text/event-stream";
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const badge = (page: Page, text: string) => page.getByText(text, { exact: true });
const live = (page: Page) => badge(page, "Live").waitFor();
const lost = (page: Page) => badge(page, "Connection lost, trying again").waitFor();

describe.runIf(chromiumIsInstalled("live pages of the dashboard"))("a page that is open", () => {
  let server: TestServer;
  let browser: Browser;
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const policyOf = async (description: string) =>
    (await rest(server, "POST", "/ip_policies", { description })).body;
  const change = (policy: Fields, description: string) =>
    rest(server, "PATCH", `/ip_policies/${policy.id}`, { description });
  /** Runs `steps` on a page behind a network that the test can break. */
  async function onNetwork(
    path: string,
    steps: (page: Page, network: CutConnections) => Promise<void>,
  ): Promise<void> {
    const network = await cutConnections(server.url);
    try {
      await onDashboard(browser, server, path, (page) => steps(page, network), {
        url: network.url,
        allowed: FAILED,
      });
    } finally {
      await network.close();
    }
  }
  /** The names of the operations that the page asks from now on. */
  function operationsOf(page: Page): string[] {
    const names: string[] = [];
    page.on("request", (request) => {
      if (!request.url().endsWith("/graphql")) return;
      const { query }: Fields = request.postDataJSON();
      names.push(/(?:query|subscription) (\w+)/.exec(query)?.[1] ?? query);
    });
    return names;
  }
  /** Opens the page of a resource in a list and comes back, so that the files of these pages are there. */
  async function visit(page: Page, name: string): Promise<void> {
    await page.getByRole("link", { name, exact: true }).first().click();
    await heading(page, name).waitFor();
    await page.goBack();
    await row(page, name).first().waitFor();
  }
  async function hide(page: Page, isHidden: boolean): Promise<void> {
    await page.evaluate(
      `Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} });
       document.dispatchEvent(new Event("visibilitychange"))`,
    );
  }

  it("shows what others create, change and delete, in the list", async () => {
    await onDashboard(browser, server, "/ip_policies", async (page) => {
      await live(page);
      const policy = await policyOf("Made elsewhere");
      await row(page, "Made elsewhere").waitFor();
      await change(policy, "Changed elsewhere");
      await row(page, "Changed elsewhere").waitFor();
      expect(await row(page, "Made elsewhere").count()).toBe(0);
      await rest(server, "DELETE", `/ip_policies/${policy.id}`);
      await row(page, "Changed elsewhere").waitFor({ state: "detached" });
    });
  });

  it("shows it on the page of the resource, which says when that was deleted", async () => {
    const policy = await policyOf("Before");
    await onDashboard(browser, server, `/ip_policies/${policy.id}`, async (page) => {
      await heading(page, "Before").waitFor();
      await change(policy, "After");
      await heading(page, "After").waitFor();
      await page.getByText("Version 2").waitFor();
      await rest(server, "POST", "/ip_policy_rules", {
        ip_policy_id: policy.id,
        cidr: "192.0.2.0/24",
        action: "allow",
      });
      await page.getByText("192.0.2.0/24").first().waitFor();
      await rest(server, "DELETE", `/ip_policies/${policy.id}`);
      await heading(page, `There is no IP policy ${policy.id}`).waitFor();
      await expectNoViolations(page);
      await page.getByRole("link", { name: "Its history" }).click();
      await row(page, "Deleted").filter({ hasText: policy.id }).waitFor();
    });
  });

  it("opens an id that was nobody's when it was asked first", async () => {
    const known = await policyOf("Known");
    const later = `ipp_${known.id.slice(4, -1)}${known.id.endsWith("a") ? "b" : "a"}`;
    await onDashboard(browser, server, `/resources/${later}`, async (page) => {
      await heading(page, `Nothing has the id ${later}`).waitFor();
      await server.context.db.$executeRawUnsafe(
        `INSERT INTO ip_policies (id, created_at, updated_at, description, metadata)
           SELECT '${later}', created_at, updated_at, 'Known later', metadata
             FROM ip_policies WHERE id = '${known.id}'`,
      );
      await policyOf("So that the page reads again");
      await page.waitForURL(dashboardUrl(server, `/ip_policies/${later}`));
      await heading(page, "Known later").waitFor();
    });
  });

  it("shows it in the numbers of the overview", async () => {
    await onDashboard(browser, server, "/", async (page) => {
      await heading(page, "Overview").waitFor();
      const addresses = page.getByRole("region", { name: "Addresses", exact: true });
      const { body } = await rest(server, "GET", "/reserved_addrs?limit=100");
      const count = body.reserved_addrs.length;
      await rest(server, "POST", "/reserved_addrs", { description: "For the overview" });
      await addresses.getByText(String(count + 1), { exact: true }).waitFor();
      await row(page, "For the overview").waitFor();
    });
  });

  it("shows it in the log, narrowed by kind, resource and key", async () => {
    const { body: key } = await rest(server, "POST", "/api_keys", {
      scope: "write",
      description: "Terraform",
    });
    const terraform = { url: server.url, writeKey: key.token };
    const policy = await policyOf("Followed");
    await onDashboard(browser, server, "/changes", async (page) => {
      await row(page, "Followed").waitFor();
      await page.getByLabel("Kinds of resources").first().fill("IP policy");
      await page.getByRole("option", { name: "IP policy", exact: true }).click();
      await page.keyboard.press("Escape");
      await row(page, "API key").first().waitFor({ state: "detached" });
      // Keys that come later are offered, and known by their names.
      await page.getByLabel("By", { exact: true }).first().fill("Terraform");
      await page.getByRole("option", { name: "Terraform", exact: true }).click();
      await page.keyboard.press("Escape");
      await heading(page, "No changes match").waitFor();
      await rest(terraform, "PATCH", `/ip_policies/${policy.id}`, { description: "By Terraform" });
      await row(page, "By Terraform").waitFor();
      await change(policy, "By another");
      await rest(terraform, "POST", "/reserved_addrs", { description: "Of another kind" });
      const { body: other } = await rest(terraform, "POST", "/ip_policies", {
        description: "Another policy",
      });
      await row(page, "Another policy").waitFor();
      expect(await page.getByRole("row").count()).toBe(3);
      await page.getByLabel("Ids of resources").fill(other.id);
      await page.keyboard.press("Enter");
      await row(page, "By another").waitFor({ state: "detached" });
      await rest(terraform, "PATCH", `/ip_policies/${other.id}`, { metadata: '{"a":1}' });
      await row(page, "Metadata").waitFor();
      expect(await page.getByRole("row").count()).toBe(3);
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        types: "IP_POLICY",
        actorIds: key.id,
        ids: other.id,
      });
    });
  });

  it("says that the URL names no kind of resource, instead of showing all", async () => {
    await policyOf("Not asked for");
    await onDashboard(browser, server, "/changes?types=IP_POLICY,BRIDGE", async (page) => {
      await page.getByRole("heading", { name: "There is no kind of resource BRIDGE" }).waitFor();
      expect(await row(page, "Not asked for").count()).toBe(0);
      await page.getByRole("button", { name: "Show all changes" }).click();
      await row(page, "Not asked for").waitFor();
    });
  });

  it("shows it in every tab", async () => {
    const tabs = ["/ip_policies", "/", "/changes"];
    const made = async () => {
      await policyOf("In every tab");
    };
    let ready = 0;
    await Promise.all(
      tabs.map((path) =>
        onDashboard(browser, server, path, async (page) => {
          await page.getByRole("heading", { level: 1 }).waitFor();
          ready += 1;
          if (ready === tabs.length) await made();
          await row(page, "In every tab").first().waitFor();
        }),
      ),
    );
  });

  it("says that the connection is lost, and has no gap when it is back", async () => {
    const [policy] = [await policyOf("Kept"), await policyOf("Visited before")];
    await onNetwork("/ip_policies", async (page, network) => {
      await visit(page, "Visited before");
      await row(page, "Kept").waitFor();
      network.refuse();
      await lost(page);
      await expectNoViolations(page);
      // What was read stays; what cannot be read now is read later.
      await row(page, "Kept").waitFor();
      await page.getByRole("link", { name: "Kept", exact: true }).click();
      await page.getByText("The server cannot answer now").first().waitFor();
      await change(policy, "Changed unheard");
      network.accept();
      await heading(page, "Changed unheard").waitFor();
      await live(page);
      await page.getByText("The server cannot answer now").first().waitFor({ state: "detached" });
    });
  });

  it("misses none of many changes while the connection is cut again and again", async () => {
    await onNetwork("/changes?types=RESERVED_ADDR", async (page, network) => {
      await live(page);
      const names = Array.from({ length: 12 }, (_, number) => `Cut number ${number}.`);
      for (const description of names) {
        network.cut();
        await rest(server, "POST", "/reserved_addrs", { description });
      }
      for (const name of names) await row(page, name).waitFor();
      await live(page);
    });
  });

  it("notices a connection that is silent without an end", async () => {
    const policy = await policyOf("Before the silence");
    await onNetwork("/ip_policies", async (page, network) => {
      await row(page, "Before the silence").waitFor();
      await page.clock.install();
      await page.reload();
      await visit(page, "Visited before");
      await row(page, "Before the silence").waitFor();
      await live(page);
      network.silence();
      await change(policy, "Changed in silence");
      await page.clock.fastForward(LONG_SILENCE_MS);
      await lost(page);
      await row(page, "Before the silence").waitFor();
      // A query that nobody answers is given up, too.
      await page.getByRole("link", { name: "Before the silence" }).click();
      await page.getByLabel("Reading").waitFor();
      await page.clock.fastForward(LONG_SILENCE_MS);
      await page.getByText("The server cannot answer now").waitFor();
      network.accept();
      await page.clock.fastForward(LONG_SILENCE_MS);
      await heading(page, "Changed in silence").waitFor();
      await live(page);
    });
  });

  it("reads everything again when the log no longer has what it missed", async () => {
    const policy = await policyOf("Before the gap");
    await onNetwork(`/ip_policies/${policy.id}`, async (page, network) => {
      await heading(page, "Before the gap").waitFor();
      network.refuse();
      await lost(page);
      await change(policy, "After the gap");
      await server.context.db.$executeRawUnsafe("DELETE FROM changes");
      // The newest entry is younger than what the page has seen.
      await policyOf("What the log begins with");
      network.accept();
      await heading(page, "After the gap").waitFor();
      await live(page);
      // It follows on from there.
      await change(policy, "Followed again");
      await heading(page, "Followed again").waitFor();
    });
  });

  it("rests while it is hidden, and is current when it is shown again", async () => {
    const policy = await policyOf("Seen");
    await onDashboard(browser, server, "/ip_policies", async (page) => {
      await row(page, "Seen").waitFor();
      await live(page);
      const names = operationsOf(page);
      const ended = page.waitForEvent("requestfailed", isStream);
      await hide(page, true);
      await ended;
      await change(policy, "Changed unseen");
      // Shown and hidden so fast that one stream ends while the next begins.
      for (const isHidden of [false, true, false]) await hide(page, isHidden);
      await row(page, "Changed unseen").waitFor();
      await change(policy, "Changed in sight");
      await row(page, "Changed in sight").waitFor();
      expect(names.filter((name) => name === "FollowChanges").length).toBeLessThanOrEqual(2);
      await live(page);
    });
  });

  it("reads again few times when very much changes", async () => {
    await onDashboard(browser, server, "/ip_policies", async (page) => {
      await live(page);
      const names = operationsOf(page);
      const begin = Date.now();
      const numbers = Array.from({ length: 500 }, (_, number) => number);
      for (let at = 0; at < numbers.length; at += 20) {
        await Promise.all(numbers.slice(at, at + 20).map((number) => policyOf(`Storm ${number}.`)));
      }
      await policyOf("After the storm");
      await row(page, "After the storm").waitFor();
      const seconds = (Date.now() - begin) / 1000;
      const reads = names.filter((name) => name === "IpPolicies" || name.includes("List")).length;
      console.log(`501 changes in ${seconds.toFixed(1)} s were read ${reads} times.`);
      expect([...new Set(names)].length).toBeLessThanOrEqual(2);
      expect(names.length).toBeLessThan(seconds + 4);
      expect(names.length).toBeGreaterThan(0);
    });
  });

  it("reads once more what changed while it was being read", async () => {
    const policy = await policyOf("First");
    await onDashboard(browser, server, `/ip_policies/${policy.id}`, async (page) => {
      await heading(page, "First").waitFor();
      await live(page);
      // The answer to the next query is as old as its question, and comes late.
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let answered = () => {};
      const old = new Promise<void>((resolve) => {
        answered = resolve;
      });
      let isFirst = true;
      await page.route("**/graphql", async (route) => {
        if (isStream(route.request()) || !isFirst) return route.continue();
        isFirst = false;
        const response = await route.fetch();
        answered();
        await held;
        await route.fulfill({ response });
      });
      const seen = page.evaluate(
        `new Promise((resolve) => new MutationObserver(() => {
           if (document.querySelector("h1")?.textContent === "Second") resolve(true);
         }).observe(document, { subtree: true, childList: true, characterData: true }))`,
      );
      await change(policy, "Second");
      await old;
      await change(policy, "Third");
      release();
      expect(await seen).toBe(true);
      await heading(page, "Third").waitFor();
    });
  });

  it("tells what the server says when it is asked too much, and asks again when it may", async () => {
    const limited = await startServer({
      rateLimits: { requests: 6, seconds: 3, store: "memory" },
    });
    try {
      await onDashboard(
        browser,
        limited,
        "/ip_policies",
        async (page) => {
          const refused = page
            .getByRole("alert")
            .filter({ hasText: "The server cannot answer now" });
          await Promise.race([heading(page, "IP policies").waitFor(), refused.waitFor()]);
          // However long the page takes for its requests, there are too many.
          while ((await refused.count()) === 0) {
            await Promise.all(
              Array.from({ length: 6 }, () => rest(limited, "GET", "/ip_policies?limit=1")),
            );
            await page.getByRole("link", { name: "IP restrictions" }).click();
            await page.getByRole("link", { name: "IP policies" }).click();
          }
          expect(await refused.innerText()).toMatch(/An API key.*RATE_LIMITED, operation op_/s);
          const names = operationsOf(page);
          await refused.waitFor({ state: "detached" });
          await heading(page, "There are no IP policies yet").waitFor();
          expect(names.length).toBeLessThan(6);
          await live(page);
        },
        { allowed: FAILED },
      );
    } finally {
      await limited.stop();
    }
  });

  it("tells what the server says when it has no database, and goes on by itself", async () => {
    const database = await freshDatabase();
    const network = await startDatabaseProxy(database.url);
    const own = await startServer({
      connection: { connectionString: network.url, max: 8, connectionTimeoutMillis: 1_000 },
    });
    try {
      await onDashboard(
        browser,
        own,
        "/ip_policies",
        async (page) => {
          await heading(page, "There are no IP policies yet").waitFor();
          network.refuse();
          await page.getByRole("link", { name: "TCP edges" }).click();
          const refused = page
            .getByRole("alert")
            .filter({ hasText: "The server cannot answer now" });
          await refused.getByText(/UNAVAILABLE, operation/).waitFor();
          await expectNoViolations(page);
          network.accept();
          await heading(page, "There are no TCP edges yet").waitFor();
          expect(await refused.count()).toBe(0);
          network.refuse();
          await page.getByRole("link", { name: "Map", exact: true }).click();
          await page.getByText(/UNAVAILABLE, operation/).waitFor();
          network.accept();
          await page.getByText(/UNAVAILABLE, operation/).waitFor({ state: "detached" });
          await page.getByRole("link", { name: "TCP edges" }).click();
          await rest(own, "POST", "/edges/tcp", { description: "After the outage" });
          await row(page, "After the outage").waitFor();
        },
        { allowed: FAILED },
      );
    } finally {
      await own.stop();
      await network.close();
      await database.stop();
    }
  });
});
