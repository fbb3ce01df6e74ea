import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  CRITICAL_OPTIONS,
  DEFAULT_EXTENSIONS,
  EXTENSIONS,
} from "../../dashboard/src/ssh/named-options.js";
import { schema } from "../../src/schema/index.js";
import { expectNoViolations } from "../harness/axe.js";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { addTag, labelled, onDashboard } from "../harness/dashboard.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";

const run = promisify(execFile);
const DAY_MS = 86_400_000;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

describe.runIf(chromiumIsInstalled("SSH in the dashboard"))("SSH in the dashboard", () => {
  let server: TestServer;
  let browser: Browser;
  let folder: string;
  let publicKey: string;
  let authority: Fields;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "edgeplane-ssh-"));
    const keyFile = path.join(folder, "id_ed25519");
    [server, browser] = await Promise.all([
      startServer(),
      startChromium(),
      run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "me@desk", "-f", keyFile]),
    ]);
    publicKey = (await readFile(`${keyFile}.pub`, "utf8")).trim();
    authority = (
      await rest(server, "POST", "/ssh_certificate_authorities", { description: "Bastion" })
    ).body;
  }, 120_000);
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** What ssh-keygen says of the certificate that the page lets somebody download. */
  async function downloaded(page: Page, name: string): Promise<string> {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: `Download ${name}` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    const file = path.join(folder, name);
    await download.saveAs(file);
    const { stdout } = await run("ssh-keygen", ["-L", "-f", file], { env: { TZ: "UTC" } });
    return stdout;
  }

  it("tells servers and clients how to trust an authority, and issues with it", async () => {
    await onDashboard(
      browser,
      server,
      `/ssh_certificate_authorities/${authority.id}`,
      async (page) => {
        await page.getByText("TrustedUserCAKeys /etc/ssh/edgeplane_ca.pub").waitFor();
        const text = await page.locator("main").innerText();
        expect(text).toContain(`@cert-authority *.example.com ${authority.public_key}`);
        expect(text).toContain(
          `${server.url}/ssh_certificate_authorities/${authority.id}/revocation_list`,
        );
        await expectNoViolations(page);
        await page.emulateMedia({ colorScheme: "dark" });
        await expectNoViolations(page);
        await page.getByRole("link", { name: "Issue a host certificate" }).click();
        await page.getByRole("heading", { name: "New SSH host certificate" }).waitFor();
        await labelled(page, "Public key").fill(publicKey);
        await addTag(page, "Principals", "bastion.example.com");
        await page.getByText("90 days").click();
        await button(page, "Create SSH host certificate").click();
        await page.getByText("HostCertificate /etc/ssh/").waitFor();
        const said = await downloaded(page, "ssh_host_ed25519_key-cert.pub");
        expect(said).toContain("host certificate");
        expect(said).toContain("bastion.example.com");
      },
    );
  });

  it("issues a user certificate with what was typed, which ssh-keygen reads from the download", async () => {
    const at = `/ssh_user_certificates/new?sshCertificateAuthorityId=${authority.id}`;
    await onDashboard(browser, server, at, async (page) => {
      await page
        .locator("input[type=file]")
        .first()
        .setInputFiles({
          name: "id_ed25519.pub",
          mimeType: "text/plain",
          buffer: Buffer.from("ssh-ed25519 nonsense"),
        });
      await addTag(page, "Principals", "ingrid");
      await addTag(page, "Principals", "deploy");
      await page.getByText("7 days", { exact: true }).click();
      await labelled(page, "source-address").fill("not an address");
      await button(page, "Create SSH user certificate").click();
      await page.getByRole("alert").filter({ hasText: "This was not saved" }).waitFor();
      const wrong = await page.locator('[aria-invalid="true"]').all();
      expect(await Promise.all(wrong.map((field) => field.inputValue()))).toEqual([
        "ssh-ed25519 nonsense",
        "not an address",
      ]);
      await expectNoViolations(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectNoViolations(page);

      await labelled(page, "Public key").fill(publicKey);
      await labelled(page, "source-address").fill("192.0.2.0/24");
      await labelled(page, "force-command").fill("/bin/true");
      await page.getByLabel("permit-user-rc").press("Space");
      await page.getByLabel("permit-agent-forwarding").press("Space");
      await addTag(page, "Other permissions", "role@example.com=operator");
      const issuedAt = Date.now();
      await button(page, "Create SSH user certificate").click();
      await page.waitForURL(/\/sucrt_/);
      const said = await downloaded(page, "id_ed25519-cert.pub");
      const { body } = await rest(
        server,
        "GET",
        `/ssh_user_certificates/${page.url().split("/").at(-1)}`,
      );
      expect(body).toMatchObject({
        principals: ["ingrid", "deploy"],
        critical_options: { "source-address": "192.0.2.0/24", "force-command": "/bin/true" },
        extensions: {
          "permit-pty": "",
          "permit-agent-forwarding": "",
          "role@example.com": "operator",
        },
        ssh_certificate_authority_id: authority.id,
      });
      const until = Date.parse(body.valid_until);
      expect(Math.abs(until - issuedAt - 7 * DAY_MS)).toBeLessThan(2 * PATIENCE_MS);
      expect(said).toContain(`Key ID: "${body.id}"`);
      expect(said.replace(/\s+/g, " ")).toMatch(
        /Principals: ingrid deploy Critical Options: force-command \/bin\/true source-address 192.0.2.0\/24 Extensions: permit-agent-forwarding permit-pty/,
      );
      expect(said).not.toContain("permit-user-rc");
      expect(said).toContain(`to ${body.valid_until.replace("Z", "")}`);
      await expectNoViolations(page);
    });
  });

  it("warns before a certificate that OpenSSH takes for nobody is used", async () => {
    const at = `/ssh_user_certificates/new?sshCertificateAuthorityId=${authority.id}`;
    await onDashboard(browser, server, at, async (page) => {
      await labelled(page, "Public key").fill(publicKey);
      await page.getByText("Custom", { exact: true }).click();
      await labelled(page, "Valid after").fill("2026-01-01T00:00:00");
      await labelled(page, "Valid until").fill("2020-01-01T00:00:00");
      await button(page, "Create SSH user certificate").click();
      await page.getByRole("alert").filter({ hasText: "This was not saved" }).waitFor();
      expect(await labelled(page, "Valid until").getAttribute("aria-invalid")).toBe("true");
      await page.getByText("1 hour", { exact: true }).click();
      await button(page, "Create SSH user certificate").click();
      await page.getByText("Before you use it").waitFor();
      await expectNoViolations(page);
    });
  });

  it("knows the options that the server takes", () => {
    const input = schema.getType("CreateSshUserCertificateInput");
    if (!input || !("getFields" in input)) throw new Error("The schema has no such input.");
    const named = (field: string) =>
      [...(input.getFields()[field]?.description ?? "").matchAll(/`([a-zA-Z0-9-]+)`/g)].map(
        ([, name]) => name,
      );
    expect([...new Set(named("extensions"))].sort()).toEqual([...EXTENSIONS].sort());
    expect(named("extensions").slice(-2)).toEqual(DEFAULT_EXTENSIONS);
    expect(named("criticalOptions").sort()).toEqual([...CRITICAL_OPTIONS].sort());
  });

  it("lets a key that may only read see certificates and not issue them", async () => {
    const { body } = await rest(server, "POST", "/ssh_user_certificates", {
      ssh_certificate_authority_id: authority.id,
      public_key: publicKey,
      principals: ["reader"],
    });
    await onDashboard(
      browser,
      server,
      `/ssh_certificate_authorities/${authority.id}`,
      async (page) => {
        await region(page, "User certificates").getByText("reader").first().waitFor();
        expect(await page.getByRole("link", { name: /^Issue/ }).count()).toBe(0);
        await page.getByRole("link", { name: "reader" }).click();
        expect(await downloaded(page, "id_ed25519-cert.pub")).toContain(body.id);
        expect(await button(page, "Delete").or(button(page, "Save")).count()).toBe(0);
        await expectNoViolations(page);
      },
      { key: server.readKey },
    );
  });
});
