import type { Browser, Locator, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { authorityPem, serverPair } from "../harness/certificates.js";
import { chromiumIsInstalled, heapOf, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { addTag, choose, dashboardUrl, labelled, onDashboard, pick } from "../harness/dashboard.js";
import { fillWithDemo } from "../harness/demo.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, graphql, rest } from "../harness/transports.js";

// Each form's way from typing to the row in REST, but for the forms that other files are about: HTTPS edges with their
// routes and modules, rules of IP policies, and SSH certificates.

const PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";

/** What a page holds takes a while to be read. */
const SLOWLY = { timeout: PATIENCE_MS };

interface FormCase {
  /** As the button that creates one calls it. */
  readonly singular: string;
  readonly path: string;
  readonly fill: (page: Page) => Promise<void>;
  /** What REST shows then. */
  readonly stored: () => Fields;
  /** Changes one field, which is the only one to be sent. Default: the description. */
  readonly change?: { readonly fill: (page: Page) => Promise<void>; readonly sent: () => Fields };
}

const named = async (page: Page, list: string, rows: readonly (readonly string[])[]) => {
  for (const [index, [name = "", value = ""]] of rows.entries()) {
    await page.getByRole("button", { name: `Add to ${list}` }).click();
    await labelled(page, `Name ${index + 1} of ${list}`).fill(name);
    await labelled(page, `Value ${index + 1} of ${list}`).fill(value);
  }
};
const child = async (page: Page, index: number, name: string) => {
  await page.getByRole("button", { name: "Add a backend" }).click();
  const section = page.getByRole("region", { name: `Backend ${index}`, exact: true });
  await choose(section, "Which backend", name);
};
/** The ids of what the demo has, by its descriptions. */
const ids = new Map<unknown, string>();
const idOf = (description: string) => ids.get(description) ?? "";
const reference = (description: string) => expect.objectContaining({ id: idOf(description) });

let caPem: string;
let pair: { readonly certificatePem: string; readonly privateKeyPem: string };

const CASES: readonly FormCase[] = [
  {
    singular: "static backend",
    path: "/backends/static",
    fill: async (page) => {
      await labelled(page, "Address").fill("10.1.2.3:8443");
      await page.getByLabel("Set TLS").press("Space");
      await page.getByRole("switch", { name: "Enabled" }).press("Space");
      await labelled(page, "Metadata").fill('{"rack": 4}');
    },
    stored: () => ({ address: "10.1.2.3:8443", tls: { enabled: true }, metadata: '{"rack": 4}' }),
    change: {
      fill: (page) => labelled(page, "Metadata").fill(""),
      sent: () => ({ metadata: null }),
    },
  },
  {
    singular: "HTTP response backend",
    path: "/backends/http_response",
    fill: async (page) => {
      await labelled(page, "Status code").fill("418");
      await labelled(page, "Body").fill("Short\nand stout");
      await named(page, "Headers", [
        ["content-type", "text/plain"],
        ["x-empty", ""],
      ]);
    },
    stored: () => ({
      status_code: 418,
      body: "Short\nand stout",
      headers: { "content-type": "text/plain", "x-empty": "" },
    }),
    change: {
      fill: (page) => page.getByRole("button", { name: "Remove 2 of Headers" }).click(),
      sent: () => ({ headers: [{ name: "content-type", value: "text/plain" }] }),
    },
  },
  {
    singular: "tunnel group backend",
    path: "/backends/tunnel_group",
    fill: (page) => named(page, "Labels", [["app", "shop"]]),
    stored: () => ({ labels: { app: "shop" } }),
  },
  {
    singular: "failover backend",
    path: "/backends/failover",
    fill: async (page) => {
      await child(page, 1, "Checkout");
      await child(page, 2, "Wiki");
      await page.getByRole("button", { name: "Move backend 2 up" }).click();
    },
    stored: () => ({ backends: [idOf("Wiki"), idOf("Checkout")] }),
    change: {
      fill: (page) => page.getByRole("button", { name: "Remove backend 1" }).click(),
      sent: () => ({ backends: [{ id: idOf("Checkout") }] }),
    },
  },
  {
    singular: "weighted backend",
    path: "/backends/weighted",
    fill: async (page) => {
      await child(page, 1, "Checkout");
      await labelled(page, "Weight").fill("30");
    },
    stored: () => ({ backends: { [idOf("Checkout")]: 30 } }),
    change: {
      fill: (page) => labelled(page, "Weight").fill("70"),
      sent: () => ({ backends: [{ backend: { id: idOf("Checkout") }, weight: 70 }] }),
    },
  },
  { singular: "IP policy", path: "/ip_policies", fill: async () => {}, stored: () => ({}) },
  {
    singular: "IP restriction",
    path: "/ip_restrictions",
    fill: async (page) => {
      await pick(page, "Type", "API");
      await choose(page, "IP policies", "Office in Oslo");
      await page.keyboard.press("Escape");
    },
    stored: () => ({ type: "api", enforced: false, ip_policies: [reference("Office in Oslo")] }),
    change: {
      fill: (page) => page.getByRole("switch", { name: "Enforced" }).press("Space"),
      sent: () => ({ enforced: true }),
    },
  },
  {
    singular: "certificate authority",
    path: "/certificate_authorities",
    fill: (page) => labelled(page, "CA PEM").fill(caPem),
    stored: () => ({ subject_common_name: "Clients of Example" }),
  },
  {
    singular: "TLS certificate",
    path: "/tls_certificates",
    fill: async (page) => {
      await labelled(page, "Certificate PEM").fill(pair.certificatePem);
      await labelled(page, "Private key PEM").fill(pair.privateKeyPem);
    },
    stored: () => ({ subject_common_name: expect.any(String) }),
  },
  {
    singular: "reserved address",
    path: "/reserved_addrs",
    fill: (page) => pick(page, "Region", "EU"),
    stored: () => ({ region: "eu", addr: expect.any(String) }),
  },
  {
    singular: "reserved domain",
    path: "/reserved_domains",
    fill: async (page) => {
      await labelled(page, "Domain").fill("typed.example.com");
      await labelled(page, "Error redirect URL").fill("https://example.com/errors");
      await page.getByLabel("Set Certificate management policy").press("Space");
      await pick(page, "Private key type", "ECDSA");
    },
    stored: () => ({
      domain: "typed.example.com",
      error_redirect_url: "https://example.com/errors",
      certificate_management_policy: { authority: "letsencrypt", private_key_type: "ecdsa" },
    }),
    change: {
      fill: (page) => page.getByLabel("Set Certificate management policy").press("Space"),
      sent: () => ({ certificateManagementPolicy: null }),
    },
  },
  {
    singular: "endpoint configuration",
    path: "/endpoint_configurations",
    fill: async (page) => {
      await pick(page, "Type", "HTTP");
      await page.getByRole("button", { name: "Add Compression" }).click();
      await page.getByRole("button", { name: "Add Circuit breaker" }).click();
      await labelled(page, "Error threshold percentage").pressSequentially("0.05");
    },
    stored: () => ({
      type: "http",
      compression: { enabled: true },
      circuit_breaker: expect.objectContaining({ error_threshold_percentage: 0.05 }),
    }),
    change: {
      fill: (page) => page.getByLabel("Compression is enabled").press("Space"),
      sent: () => ({ compression: { enabled: false } }),
    },
  },
  {
    singular: "agent ingress",
    path: "/agent_ingresses",
    fill: (page) => labelled(page, "Domain").fill("agents.typed.example.com"),
    stored: () => ({ domain: "agents.typed.example.com" }),
  },
  {
    singular: "SSH certificate authority",
    path: "/ssh_certificate_authorities",
    fill: async (page) => {
      await pick(page, "Private key type", "ECDSA");
      await pick(page, "Elliptic curve", "P384");
    },
    stored: () => ({
      key_type: "ecdsa",
      public_key: expect.stringContaining("ecdsa-sha2-nistp384"),
    }),
  },
  {
    singular: "SSH credential",
    path: "/ssh_credentials",
    fill: async (page) => {
      await labelled(page, "Public key").fill(PUBLIC_KEY);
      await addTag(page, "ACL", "bind:typed.example.com");
    },
    stored: () => ({
      acl: ["bind:typed.example.com"],
      public_key: expect.stringContaining("ssh-ed25519"),
    }),
  },
  {
    singular: "TLS edge",
    path: "/edges/tls",
    fill: async (page) => {
      await addTag(page, "Hostports", "typed.example.com:443");
      await page.getByRole("button", { name: "Add Backend" }).click();
      await choose(page, "Which backend", "Checkout");
    },
    stored: () => ({
      hostports: ["typed.example.com:443"],
      backend: { enabled: true, backend: reference("Checkout") },
    }),
    change: {
      fill: (page) => page.getByRole("button", { name: "Remove Backend" }).click(),
      sent: () => ({ backend: null }),
    },
  },
  {
    singular: "TCP edge",
    path: "/edges/tcp",
    fill: (page) => addTag(page, "Hostports", "1.tcp.example.com:20001"),
    stored: () => ({ hostports: ["1.tcp.example.com:20001"], backend: null }),
  },
];

describe.runIf(chromiumIsInstalled("the forms of the dashboard"))("a form", () => {
  vi.setConfig({ testTimeout: PATIENCE_MS });
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser, caPem, pair] = await Promise.all([
      startServer(),
      startChromium(),
      authorityPem(),
      serverPair(),
    ]);
    await fillWithDemo(server);
    const { ipPolicies, staticBackends } = await graphql(
      server,
      "{ ipPolicies { nodes { id description } } staticBackends { nodes { id description } } }",
    );
    for (const { id, description } of [...ipPolicies.nodes, ...staticBackends.nodes]) {
      ids.set(description, id);
    }
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const read = async (path: string): Promise<Fields> => (await rest(server, "GET", path)).body;

  it.each(CASES)("creates and changes: $singular", async ({ singular, path, ...form }) => {
    await onDashboard(browser, server, `${path}/new`, async (page) => {
      await form.fill(page);
      await labelled(page, "Description").fill("Typed by hand");
      await page.getByRole("button", { name: `Create ${singular}` }).click();
      await page.waitForURL(new RegExp(`/dashboard${path}/[a-z]+_\\w{27}$`));
      const id = page.url().split("/").at(-1) ?? "";
      expect(await read(`${path}/${id}`)).toMatchObject({
        description: "Typed by hand",
        ...form.stored(),
      });
      await page.getByRole("heading", { name: "Typed by hand" }).waitFor();

      const { fill, sent } = form.change ?? {
        fill: (page: Page) => labelled(page, "Description").fill(""),
        sent: () => ({ description: null }),
      };
      const saving = page.waitForRequest((request) => isSaving(request));
      await fill(page);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const { variables } = (await saving).postDataJSON();
      expect(variables).toEqual({ id, input: sent(), expectedVersion: 1, dryRun: false });
      await page.getByText("Saved as version 2.").waitFor();
      await page.getByRole("button", { name: "Save", exact: true, disabled: true }).waitFor();
      expect(await page.getByText("Version 2, changed").count()).toBe(1);
    });
  });

  it("forgets the private key of a TLS certificate once it is saved", async () => {
    await onDashboard(browser, server, "/tls_certificates/new", async (page) => {
      await labelled(page, "Certificate PEM").fill(pair.certificatePem);
      await labelled(page, "Private key PEM").fill(pair.privateKeyPem);
      const secret = pair.privateKeyPem.split("\n")[2] ?? "";
      expect(secret.length).toBeGreaterThan(40);
      expect((await heapOf(page)).includes(secret)).toBe(true);
      await page.getByRole("button", { name: "Create TLS certificate" }).click();
      await page.waitForURL(/\/tls_certificates\/cert_/);
      await page.getByText("Version 1, changed").waitFor();
      expect(await page.getByLabel(/private key/i).count()).toBe(0);
      expect(await page.content()).not.toContain("PRIVATE KEY");
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await expect.poll(async () => (await heapOf(page)).includes(secret), SLOWLY).toBe(false);
    });
  });

  it("shows the token of a new key once, and never again", async () => {
    await onDashboard(browser, server, "/api_keys/new", async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await labelled(page, "Description").fill("Typed key");
      await page.keyboard.press("Enter");
      const shown = page.getByRole("alert").filter({ hasText: "This is the token" });
      await shown.getByRole("button", { name: "Copy the token" }).click();
      const token = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(await shown.innerText()).toContain(token);
      expect((await rest({ ...server, writeKey: token }, "GET", "/api_keys")).status).toBe(200);
      await expectNoViolations(page);

      await page.getByRole("link", { name: "Overview" }).click();
      const question = page.getByRole("dialog", { name: "Leave this page?" });
      await question.getByText("The token is not shown again.").waitFor();
      await question.getByRole("button", { name: "Stay here" }).click();
      await page.getByRole("link", { name: "I have kept it" }).click();
      await page.waitForURL(/\/api_keys\/ak_/);
      await page.getByRole("heading", { name: "Typed key" }).waitFor();
      expect(await page.content()).not.toContain(token);
      await expect.poll(async () => (await heapOf(page)).includes(token), SLOWLY).toBe(false);

      const made = await rest({ ...server, writeKey: token }, "POST", "/ip_policies", {
        description: "Made with the typed key",
      });
      expect(made.status).toBe(201);
      await page.getByRole("link", { name: "what was changed with this key" }).click();
      await page.getByRole("cell", { name: "IP policy Made with the typed key" }).waitFor();
      expect(await page.getByRole("row").count()).toBe(2);
    });
  });

  it("has the server's messages at their fields, the first of them focused", async () => {
    await onDashboard(browser, server, "/backends/failover/new", async (page) => {
      await page.getByRole("button", { name: "Add a backend" }).click();
      const section = page.getByRole("region", { name: "Backend 1", exact: true });
      await pick(section, "Backend", "New HTTP response backend");
      await labelled(section, "Status code").fill("999");
      await labelled(page, "Description").fill("x".repeat(256));
      const status = labelled(section, "Status code");
      await expect.poll(() => status.getAttribute("aria-invalid")).toBe("true");
      await expectNoViolations(page);
      await page.getByRole("button", { name: "Create failover backend" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "This was not saved" });
      await alert.getByText(/operation/).waitFor();
      await expect.poll(() => isFocused(status)).toBe(true);
      const invalid = page.locator("[aria-invalid=true]");
      expect(await invalid.count()).toBe(2);
      await status.fill("200");
      await labelled(page, "Description").fill("Right");
      await page.getByText("Would be created: HTTP response backend").waitFor();
      expect(await invalid.count()).toBe(0);
    });
  });

  it("keeps what it says of a refusal until somebody types on", async () => {
    await onDashboard(browser, server, "/tls_certificates/new", async (page) => {
      await page.clock.install();
      const checks = watchChecks(page);
      await labelled(page, "Description").fill("Without a certificate");
      await page.keyboard.press("Enter");
      const refusal = page.getByRole("alert").filter({ hasText: "This was not saved" });
      await refusal.waitFor();
      await page.clock.fastForward(5_000);
      expect(checks()).toBe(0);
      await expect.poll(() => isFocused(labelled(page, "Certificate PEM"))).toBe(true);
      expect(await page.locator("[aria-invalid=true]").count()).toBe(2);
      await labelled(page, "Description").fill("Still without one");
      await page.clock.fastForward(5_000);
      await refusal.waitFor({ state: "detached" });
      expect(checks()).toBe(1);
    });
  });

  it("says nothing of changes that were discarded", async () => {
    await onDashboard(browser, server, `/backends/static/${idOf("Wiki")}`, async (page) => {
      await labelled(page, "Metadata").waitFor();
      await page.clock.install();
      const checks = watchChecks(page);
      await labelled(page, "Metadata").fill("Discarded");
      await page.getByRole("button", { name: "Discard changes" }).click();
      await page.clock.fastForward(5_000);
      expect(checks()).toBe(0);
      await labelled(page, "Metadata").fill("Kept");
      await page.clock.fastForward(5_000);
      await page.getByRole("region", { name: "What saving would do" }).waitFor();
      expect(checks()).toBe(1);
    });
  });

  it("says at its top what is about no field, and is there", async () => {
    const tooLarge = /status of 413/;
    const steps = async (page: Page) => {
      await labelled(page, "Metadata").fill("x".repeat(300_000));
      await page.getByRole("button", { name: "Create IP policy" }).click();
      const refusal = page.getByRole("alert").filter({ hasText: "This was not saved" });
      await refusal.getByText(/BODY_TOO_LARGE, operation op_/).waitFor();
      await expect.poll(() => isFocused(refusal.locator(".."))).toBe(true);
      const form = page.locator("form[novalidate]");
      const [first, whole] = [await refusal.boundingBox(), await form.boundingBox()];
      expect(first?.y).toBe(whole?.y);
    };
    await onDashboard(browser, server, "/ip_policies/new", steps, { allowed: tooLarge });
  });

  it("opens the settings in which something is wrong, and goes there", async () => {
    await onDashboard(browser, server, "/endpoint_configurations/new", async (page) => {
      await pick(page, "Type", "HTTP");
      await page.getByRole("button", { name: "Add Circuit breaker" }).click();
      const share = labelled(page, "Error threshold percentage");
      await share.fill("7");
      await page.getByRole("button", { name: "Settings of Circuit breaker" }).click();
      await share.waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Create endpoint configuration" }).click();
      await expect.poll(() => isFocused(share)).toBe(true);
    });
  });

  it("keeps the focus of somebody who adds, moves and removes by the keyboard", async () => {
    const press = async (page: Page, name: string) => {
      await page.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    const lands = (on: Locator) => expect.poll(() => isFocused(on)).toBe(true);
    await onDashboard(browser, server, "/backends/failover/new", async (page) => {
      const backend = (place: number) => page.getByRole("region", { name: `Backend ${place}` });
      await press(page, "Add a backend");
      await lands(backend(1));
      await press(page, "Add a backend");
      await lands(backend(2));
      await press(page, "Move backend 2 up");
      await lands(backend(1));
      await press(page, "Remove backend 1");
      await lands(page.getByRole("button", { name: "Add a backend" }));
    });
    await onDashboard(browser, server, "/backends/tunnel_group/new", async (page) => {
      await press(page, "Add to Labels");
      await lands(labelled(page, "Name 1 of Labels"));
      await press(page, "Remove 1 of Labels");
      await lands(page.getByRole("button", { name: "Add to Labels" }));
    });
    await onDashboard(browser, server, "/edges/https/new", async (page) => {
      await press(page, "Add a route");
      const route = page.getByRole("region", { name: "Route 1" });
      await lands(route);
      await press(page, "Add Compression");
      await lands(route.getByRole("switch", { name: "Compression is enabled" }));
      await press(page, "Remove Compression");
      await lands(route.getByRole("button", { name: "Add Compression" }));
      await press(page, "Remove route 1");
      await lands(page.getByRole("button", { name: "Add a route" }));
    });
  });

  it("asks before what was typed is lost, and only then", async () => {
    await onDashboard(browser, server, "/ip_policies", async (page) => {
      const question = page.getByRole("dialog", { name: "Leave this page?" });
      const begin = () => page.getByRole("link", { name: "New IP policy" }).click();
      await begin();
      await page.getByRole("link", { name: "Cancel" }).click();
      await begin();
      await labelled(page, "Description").fill("Half a");
      await page.getByRole("link", { name: "Cancel" }).click();
      await question.waitFor();
      await expectNoViolations(page);
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      expect(await labelled(page, "Description").inputValue()).toBe("Half a");
      await page.goBack();
      await question.getByRole("button", { name: "Leave it" }).click();
      await page.waitForURL(dashboardUrl(server, "/ip_policies"));
    });
  });

  it("asks before the tab is closed or read anew with something typed in it", async () => {
    await onDashboard(browser, server, "/ip_policies/new", async (page) => {
      const asked: string[] = [];
      page.on("dialog", (dialog) => {
        asked.push(dialog.type());
        return dialog.accept();
      });
      await labelled(page, "Description").fill("Half a");
      await page.reload();
      expect(asked).toEqual(["beforeunload"]);
      await labelled(page, "Description").waitFor();
      await page.reload();
      expect(asked).toEqual(["beforeunload"]);
    });
  });
});

function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((each) => each === each.ownerDocument.activeElement);
}

/** How often the page has asked since what saving would do. */
function watchChecks(page: Page): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (isMutation(request, true)) count += 1;
  });
  return () => count;
}

/** Whether a request saves something, and does not only ask what saving would do. */
function isSaving(request: Request): boolean {
  return isMutation(request, false);
}

function isMutation(request: Request, dryRun: boolean): boolean {
  if (!request.url().endsWith("/graphql") || request.method() !== "POST") return false;
  const { query, variables } = request.postDataJSON();
  return query.startsWith("mutation") && (variables.dryRun ?? false) === dryRun;
}
