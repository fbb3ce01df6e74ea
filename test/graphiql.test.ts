import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildSchema, parse, validate } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readExamples } from "../src/schema/transport/graphiql/examples.js";
import { fillWithDemo } from "./harness/demo.js";
import { rawAnswer } from "./harness/raw-answers.js";
import { startServer, type TestServer } from "./harness/server.js";
import { firstEvent } from "./harness/subscriptions.js";
import type { Fields } from "./harness/transports.js";

// What Chromium sends for a page.
const BROWSER =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const open = (accept = BROWSER, init: RequestInit = {}) =>
  fetch(`${server.url}/graphql`, { ...init, headers: { Accept: accept, ...init.headers } });

/** The page's own URLs, as they stand in its HTML. */
async function assetUrls(): Promise<string[]> {
  const html = await (await open()).text();
  return [...html.matchAll(/graphql\/assets\/[^"]+/g)].map(([url]) => url);
}

const raw = (path: string, encoding?: string) => rawAnswer(`${server.url}/${path}`, encoding);

describe("GET /graphql in a browser", () => {
  it("is the page, without a key, which no cache keeps and no other site frames", async () => {
    const response = await open();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      vary: "Accept, Accept-Encoding",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src data:",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "worker-src 'self'",
    ]);
  });

  it("names no other host, and has no script of its own in it", async () => {
    const html = await (await open()).text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const scripts = [...html.matchAll(/<script\b([^>]*)>/g)].map(([, attributes]) => attributes);
    expect(scripts).toHaveLength(3);
    for (const attributes of scripts) {
      expect(attributes).toMatch(/^ (src="graphql\/assets\/|type="application\/json")/);
    }
  });

  it.each([
    ["application/json"],
    ["application/graphql-response+json, text/html"],
    ["*/*"],
    ["text/event-stream"],
  ])("is GraphQL for who accepts %s", async (accept) => {
    const query = `?query=${encodeURIComponent("{ httpsEdges { totalCount } }")}`;
    const Authorization = `Bearer ${server.writeKey}`;
    const response = await fetch(`${server.url}/graphql${query}`, {
      headers: { Accept: accept, Authorization },
    });
    expect(response.headers.get("content-type")).not.toContain("text/html");
    expect(await response.text()).toContain('"totalCount":0');
  });

  it.each(["HEAD", "POST", "DELETE"])("is not what %s gets", async (method) => {
    const response = await open(BROWSER, { method });
    expect(response.headers.get("content-type") ?? "").not.toContain("text/html");
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  it("still needs a key for each query, and says so", async () => {
    const response = await open("application/json", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query: "{ __typename }" }),
    });
    expect(response.status).toBe(401);
    expect((await response.json()).errors[0]).toMatchObject({
      message: "This needs a valid API key in the header: Authorization: Bearer <API key>.",
      extensions: { code: "UNAUTHENTICATED" },
    });
  });
});

describe("the files of the page", () => {
  it("are served for ever, as what they are", async () => {
    const urls = await assetUrls();
    expect(urls.map((url) => url.replace(/\.[0-9a-f]{16}\./, ".")).sort()).toEqual(
      [
        ...["graphiql.js", "graphiql.css", "page.js", "page.css", "icon.svg"],
        ...["graphql-worker.js", "json-worker.js", "editor-worker.js"],
      ]
        .map((file) => `graphql/assets/${file}`)
        .sort(),
    );
    for (const url of urls) {
      const { status, headers } = await raw(url);
      expect([url, status]).toEqual([url, 200]);
      expect(headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      });
      const types: Record<string, string> = { js: "text/javascript", css: "text/css" };
      expect(headers["content-type"]).toContain(types[url.split(".").at(-1) ?? ""] ?? "image/svg");
    }
  });

  it("are compressed as the browser can read, to the same bytes", async () => {
    const [url = ""] = (await assetUrls()).filter(
      (url) => url.includes("graphiql.") && url.endsWith("js"),
    );
    const plain = await raw(url);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const gzipped = await raw(url, "gzip, br;q=0");
    expect(gzipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
    const brotli = await raw(url, "gzip, deflate, br, zstd");
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(plain.body.length / 3);
  });

  it("have their size without their body for HEAD", async () => {
    const [url = ""] = await assetUrls();
    const response = await fetch(`${server.url}/${url}`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(0);
    expect(await response.text()).toBe("");
  });

  it.each(["page.js", "page.0000000000000000.js", "../assets/x", "..%2f..%2fpackage.json", ""])(
    "are no others: %s",
    async (file) => {
      const { status, headers } = await raw(`graphql/assets/${file}`);
      expect(status).toBe(404);
      expect(headers["cache-control"]).not.toContain("immutable");
    },
  );
});

describe("GRAPHIQL=false", () => {
  it("leaves GraphQL as the only thing there", async () => {
    const plain = await startServer({ graphiql: false });
    try {
      const [asset] = await assetUrls();
      const page = await fetch(`${plain.url}/graphql`, { headers: { Accept: BROWSER } });
      expect(page.headers.get("content-type")).not.toContain("text/html");
      expect((await fetch(`${plain.url}/${asset}`)).status).toBe(404);
      const answer = await fetch(`${plain.url}/graphql?query=%7B__typename%7D`, {
        headers: { Authorization: `Bearer ${plain.readKey}` },
      });
      expect(await answer.json()).toMatchObject({ data: { __typename: "Query" } });
    } finally {
      await plain.stop();
    }
  });
});

describe("the examples", () => {
  const examples = readExamples();
  const schema = buildSchema(readFileSync(new URL("../schema.graphql", import.meta.url), "utf8"));
  beforeAll(() => fillWithDemo(server), 120_000);

  /** What the server answers to an example of that name. */
  async function run(name: string): Promise<Fields> {
    const example = examples.find((each) => each.name.endsWith(name));
    const response = await open("application/json", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.writeKey}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({
        query: example?.query,
        variables: JSON.parse(example?.variables ?? "{}"),
      }),
    });
    return (await response.json()) as Fields;
  }

  it("are in the page, in order", async () => {
    const html = await (await open()).text();
    const [, json = ""] = /id="settings">(.*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(json).examples).toEqual(
      examples.map(({ query, variables }) => ({ query, variables })),
    );
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it.each(examples)("$name is valid, begins with what it teaches, and fits its tab", (example) => {
    expect(validate(schema, parse(example.query))).toEqual([]);
    const lines = example.query.split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines.filter((line) => line.trimStart().startsWith("#") && line.length > 48)).toEqual(
      [],
    );
    // The name of its operation is the tab's title.
    expect(example.query).toMatch(/^(query|mutation|subscription) [A-Z]\w+/m);
  });

  it("follow-changes delivers what is created", async () => {
    const document = examples.find(({ name }) => name.includes("follow-changes"))?.query ?? "";
    expect(await firstEvent(server, document)).toMatchObject({
      data: { changes: { action: "CREATED", resource: { description: "followed" } } },
    });
  });

  const working = examples.filter(({ name }) => !/errors|follow/.test(name));
  it.each(working)("$name has an answer with demo data, without an error", async ({ name }) => {
    const { data, errors } = await run(name);
    expect(errors).toBeUndefined();
    const [answer] = Object.values(data as Fields);
    expect(answer).not.toBeNull();
    expect(answer).not.toMatchObject({ nodes: [] });
  });

  it("edge-in-depth reaches the servers through a failover and weights", async () => {
    const { data } = await run("edge-in-depth");
    const [edge] = data.httpsEdges.nodes;
    expect(edge.description).toBe("Shop");
    const text = JSON.stringify(edge.routes);
    expect(text).toContain('"weight":95');
    expect(text).toContain("storefront.fjellmark.example:8443");
  });

  it("page-by-page leads to the next page", async () => {
    const { data } = await run("page-by-page");
    expect(data.httpsEdges).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true } });
  });

  it("who-uses-a-backend finds routes directly and through failovers", async () => {
    const text = JSON.stringify(await run("who-uses-a-backend"));
    expect(text).toContain('"kind":"FailoverBackend"');
    expect(text).toContain("partners.fjellmark.example:443");
  });

  it("errors-that-teach names three problems at once", async () => {
    const { errors } = await run("errors-that-teach");
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions.code).toBe("INVALID_REQUEST");
    expect(errors[0].extensions.issues.map(({ path }: Fields) => path.join(".")).sort()).toEqual([
      "input.hostports.0",
      "input.hostports.1",
      "input.mutualTls.certificateAuthorityIds.0",
    ]);
  });
});
