import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { chromiumIsInstalled, onPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { cutConnections } from "../harness/cut-connections.js";
import { dashboardUrl, KEY_ITEM, onDashboard } from "../harness/dashboard.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";

/** What the browser itself says of a stream that is refused, and of a server that is gone. */
const REFUSED = /status of 401/;
const GONE = /net::ERR_/;
const SECRET = "only-for-those-who-write";

/** Whether anything on the page has the secret, be it in a field. */
const SHOWS_SECRET = `(() => document.documentElement.outerHTML.includes("${SECRET}")
  || [...document.querySelectorAll("input, textarea")].some(({ value }) => value.includes("${SECRET}")))`;

const isStream = (request: Request) => request.headers().accept === "text/event-stream";
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const alert = (page: Page, text: string | RegExp) =>
  page.getByRole("alert").filter({ hasText: text });

describe.runIf(chromiumIsInstalled("the session of the dashboard"))("a session", () => {
  let server: TestServer;
  let browser: Browser;
  let policy: Fields;
  let route: Fields;
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
    policy = (await rest(server, "POST", "/ip_policies", { description: "Deep policy" })).body;
    const { body: edge } = await rest(server, "POST", "/edges/https", {
      hostports: ["shop.test:443"],
    });
    route = (
      await rest(server, "POST", `/edges/https/${edge.id}/routes`, {
        match_type: "path_prefix",
        match: "/hooks",
        webhook_verification: { provider: "github", secret: SECRET },
      })
    ).body;
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function signIn(page: Page, key: string): Promise<void> {
    await page.getByLabel("API key").fill(key);
    await button(page, "Open the dashboard").click();
  }
  const newKey = async (scope: "read" | "write") =>
    (await rest(server, "POST", "/api_keys", { scope, description: `A key to ${scope}` })).body;
  const keptKey = (page: Page) => page.evaluate(`sessionStorage.getItem("${KEY_ITEM}")`);

  it("begins with a key, after which a deep link opens what it names", async () => {
    await onPage(browser, server.url, async (page) => {
      const asked: string[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/graphql")) asked.push(request.postData() ?? "");
      });
      await page.goto(dashboardUrl(server, `/ip_policies/${policy.id}?from=mail`));
      await page.getByLabel("API key").waitFor();
      expect(asked).toEqual([]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expectNoViolations(page);
      }
      // The field has the focus, so that a key is pasted and Enter pressed.
      await page.keyboard.insertText(` ${server.writeKey}\n`);
      await page.keyboard.press("Enter");
      await heading(page, "Deep policy").waitFor();
      expect(page.url()).toBe(dashboardUrl(server, `/ip_policies/${policy.id}?from=mail`));
    });
  });

  it("refuses a wrong key in the server's words, with the operation by which its log names that", async () => {
    await onPage(
      browser,
      server.url,
      async (page) => {
        await page.goto(dashboardUrl(server, "/ip_policies"));
        await page.getByLabel("API key").fill("not a key");
        await page.getByText("A key is ASCII without spaces").waitFor();
        expect(await button(page, "Open the dashboard").isDisabled()).toBe(true);
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.url().endsWith("/graphql")),
          signIn(page, "wrong-key-0123456789"),
        ]);
        const { errors } = (await answer.json()) as Fields;
        const refused = alert(page, "This key was not accepted");
        const text = await refused.innerText();
        expect(text).toContain(errors[0].message);
        expect(text).toContain("UNAUTHENTICATED");
        expect(text).toContain(answer.headers()["operation-id"] ?? "no operation id");
        expect(await keptKey(page)).toBeNull();
        await expectNoViolations(page);
        await signIn(page, server.readKey);
        await heading(page, "IP policies").waitFor();
        expect(await refused.count()).toBe(0);
      },
      REFUSED,
    );
  });

  it("keeps the key in the tab alone, and through a reload", async () => {
    await onPage(browser, server.url, async (page) => {
      await page.goto(dashboardUrl(server, "/"));
      await signIn(page, server.writeKey);
      await heading(page, "Overview").waitFor();
      await page.reload();
      await heading(page, "Overview").waitFor();
      expect(await keptKey(page)).toBe(server.writeKey);
      const elsewhere = await page.evaluate(
        `JSON.stringify([{ ...localStorage }, document.cookie, location.href, history.state])
          + document.documentElement.outerHTML`,
      );
      expect(elsewhere).not.toContain(server.writeKey);
      expect(await page.context().cookies()).toEqual([]);
      expect(JSON.stringify(await page.context().storageState())).not.toContain(server.writeKey);
      const databases = await page.evaluate("indexedDB.databases().then((all) => all.length)");
      expect(databases).toBe(0);
      expect(await page.evaluate("caches.keys().then((all) => all.length)")).toBe(0);
    });
  });

  it("forgets the key, what it could see, and its stream of changes", async () => {
    await onPage(browser, server.url, async (page) => {
      await page.goto(dashboardUrl(server, `/edges/https/routes/${route.id}`));
      const [stream] = await Promise.all([
        page.waitForRequest(isStream),
        signIn(page, server.writeKey),
      ]);
      await heading(page, "/hooks").waitFor();
      await page.waitForFunction(`${SHOWS_SECRET}()`);
      const ended = page.waitForEvent("requestfailed", (request) => request === stream);
      await button(page, "Forget the key").click();
      await ended;
      await page.getByLabel("API key").waitFor();
      expect(await keptKey(page)).toBeNull();
      expect(await page.evaluate("document.body.innerText")).not.toContain("/hooks");

      // Nothing of it is shown to the next key, not even until the server has answered that.
      await page.evaluate(
        `globalThis.shown = 0;
         new MutationObserver(() => { shown += ${SHOWS_SECRET}() ? 1 : 0; })
           .observe(document, { subtree: true, childList: true, attributes: true })`,
      );
      await signIn(page, server.readKey);
      await heading(page, "/hooks").waitFor();
      await page.getByText("(read only)").waitFor();
      await page.getByText("github").first().waitFor();
      expect(await page.evaluate("shown")).toBe(0);
    });
  });

  it("ends when its key is revoked, though nothing is asked", async () => {
    const key = await newKey("write");
    await onDashboard(
      browser,
      server,
      `/ip_policies/${policy.id}`,
      async (page) => {
        await page.getByText("A key to write").waitFor();
        await heading(page, "Deep policy").waitFor();
        await rest(server, "DELETE", `/api_keys/${key.id}`);
        const refused = alert(page, "This key was not accepted");
        await refused.getByText("UNAUTHENTICATED").waitFor();
        await refused.getByText(/operation/).waitFor();
        expect(await keptKey(page)).toBeNull();
        // Another key goes on where that one ended.
        await signIn(page, server.writeKey);
        await heading(page, "Deep policy").waitFor();
      },
      { key: key.token, allowed: REFUSED },
    );
  });

  it("ends when its key was revoked while nobody could be heard", async () => {
    const key = await newKey("read");
    const network = await cutConnections(server.url);
    try {
      await onDashboard(
        browser,
        server,
        "/ip_policies",
        async (page) => {
          await heading(page, "IP policies").waitFor();
          network.refuse();
          await page.getByText("Connection lost").waitFor();
          await rest(server, "DELETE", `/api_keys/${key.id}`);
          network.accept();
          await alert(page, "This key was not accepted").waitFor();
          await page.getByLabel("API key").waitFor();
        },
        {
          key: key.token,
          url: network.url,
          allowed: new RegExp(`${REFUSED.source}|${GONE.source}`),
        },
      );
    } finally {
      await network.close();
    }
  });

  it("waits with its key for a server that cannot answer, and goes on when it can", async () => {
    await onPage(
      browser,
      server.url,
      async (page) => {
        await page.goto(dashboardUrl(server, `/ip_policies/${policy.id}`));
        await signIn(page, server.writeKey);
        await heading(page, "Deep policy").waitFor();
        await page.route("**/graphql", (route) => route.abort("connectionrefused"));
        await page.reload();
        await alert(page, "The server cannot answer now").waitFor();
        await expectNoViolations(page);
        expect(await keptKey(page)).toBe(server.writeKey);
        await page.unroute("**/graphql");
        await heading(page, "Deep policy").waitFor();
        await page.route("**/graphql", (route) => route.abort("connectionrefused"));
        await page.reload();
        await button(page, "Forget the key").click();
        await page.getByLabel("API key").waitFor();
        expect(await keptKey(page)).toBeNull();
      },
      GONE,
    );
  });

  it("is not ended by a late refusal of a key that was left", async () => {
    const key = await newKey("read");
    await onDashboard(
      browser,
      server,
      "/ip_policies",
      async (page) => {
        await heading(page, "IP policies").waitFor();
        const isOfLeftKey = (request: Request) =>
          Boolean(request.postData()?.includes("RoutesOfEdge")) &&
          request.headers().authorization === `Bearer ${key.token}`;
        let release = () => {};
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        const asked = page.waitForRequest(isOfLeftKey);
        await page.route("**/graphql", async (route) => {
          if (isOfLeftKey(route.request())) await held;
          await route.continue();
        });
        await page.getByRole("link", { name: "HTTPS edges", exact: true }).click();
        await page.getByRole("link", { name: "shop.test:443" }).click();
        await asked;
        await button(page, "Forget the key").click();
        await rest(server, "DELETE", `/api_keys/${key.id}`);
        await signIn(page, server.readKey);
        await heading(page, "shop.test:443").waitFor();
        const late = page.waitForResponse((response) => isOfLeftKey(response.request()));
        release();
        expect((await late).status()).toBe(401);
        await page.getByRole("link", { name: "TLS edges" }).click();
        await heading(page, "TLS edges").waitFor();
        expect(await keptKey(page)).toBe(server.readKey);
      },
      { key: key.token, allowed: REFUSED },
    );
  });

  it("says that a key may only read, and offers it nothing else", async () => {
    await onDashboard(
      browser,
      server,
      `/edges/https/routes/${route.id}`,
      async (page) => {
        await heading(page, "/hooks").waitFor();
        await page.getByText("(read only)").waitFor();
        const names = await page.getByRole("button").or(page.getByRole("link")).allInnerTexts();
        const offers = /^(new|add|delete|change|save|remove|issue|create)( |$)/i;
        expect(names.filter((name) => offers.test(name))).toEqual([]);
        expect(await page.content()).not.toContain(SECRET);
      },
      { key: server.readKey },
    );
  });
});
