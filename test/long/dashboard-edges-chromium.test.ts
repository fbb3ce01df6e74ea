import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { authorityPem } from "../harness/certificates.js";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { addTag, choose, labelled, onDashboard, pick } from "../harness/dashboard.js";
import { fillWithDemo } from "../harness/demo.js";
import { SAML_METADATA, TRAFFIC_POLICY } from "../harness/modules.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, graphql, rest } from "../harness/transports.js";

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole("button", { name, exact: typeof name === "string" });

interface ModuleCase {
  /** As the form calls it. */
  readonly title: string;
  /** As REST calls it. */
  readonly field: string;
  readonly fill: (module: Locator) => Promise<void>;
  readonly stored: Fields;
  /** Whether it is switched off afterwards, since a route has one login at most. */
  readonly isLogin?: boolean;
}

const ROUTE_MODULES: readonly ModuleCase[] = [
  {
    title: "Backend",
    field: "backend",
    fill: (module) => choose(module, "Which backend", "Checkout"),
    stored: { enabled: true, backend: expect.objectContaining({ id: expect.any(String) }) },
  },
  {
    title: "IP restriction",
    field: "ip_restriction",
    fill: (module) => choose(module, "IP policies", "Office in Oslo"),
    stored: { enabled: true, ip_policies: [expect.objectContaining({ id: expect.any(String) })] },
  },
  {
    title: "Circuit breaker",
    field: "circuit_breaker",
    fill: async (module) => {
      await labelled(module, "Error threshold percentage").fill("0.25");
      await labelled(module, "Tripped duration").fill("15");
    },
    stored: { enabled: true, error_threshold_percentage: 0.25, tripped_duration: 15 },
  },
  { title: "Compression", field: "compression", fill: async () => {}, stored: { enabled: true } },
  {
    title: "Request headers",
    field: "request_headers",
    fill: async (module) => {
      await button(module, "Add to Add").click();
      await labelled(module, "Name 1 of Add").fill("X-Empty");
      await addTag(module, "Remove", "Cookie");
    },
    stored: { enabled: true, add: { "X-Empty": "" }, remove: ["Cookie"] },
  },
  {
    title: "Response headers",
    field: "response_headers",
    fill: async (module) => {
      await button(module, "Add to Add").click();
      await labelled(module, "Name 1 of Add").fill("X-Served-By");
      await labelled(module, "Value 1 of Add").fill("edge");
    },
    stored: { enabled: true, add: { "X-Served-By": "edge" }, remove: [] },
  },
  {
    title: "Webhook verification",
    field: "webhook_verification",
    fill: async (module) => {
      await labelled(module, "Provider").fill("stripe");
      await labelled(module, "Secret").fill("whsec_1");
    },
    stored: { enabled: true, provider: "stripe", secret: "whsec_1" },
  },
  {
    title: "User agent filter",
    field: "user_agent_filter",
    fill: (module) => addTag(module, "Deny", "bot/\\d+"),
    stored: { enabled: true, allow: [], deny: ["bot/\\d+"] },
  },
  {
    title: "WebSocket TCP converter",
    field: "websocket_tcp_converter",
    fill: async () => {},
    stored: { enabled: true },
  },
  {
    title: "Traffic policy",
    field: "traffic_policy",
    fill: (module) =>
      module.locator("input[type=file]").setInputFiles({
        name: "p.yaml",
        mimeType: "text/yaml",
        buffer: Buffer.from(TRAFFIC_POLICY),
      }),
    stored: { enabled: true, value: TRAFFIC_POLICY.trim() },
  },
  {
    title: "OAuth",
    field: "oauth",
    isLogin: true,
    fill: async (module) => {
      await pick(module, "Provider", "GitHub");
      await addTag(module, "Teams", "example/ops");
      await labelled(module, "Client ID").fill("id");
      await labelled(module, "Client secret").fill("secret");
      await labelled(module, "Maximum duration").fill("3600");
    },
    stored: {
      enabled: true,
      maximum_duration: 3600,
      provider: expect.objectContaining({
        github: expect.objectContaining({ teams: ["example/ops"], client_secret: "secret" }),
      }),
    },
  },
  {
    title: "SAML",
    field: "saml",
    isLogin: true,
    fill: async (module) => {
      await labelled(module, "IdP metadata").fill(SAML_METADATA);
      await addTag(module, "Authorized groups", "ops");
    },
    stored: { enabled: true, idp_metadata: SAML_METADATA, authorized_groups: ["ops"] },
  },
  {
    title: "OIDC",
    field: "oidc",
    isLogin: true,
    fill: async (module) => {
      await labelled(module, "Issuer").fill("https://id.example.com");
      await labelled(module, "Client ID").fill("id");
      await labelled(module, "Client secret").fill("secret");
    },
    stored: { enabled: true, issuer: "https://id.example.com", client_id: "id" },
  },
];

describe.runIf(chromiumIsInstalled("edges of the dashboard"))("edges in the dashboard", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
    await fillWithDemo(server);
  }, 120_000);
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const read = async (path: string) => (await rest(server, "GET", path)).body;
  const create = async (path: string, body: Fields): Promise<Fields> =>
    (await rest(server, "POST", path, body)).body;
  /** Waits until REST has that. */
  const stored = (path: string, fields: Fields) =>
    vi.waitFor(async () => expect(await read(path)).toMatchObject(fields), {
      timeout: PATIENCE_MS,
      interval: 50,
    });
  /** The id of one resource of a kind, found by its text. */
  const idOf = async (many: string, search: string): Promise<string> => {
    const answer = await graphql(
      server,
      `{ ${many}(filter: { search: ${JSON.stringify(search)} }) { nodes { id } } }`,
    );
    return answer[many].nodes[0].id;
  };
  /** Switches a module on and fills it in. */
  const fillModule = async (page: Page, { title, fill }: ModuleCase) => {
    const module = group(page, title);
    await button(module, `Add ${title}`).click();
    await fill(module);
  };

  it("makes an edge with routes, modules and a new backend in one go, with messages at their fields", async () => {
    await onDashboard(browser, server, "/edges/https/new", async (page) => {
      await addTag(page, "Hostports", "new.test:443");
      await button(page, "Add a route").click();
      await button(page, "Add a route").click();
      const first = region(page, "Route 1");
      const second = region(page, "Route 2");
      await labelled(first, "Match").fill("api?x");
      await first.getByText("must be a path such as /api").waitFor();
      await button(first, "Add Backend").click();
      await pick(first, "Backend", "New static backend");
      await labelled(first, "Address").fill("nowhere");
      await button(first, "Add Compression").click();
      await button(second, "Add Webhook verification").click();
      await labelled(second, "Provider").fill("nobody");
      await labelled(second, "Secret").fill("whsec_2");
      await button(page, "Create HTTPS edge").click();
      await page.getByRole("alert").filter({ hasText: "This was not saved" }).waitFor();
      const wrong = await page.locator('[aria-invalid="true"]').all();
      expect(await Promise.all(wrong.map((field) => field.inputValue()))).toEqual([
        "api?x",
        "nowhere",
        "nobody",
      ]);
      await expectNoViolations(page);
      await labelled(first, "Match").fill("/api");
      await labelled(first, "Address").fill("api.internal:8080");
      await labelled(second, "Provider").fill("stripe");
      await button(page, "Create HTTPS edge").click();
      await page.waitForURL(/\/edges\/https\/edghts_/);
      const table = region(page, "Routes").getByRole("row");
      await table.filter({ hasText: "api.internal:8080" }).waitFor();
      expect((await table.allInnerTexts()).slice(1).map((row) => row.split(/\s+/)[1])).toEqual([
        "/api",
        "/",
      ]);
      const id = page.url().split("/").at(-1);
      expect(await read(`/edges/https/${id}`)).toMatchObject({ hostports: ["new.test:443"] });
      const { backends } = await read("/backends/static");
      expect(backends).toContainEqual(expect.objectContaining({ address: "api.internal:8080" }));
    });
  });

  it("switches each module of a route on with its settings, and off", async () => {
    const edge = await create("/edges/https", { hostports: ["modules.test:443"] });
    const route = await create(`/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: "/",
    });
    const path = `/edges/https/${edge.id}/routes/${route.id}`;
    await onDashboard(browser, server, `/edges/https/routes/${route.id}`, async (page) => {
      await page.getByRole("link", { name: "modules.test:443" }).first().waitFor();
      const ordinary = ROUTE_MODULES.filter(({ isLogin = false }) => !isLogin);
      for (const module of ordinary) await fillModule(page, module);
      await button(page, "Save").click();
      await stored(path, Object.fromEntries(ordinary.map(({ field, stored }) => [field, stored])));
      for (const module of ROUTE_MODULES.filter(({ isLogin = false }) => isLogin)) {
        await fillModule(page, module);
        await button(page, "Save").click();
        await stored(path, { [module.field]: module.stored });
        await page.getByRole("switch", { name: `${module.title} is enabled` }).press("Space");
        await button(page, "Save").click();
        await stored(path, { [module.field]: { enabled: false } });
      }
      await button(page, "Remove Compression").click();
      await button(page, "Save").click();
      await stored(path, { compression: null });
      await expectNoViolations(page);
    });
  });

  it("switches on what edges and endpoint configurations have besides", async () => {
    const ca = await create("/certificate_authorities", {
      description: "Clients",
      ca_pem: await authorityPem(),
    });
    const edge = await create("/edges/https", { hostports: ["mutual.test:443"] });
    const tls = await create("/edges/tls", { hostports: ["tls.test:443"] });
    const tcp = await create("/edges/tcp", { hostports: ["tcp.test:22"] });
    const configuration = await create("/endpoint_configurations", { type: "http" });
    const cases: readonly (readonly [string, ModuleCase])[] = [
      [
        `/edges/https/${edge.id}`,
        {
          title: "Mutual TLS",
          field: "mutual_tls",
          fill: (module) => choose(module, "Certificate authorities", "Clients"),
          stored: {
            enabled: true,
            certificate_authorities: [expect.objectContaining({ id: ca.id })],
          },
        },
      ],
      [
        `/edges/tls/${tls.id}`,
        {
          title: "TLS termination",
          field: "tls_termination",
          fill: (module) => pick(module, "Minimum version", "TLS 1.3"),
          stored: { enabled: true, min_version: "1.3" },
        },
      ],
      [
        `/edges/tcp/${tcp.id}`,
        {
          title: "Backend",
          field: "backend",
          fill: async (module) => {
            await pick(module, "Backend", "New static backend");
            await labelled(module, "Address").fill("ssh.internal:22");
          },
          stored: { enabled: true, backend: expect.objectContaining({ id: expect.any(String) }) },
        },
      ],
      [
        `/endpoint_configurations/${configuration.id}`,
        {
          title: "Logging",
          field: "logging",
          fill: async () => {},
          stored: { enabled: true },
        },
      ],
    ];
    for (const [path, module] of cases) {
      await onDashboard(browser, server, path, async (page) => {
        await fillModule(page, module);
        await button(page, "Save").click();
        await stored(path, { [module.field]: module.stored });
        if (module.title !== "Backend") return;
        await page.getByRole("link", { name: "ssh.internal:22" }).waitFor();
      });
    }
  });

  it("walks through which route serves a URL", async () => {
    await onDashboard(browser, server, "/resolve", async (page) => {
      const ask = async (url: string) => {
        await labelled(page, "URL").fill(url);
        await button(page, "Find the route").click();
      };
      await ask("shop");
      await page.getByText("must be a complete URL, such as https://example.com/path").waitFor();
      await ask("https://nobody.test/");
      await page.getByText("No edge has a hostport that matches").waitFor();
      await ask("https://SHOP.fjellmark.example/api/orders?x=1");
      const answer = region(page, "Answer");
      await answer.getByText("/api/ (path prefix) matches and serves the request").waitFor();
      expect(await answer.getByRole("listitem").allInnerTexts()).toEqual(
        expect.arrayContaining([
          "/webhooks/stripe (exact path) does not match: the path is not /webhooks/stripe",
          "/ (path prefix) is not reached",
        ]),
      );
      const texts = await answer.innerText();
      expect(texts).toMatch(
        /TLS termination[\s\S]*Circuit breaker[\s\S]*Backend[\s\S]*Compression/,
      );
      expect(new URL(page.url()).searchParams.get("url")).toBe(
        "https://SHOP.fjellmark.example/api/orders?x=1",
      );
      await expectNoViolations(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectNoViolations(page);
    });
  });

  it("follows what somebody else does to the routes of an edge, and asks about its first hostport", async () => {
    const id = await idOf("httpsEdges", "Shop");
    await onDashboard(browser, server, `/edges/https/${id}`, async (page) => {
      await region(page, "Routes").getByText("4 routes").waitFor();
      await button(page, "Find the route").click();
      const answer = region(page, "Answer");
      await answer.getByText("/ (path prefix) matches").waitFor();
      const made = await create(`/edges/https/${id}/routes`, {
        match_type: "exact_path",
        match: "/",
      });
      await answer.getByText("/ (exact path) matches").waitFor();
      await region(page, "Routes").getByText("5 routes").waitFor();
      await rest(server, "DELETE", `/edges/https/${id}/routes/${made.id}`);
      await region(page, "Routes").getByText("4 routes").waitFor();
      await expectNoViolations(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectNoViolations(page);
      await page.getByRole("link", { name: "Add a route" }).click();
      await page.getByRole("heading", { name: "New HTTPS edge route" }).waitFor();
      await labelled(page, "Match").fill("/made");
      await pick(page, "Match type", "Path prefix");
      await button(page, "Create HTTPS edge route").click();
      await page.getByRole("heading", { name: "/made" }).waitFor();
      expect(
        (await read(page.url().replace(/.*\/routes\//, `/edges/https/${id}/routes/`))).match,
      ).toBe("/made");
    });
  });

  it("adds, changes and deletes the rules of an IP policy", async () => {
    const policy = await create("/ip_policies", { description: "Rules" });
    await onDashboard(browser, server, `/ip_policies/${policy.id}`, async (page) => {
      await page.getByText("This policy has no rules yet.").waitFor();
      await page.getByRole("link", { name: "Add a rule" }).click();
      await labelled(page, "CIDR").fill("10.0.0.0/33");
      await pick(page, "Action", "Deny");
      await button(page, "Create IP policy rule").click();
      await page.getByRole("alert").waitFor();
      expect(await labelled(page, "CIDR").getAttribute("aria-invalid")).toBe("true");
      await labelled(page, "CIDR").fill("10.0.0.0/8");
      await button(page, "Create IP policy rule").click();
      await page.getByRole("heading", { name: "Deny 10.0.0.0/8" }).waitFor();
      await page.goBack();
      const rules = region(page, "Rules");
      await rules.getByRole("row").filter({ hasText: "10.0.0.0/8" }).waitFor();
      await expectNoViolations(page);
      await rules.getByRole("link", { name: "Change Deny 10.0.0.0/8" }).click();
      await labelled(page, "CIDR").fill("10.1.0.0/16");
      await button(page, "Save").click();
      await page.getByText("Saved as version 2.").waitFor();
      await page.goBack();
      await button(rules, "Delete Deny 10.1.0.0/16").click();
      const dialog = page.getByRole("dialog");
      await button(dialog, "Delete").click();
      await page.getByText("This policy has no rules yet.").waitFor();
      expect((await read("/ip_policy_rules?limit=100")).ip_policy_rules).not.toContainEqual(
        expect.objectContaining({ cidr: "10.1.0.0/16" }),
      );
    });
  });

  it("shows the children of backends in order and with their shares", async () => {
    const path = `/backends/failover/${await idOf("failoverBackends", "Storefront")}`;
    await onDashboard(browser, server, path, async (page) => {
      const children = region(page, "Tries in this order");
      await children.getByText("95%").waitFor();
      expect((await children.innerText()).replace(/\s+/g, " ")).toMatch(
        /One request in twenty.* 95% Storefront .*5% Storefront, next release.*standby.*Maintenance page/,
      );
      await expectNoViolations(page);
    });
  });

  it("shows a key that may only read no control that would be refused", async () => {
    const policy = await idOf("ipPolicies", "Office");
    const route = await idOf("httpsEdgeRoutes", "Storefront");
    const paths = [
      [`/edges/https/${await idOf("httpsEdges", "Shop")}`, "Routes"],
      [`/edges/https/routes/${route}`, "Backend"],
      [`/ip_policies/${policy}`, "Rules"],
    ] as const;
    for (const [path, section] of paths) {
      const options = { key: server.readKey };
      await onDashboard(
        browser,
        server,
        path,
        async (page) => {
          await region(page, section).getByRole("link").first().waitFor();
          const names = await page.getByRole("button").or(page.getByRole("link")).allInnerTexts();
          expect(
            names.filter((name) => /^(add|delete|change|save|remove|issue)( |$)/i.test(name)),
          ).toEqual([]);
          await expectNoViolations(page);
        },
        options,
      );
    }
  });
});
