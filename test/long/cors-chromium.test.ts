import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chromiumIsInstalled, openPage, PATIENCE_MS, startChromium } from "../harness/chromium.js";
import { endOfLog } from "../harness/event-streams.js";
import { startServer, type TestServer } from "../harness/server.js";
import { rest } from "../harness/transports.js";

// A page that another server has served, which asks Edgeplane by `fetch`.

/** What a page runs: each answer as far as it may read it, or the error that the browser throws. */
const ASK = `async ({ url, ...init }) => {
  try {
    const answer = await fetch(url, init);
    const operationId = answer.headers.get("Operation-Id");
    if (!answer.headers.get("Content-Type").startsWith("text/event-stream")) {
      return { status: answer.status, operationId, body: await answer.json() };
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const { value, done } = await reader.read();
      text += value;
      const event = /event: next\\n(?:.*\\n)?data: (.*)\\n\\n/.exec(text);
      if (!event && !done) continue;
      await reader.cancel();
      return { status: answer.status, operationId, body: event && JSON.parse(event[1]) };
    }
  } catch (error) {
    return { refused: String(error) };
  }
}`;

async function servePages(): Promise<{ server: Server; origin: string }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end("<!doctype html><title>A dashboard</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, origin: `http://127.0.0.1:${port}` };
}

describe.runIf(chromiumIsInstalled("CORS in Chromium"))("a page of another origin", () => {
  vi.setConfig({ testTimeout: 3 * PATIENCE_MS });
  let pages: Awaited<ReturnType<typeof servePages>>[];
  let server: TestServer;
  let browser: Browser;
  let dashboard: Page;
  let stranger: Page;
  beforeAll(async () => {
    pages = await Promise.all([servePages(), servePages()]);
    const [allowed, other] = pages.map(({ origin }) => origin);
    [server, browser] = await Promise.all([
      startServer({ corsOrigins: ["https://dash.example", allowed ?? ""] }),
      startChromium(),
    ]);
    dashboard = await open(allowed);
    stranger = await open(other);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    for (const { server: each } of pages) each.close();
  });

  async function open(origin = ""): Promise<Page> {
    const { page } = await openPage(browser);
    await page.goto(origin);
    return page;
  }

  // The expression is text, since it runs in the browser.
  const ask = (page: Page, path: string, init: object): Promise<unknown> =>
    page.evaluate(`(${ASK})(${JSON.stringify({ url: server.url + path, ...init })})`);
  const authorization = () => ({ Authorization: `Bearer ${server.writeKey}` });
  const graphql = (query: string, headers = {}) => ({
    method: "POST",
    headers: { ...authorization(), "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ query }),
  });
  const answered = (body: unknown, status = 200) => ({
    status,
    operationId: expect.stringMatching(/^op_/),
    body,
  });
  const REFUSED = { refused: "TypeError: Failed to fetch" };

  it("reads the answer to a query, and its operation id", async () => {
    const query = graphql("{ __typename }");
    expect(await ask(dashboard, "/graphql", query)).toEqual(
      answered({ data: { __typename: "Query" }, extensions: expect.anything() }),
    );
    expect(await ask(stranger, "/graphql", query)).toEqual(REFUSED);
  });

  it("reads a refusal", async () => {
    const query = graphql("{ __typename }", { Authorization: "Bearer unknown" });
    expect(await ask(dashboard, "/graphql", query)).toEqual(
      answered({ errors: [expect.objectContaining({ extensions: expect.anything() })] }, 401),
    );
  });

  it("follows a subscription behind the event that it has seen last", async () => {
    const lastId = await endOfLog(server);
    const { body } = await rest(server, "POST", "/ip_policies", { description: "seen" });
    const subscription = graphql("subscription { changes { action resourceId } }", {
      Accept: "text/event-stream",
      "Last-Event-ID": lastId,
    });
    expect(await ask(dashboard, "/graphql", subscription)).toEqual(
      answered({
        data: { changes: { action: "CREATED", resourceId: body.id } },
        extensions: expect.objectContaining({ eventId: expect.any(String) }),
      }),
    );
    expect(await ask(stranger, "/graphql", subscription)).toEqual(REFUSED);
  });

  it("changes a resource over REST", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", { description: "before" });
    const change = (description: string) => ({
      method: "PATCH",
      headers: {
        ...authorization(),
        "Content-Type": "application/json",
        "Service-Version": "2",
      },
      body: JSON.stringify({ description }),
    });
    const path = `/ip_policies/${body.id}`;
    expect(await ask(dashboard, path, change("after"))).toEqual(
      answered(expect.objectContaining({ id: body.id, description: "after" })),
    );
    expect(await ask(stranger, path, change("by a stranger"))).toEqual(REFUSED);
    // The preflight was refused, so the change was not sent.
    expect((await rest(server, "GET", path)).body.description).toBe("after");
  });
});
