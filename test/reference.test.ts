import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawAnswer } from "./harness/raw-answers.js";
import { startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const open = (init: RequestInit = {}) => fetch(`${server.url}/docs`, init);

/** The page's own URLs, as they stand in its HTML. */
async function assetUrls(): Promise<string[]> {
  const html = await (await open()).text();
  return [...html.matchAll(/docs\/assets\/[^"]+/g)].map(([url]) => url);
}

describe("GET /docs", () => {
  it("is a page that no cache keeps and no other site frames", async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self'",
    ]);
  });

  it.each([
    ["who has no key", {}],
    ["who has one", { Authorization: "Bearer wrong", "Service-Version": "1" }],
    ["who asks for JSON", { Accept: "application/json" }],
    ["a browser", { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }],
  ])("is the same for %s", async (_, headers) => {
    const response = await open({ headers });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await (await open()).text());
  });

  it("names only what is below it, without scripts and styles of its own", async () => {
    const html = await (await open()).text();
    const urls = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    expect(urls.filter((url) => !/^(docs\/assets\/[^/]+|openapi\.json)$/.test(url ?? ""))).toEqual(
      [],
    );
    expect(html).not.toMatch(/<style|style=|<script(?! src=")/);
  });

  it("has its headers without its body for HEAD, and refuses other methods", async () => {
    const head = await open({ method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const refused = await open({ method });
      expect([method, refused.status, refused.headers.get("allow")]).toEqual([method, 405, "GET"]);
      expect((await refused.json()).error_code).toBe("ERR_METHOD_NOT_ALLOWED");
    }
  });

  it("is at no other path", async () => {
    for (const path of ["/docs/", "/docs/index.html", "/Docs"]) {
      const { status, body } = await rest(server, "GET", path);
      expect([path, status, body.error_code]).toEqual([path, 404, "ERR_NOT_FOUND"]);
    }
  });
});

describe("the files of the page", () => {
  it("are served for ever, as what they are", async () => {
    const urls = await assetUrls();
    expect(urls.map((url) => url.replace(/\.[0-9a-f]{16}\./, ".")).sort()).toEqual(
      ["icon.svg", "page.css", "page.js", "swagger-ui.css", "swagger-ui.js"].map(
        (file) => `docs/assets/${file}`,
      ),
    );
    const types: Record<string, string> = { js: "text/javascript", css: "text/css" };
    for (const url of urls) {
      const { status, headers } = await rawAnswer(`${server.url}/${url}`);
      expect([url, status]).toEqual([url, 200]);
      expect(headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-security-policy": "default-src 'none'",
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      });
      expect(headers["content-type"]).toContain(types[url.split(".").at(-1) ?? ""] ?? "image/svg");
    }
  });

  it("are small, without source maps, and the same in each encoding", async () => {
    const [script = ""] = (await assetUrls()).filter((url) => /swagger-ui\.\w+\.js$/.test(url));
    const plain = await rawAnswer(`${server.url}/${script}`);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.body.includes("sourceMappingURL=")).toBe(false);
    const gzipped = await rawAnswer(`${server.url}/${script}`, "gzip, br;q=0");
    expect(gzipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
    const brotli = await rawAnswer(`${server.url}/${script}`, "gzip, deflate, br");
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(500_000);
  });

  it("have their size without their body for HEAD", async () => {
    const [url = ""] = await assetUrls();
    const response = await fetch(`${server.url}/${url}`, { method: "HEAD" });
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0);
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it.each(["page.js", "page.0000000000000000.js", "../assets/x", "..%2f..%2fpackage.json", ""])(
    "are no others: %s",
    async (file) => {
      const { status, headers } = await rawAnswer(`${server.url}/docs/assets/${file}`);
      expect(status).toBe(404);
      expect(headers["cache-control"]).not.toContain("immutable");
    },
  );

  it("come with their licences", () => {
    const licence = (name: string) =>
      readFileSync(new URL(`../dist/swagger-ui/${name}`, import.meta.url), "utf8");
    expect(licence("LICENSE")).toContain("Apache License");
    expect(licence("NOTICE")).toContain("swagger-ui");
    expect(licence("swagger-ui-bundle.js.LICENSE.txt")).toContain("@license");
  });
});

describe("the OpenAPI document", () => {
  it("says that the server is where the document is, whatever path a proxy serves it at", async () => {
    const { servers } = (await rest(server, "GET", "/openapi.json")).body;
    expect(servers).toHaveLength(1);
    for (const base of ["https://a.example/", "https://a.example/edge/"]) {
      expect(new URL(servers[0].url, `${base}openapi.json`).href).toBe(base);
    }
  });
});
