import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoViolations } from "../harness/axe.js";
import { chromiumIsInstalled, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { dashboardUrl, labelled, onDashboard } from "../harness/dashboard.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";

// Two people at the same resource, and what keeps a resource from being deleted.

describe.runIf(chromiumIsInstalled("conflicts in the dashboard"))("the dashboard", () => {
  vi.setConfig({ testTimeout: PATIENCE_MS });
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), startChromium()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const send = async (method: string, path: string, body?: unknown): Promise<Fields> => {
    const answer = await rest(server, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const BACKENDS = "/backends/static";
  const newBackend = async (description: string): Promise<string> => {
    const { id } = await send("POST", BACKENDS, { address: "10.0.0.1:80", description });
    return `${BACKENDS}/${id}`;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const conflict = (page: Page) =>
    page.getByRole("alert").filter({ hasText: "Somebody else saved version 2" });

  /** Saves a metadata of ours while the description is somebody else's, and waits for both versions. */
  const collide = async (page: Page, path: string): Promise<void> => {
    // Both are saved before the page can hear of the other: it is saved as if it were still the first version.
    await labelled(page, "Metadata").fill("mine");
    await send("PATCH", path, { description: "Theirs", metadata: "theirs" });
    await page.getByText("Version 2 was saved meanwhile").waitFor();
    await button(page, "Save").click();
    await conflict(page).waitFor();
  };

  it("shows both versions of what two people changed, and takes theirs", async () => {
    const path = await newBackend("Base");
    await onDashboard(browser, server, path, async (page) => {
      await collide(page, path);
      const rows = await conflict(page).getByRole("row").allTextContents();
      expect(rows.slice(1).sort()).toEqual([
        expect.stringMatching(
          /^Description"?Base"? \(not changed by you: theirs is kept\)"?Theirs"?$/,
        ),
        expect.stringMatching(/^Metadata"?mine"?"?theirs"?$/),
      ]);
      await expectNoViolations(page);
      await button(page, "Take theirs").click();
      await conflict(page).waitFor({ state: "detached" });
      expect(await labelled(page, "Metadata").inputValue()).toBe("theirs");
      expect(await labelled(page, "Description").inputValue()).toBe("Theirs");
      expect(await send("GET", path)).toMatchObject({ description: "Theirs", metadata: "theirs" });
    });
  });

  it("keeps one's own changes, and what only the other person has changed", async () => {
    const path = await newBackend("Base");
    await onDashboard(browser, server, path, async (page) => {
      await collide(page, path);
      await button(page, "Keep your changes").click();
      await conflict(page).waitFor({ state: "detached" });
      await button(page, "Save").click();
      await page.getByText("Saved as version 3.").waitFor();
      expect(await send("GET", path)).toMatchObject({ description: "Theirs", metadata: "mine" });
    });
  });

  it("fills a form in which nobody has typed with what others save", async () => {
    const path = await newBackend("Base");
    await onDashboard(browser, server, path, async (page) => {
      await labelled(page, "Metadata").waitFor();
      await send("PATCH", path, { metadata: "theirs", tls: { enabled: true } });
      await expect.poll(() => labelled(page, "Metadata").inputValue()).toBe("theirs");
      expect(await page.getByLabel("Set TLS").isChecked()).toBe(true);
      await labelled(page, "Metadata").fill("mine");
      await page.getByLabel("Set TLS").press("Space");
      await button(page, "Discard changes").click();
      expect(await labelled(page, "Metadata").inputValue()).toBe("theirs");
      expect(await page.getByLabel("Set TLS").isChecked()).toBe(true);
      await button(page, "Discard changes").waitFor({ state: "detached" });
    });
  });

  it("forgets with the changes also what only they had", async () => {
    const { id } = await send("POST", "/edges/tcp", { description: "Plain" });
    await onDashboard(browser, server, `/edges/tcp/${id}`, async (page) => {
      await button(page, "Add Traffic policy").click();
      await button(page, "Remove Traffic policy").waitFor();
      await button(page, "Discard changes").click();
      await button(page, "Add Traffic policy").waitFor();
      await button(page, "Discard changes").waitFor({ state: "detached" });
    });
  });

  it("says that a resource was deleted while its form was open", async () => {
    const path = await newBackend("Soon gone");
    await onDashboard(browser, server, path, async (page) => {
      await labelled(page, "Metadata").fill("mine");
      await send("DELETE", path);
      await page.getByRole("heading", { name: /^There is no static backend/ }).waitFor();
    });
  });

  it("deletes by the keyboard alone, after it was asked for", async () => {
    const path = await newBackend("To be deleted");
    await onDashboard(browser, server, path, async (page) => {
      await button(page, "Delete").focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "Delete the static backend To be deleted?" });
      await dialog.getByText("Would be deleted: static backend To be deleted").waitFor();
      await expectNoViolations(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectNoViolations(page);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await dialog.getByText("Would be deleted").waitFor();
      for (let step = 0; step < 5; step++) {
        const focused = await page.evaluate("document.activeElement.textContent");
        if (focused === "Delete") break;
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await page.waitForURL(dashboardUrl(server, BACKENDS));
      expect((await rest(server, "GET", path)).status).toBe(404);
    });
  });

  it("names and links who prevents that a resource is deleted, until they do without it", async () => {
    const path = await newBackend("In use");
    const id = path.split("/").at(-1) ?? "";
    const edge = await send("POST", "/edges/https", { hostports: ["used.example.com:443"] });
    const route = await send("POST", `/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: "/used",
      description: "The user",
      backend: { backend_id: id },
    });
    await onDashboard(browser, server, path, async (page) => {
      await page.getByRole("heading", { name: "In use" }).waitFor();
      await button(page, "Delete").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("alert").filter({ hasText: "This cannot be deleted" }).waitFor();
      await dialog.getByText("IN_USE").waitFor();
      expect(await dialog.getByRole("button", { name: "Delete", exact: true }).isDisabled()).toBe(
        true,
      );
      await expectNoViolations(page);
      await dialog.getByRole("link", { name: "The user" }).first().click();
      await page.waitForURL(dashboardUrl(server, `/edges/https/routes/${route.id}`));
      await send("DELETE", `/edges/https/${edge.id}/routes/${route.id}`);
      await page.goto(dashboardUrl(server, path));
      await page.getByRole("heading", { name: "In use" }).waitFor();
      await button(page, "Delete").click();
      await dialog.getByText("Would be deleted").waitFor();
      await dialog.getByRole("button", { name: "Delete", exact: true }).click();
      await page.waitForURL(dashboardUrl(server, BACKENDS));
    });
  });

  it("links the certificates that keep an SSH certificate authority", async () => {
    const { id } = await send("POST", "/ssh_certificate_authorities", { description: "Signs" });
    const certificate = await send("POST", "/ssh_user_certificates", {
      ssh_certificate_authority_id: id,
      public_key:
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
    });
    await onDashboard(browser, server, `/ssh_certificate_authorities/${id}`, async (page) => {
      await page.getByRole("heading", { name: "Signs", level: 1 }).waitFor();
      await button(page, "Delete").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("link", { name: certificate.id }).click();
      await page.waitForURL(dashboardUrl(server, `/ssh_user_certificates/${certificate.id}`));
    });
  });
});
