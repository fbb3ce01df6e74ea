import { createClient } from "graphql-sse";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { sendRaw } from "./harness/sockets.js";
import type { Fields } from "./harness/transports.js";

// Clients that speak a protocol for subscriptions which is not served are told the one that is.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const SUBSCRIPTION = "subscription { changes { id } }";
const THE_WAY = /by POST with the header Accept: text\/event-stream\..*\(SSE\)/;

async function send(query: string, headers: Record<string, string>, path = "", method = "POST") {
  const response = await fetch(`${server.url}/graphql${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Content-Type": "application/json",
      ...headers,
    },
    ...(method === "POST" && { body: JSON.stringify({ query }) }),
  });
  const type = response.headers.get("content-type") ?? "";
  const { data, errors } = (await response.json()) as Fields;
  const [error] = errors ?? [];
  return {
    status: response.status,
    type,
    data,
    code: error?.extensions.code,
    message: error?.message as string,
  };
}

describe("a subscription as multipart/mixed", () => {
  it.each([
    "multipart/mixed",
    "multipart/*",
    "multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json",
    "multipart/mixed; deferSpec=20220824, application/graphql-response+json",
    "application/json",
  ])("is refused in JSON with the way that works: %s", async (accept) => {
    const { status, type, code, message } = await send(SUBSCRIPTION, { Accept: accept });
    expect([status, code]).toEqual([406, "NOT_ACCEPTABLE"]);
    expect(type).toMatch(/^application\/json/);
    expect(message).toMatch(THE_WAY);
    expect(message).not.toContain("multipart");
  });
});

describe("a query", () => {
  it.each(["multipart/mixed", "image/png"])(
    "is not served as %s, and the refusal names what is served",
    async (accept) => {
      const { status, code, message } = await send("{ __typename }", { Accept: accept });
      expect([status, code]).toEqual([406, "NOT_ACCEPTABLE"]);
      const types = [...message.matchAll(/[a-z]+\/[a-z+-]+/g)].map(([type]) => type);
      expect(types).toHaveLength(3);
      for (const type of types) {
        const answer = await fetch(`${server.url}/graphql?query={__typename}`, {
          headers: { Authorization: `Bearer ${server.writeKey}`, Accept: type },
        });
        expect([answer.status, answer.headers.get("content-type")]).toEqual([
          200,
          expect.stringContaining(type),
        ]);
        await answer.text();
      }
    },
  );

  it("is served as JSON to who would take it in parts", async () => {
    const accept = "multipart/mixed;deferSpec=20220824,application/json";
    const { status, type, data } = await send("{ __typename }", { Accept: accept });
    expect([status, type.split(";", 1)[0], data]).toEqual([
      200,
      "application/json",
      { __typename: "Query" },
    ]);
  });
});

describe("a WebSocket", () => {
  const handshake = (path: string, upgrade = "websocket") =>
    [
      `GET ${path} HTTP/1.1`,
      "Host: a.example",
      "Connection: Upgrade",
      `Upgrade: ${upgrade}`,
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: graphql-transport-ws",
    ].join("\r\n");

  it.each(["/graphql", "/graphql?x=1", "/graphql/ws"])(
    "is refused with the way that works, and its connection closed: %s",
    async (path) => {
      for (const extra of ["", "\r\nAccept: text/html", "\r\nAuthorization: Bearer unknown"]) {
        const bytes = `${handshake(path)}${extra}\r\n\r\n`;
        const answer = await sendRaw(server.url, bytes, { untilClosed: true });
        expect([answer.status, answer.headers.connection]).toEqual([400, "close"]);
        expect(answer.headers["operation-id"]).toMatch(/^op_/);
        const { errors } = JSON.parse(answer.body);
        expect(errors).toEqual([
          { message: expect.stringMatching(THE_WAY), extensions: { code: "BAD_REQUEST" } },
        ]);
      }
    },
  );

  it("is refused just once when its client sends on at once", async () => {
    const bytes = `${handshake("/graphql", "WebSocket")}\r\n\r\n\x81\x85aaaabbbbb`;
    const answer = await sendRaw(server.url, Buffer.from(bytes, "latin1"), { untilClosed: true });
    expect(answer.bytes.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
  });

  it("is no other upgrade, which is not taken and the request served", async () => {
    const authorization = `Authorization: Bearer ${server.writeKey}`;
    const bytes = `${handshake("/graphql?query={__typename}", "h2c")}\r\n${authorization}\r\n\r\n`;
    const { status, body } = await sendRaw(server.url, bytes);
    expect([status, JSON.parse(body).data]).toEqual([200, { __typename: "Query" }]);
  });
});

describe("the single connection mode of graphql-sse", () => {
  const THE_MODE = /distinct connections.*`singleConnection: false`/;

  it.each([
    ["a reservation", 405, "METHOD_NOT_ALLOWED", {}, "", "PUT"],
    [
      "a token in a header",
      400,
      "BAD_REQUEST",
      { "X-GraphQL-Event-Stream-Token": "t" },
      "",
      "POST",
    ],
    ["a token in the URL", 400, "BAD_REQUEST", {}, "?token=t", "GET"],
  ])("is refused with the way that works: %s", async (_, status, code, headers, path, method) => {
    const refused = await send(SUBSCRIPTION, headers, path, method);
    expect([refused.status, refused.code]).toEqual([status, code]);
    expect(refused.message).toMatch(THE_MODE);
  });

  it("is refused so that its client tells the developer", async () => {
    const client = createClient({
      url: `${server.url}/graphql`,
      headers: { Authorization: `Bearer ${server.writeKey}` },
      singleConnection: true,
      retryAttempts: 0,
    });
    const events = client.iterate({ query: SUBSCRIPTION });
    const error: unknown = await events.next().then(
      () => null,
      (reason: unknown) => reason,
    );
    client.dispose();
    expect(String(error)).toBe(
      "NetworkError: Server responded with 405: Use distinct connections: set singleConnection to false",
    );
  });
});
