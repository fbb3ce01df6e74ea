import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { belowPath } from "./harness/path-proxy.js";
import { startServer, type TestServer } from "./harness/server.js";
import { graphql } from "./harness/transports.js";

// What the server answers for the dashboard; test/long has what it does in a browser.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** The URLs that a page loads, as the browser resolves them. */
async function filesOf(url: string): Promise<string[]> {
  const response = await fetch(url);
  const html = await response.text();
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)];
  return links.map(([, link = ""]) => new URL(link, response.url).href);
}

describe("GET /dashboard", () => {
  it("is a page without a key, which no cache keeps and which loads nothing from elsewhere", async () => {
    const response = await fetch(`${server.url}/dashboard`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    const html = await response.text();
    expect(html).not.toMatch(/<script>|<style|style=|(src|href)="(https?:)?\/\//);
  });

  it.each(["/dashboard", "/dashboard/", "/dashboard/edges/https", "/dashboard/edges/https/x/y"])(
    "has the same files at %s, which caches keep",
    async (path) => {
      const files = await filesOf(server.url + path);
      expect(files.length).toBeGreaterThanOrEqual(3);
      for (const file of files) {
        expect(file).toMatch(`${server.url}/dashboard/assets/`);
        const response = await fetch(file);
        expect([response.status, file]).toEqual([200, file]);
        expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        expect(response.headers.get("x-content-type-options")).toBe("nosniff");
        await response.arrayBuffer();
      }
    },
  );

  it("finds its files below the path of a proxy", async () => {
    await belowPath(server.url, async (url) => {
      for (const path of ["/dashboard", "/dashboard/backends/static"]) {
        for (const file of await filesOf(url + path)) {
          expect([(await fetch(file)).status, file]).toEqual([200, file]);
        }
      }
    });
  });

  it("answers HEAD without a body, and has no file that was not built", async () => {
    const head = await fetch(`${server.url}/dashboard`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    for (const name of ["no.js", "..%2findex.html", "%2e%2e/index.html", ""]) {
      const response = await fetch(`${server.url}/dashboard/assets/${name}`);
      expect([name, response.status, response.headers.get("cache-control")]).toEqual([
        name,
        name.startsWith("%2e") ? 200 : 404,
        "no-store",
      ]);
    }
  });

  it("is for reading alone, and only below its own path", async () => {
    for (const [method, path] of [
      ["POST", "/dashboard"],
      ["DELETE", "/dashboard/edges/https/x"],
      ["GET", "/dashboards"],
    ] as const) {
      const response = await fetch(server.url + path, {
        method,
        headers: { Authorization: `Bearer ${server.writeKey}`, "Service-Version": "2" },
      });
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get("content-type")).toBe("application/json");
    }
  });

  it("is not there where it is switched off", async () => {
    const other = await startServer({ dashboard: false });
    try {
      const response = await fetch(`${other.url}/dashboard`, { headers: { Accept: "text/html" } });
      expect(response.headers.get("content-type")).toBe("application/json");
      expect([401, 404]).toContain(response.status);
    } finally {
      await other.stop();
    }
  });
});

describe("self", () => {
  it("says whose key it is and what it may do", async () => {
    const query = "{ self { scope apiKey { id scope token } } }";
    const { self } = await graphql(server, query);
    expect(self).toEqual({
      scope: "WRITE",
      apiKey: { id: expect.stringMatching(/^ak_/), scope: "WRITE", token: null },
    });
    const reader = await graphql(server, query, {}, server.readKey);
    expect(reader.self.scope).toBe("READ");
    expect(reader.self.apiKey.id).not.toBe(self.apiKey.id);
  });

  it("has no resource for the key of the configuration", async () => {
    const other = await startServer({ bootstrapKey: "key-of-the-configuration" });
    try {
      const { self } = await graphql(
        other,
        "{ self { scope apiKey { id } } }",
        {},
        "key-of-the-configuration",
      );
      expect(self).toEqual({ scope: "WRITE", apiKey: null });
    } finally {
      await other.stop();
    }
  });
});
