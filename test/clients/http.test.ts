import { METHODS, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../harness/server.js";
import { type RawAnswer, sendRaw } from "../harness/sockets.js";
import { type Fields, rest } from "../harness/transports.js";
import { ERROR } from "./decoders.js";

// The forms of HTTP in which clients, proxies and probes send requests, byte by byte.

let server: TestServer;
let policy: Fields;
beforeAll(async () => {
  server = await startServer();
  policy = (await rest(server, "POST", "/ip_policies", { description: "a" })).body;
});
afterAll(() => server.stop());

const JSON_TYPE = "Content-Type: application/json";

/** A request with a key, and a body if there is one. */
function bytes(line: string, headers: readonly string[] = [], body = "", version = "1.1"): string {
  const lines = [
    `${line} HTTP/${version}`,
    "Host: a.example",
    `Authorization: Bearer ${server.writeKey}`,
    "Ngrok-Version: 2",
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const once = (line: string, headers: readonly string[] = [], body = "") =>
  sendRaw(server.url, bytes(line, [...headers, "Connection: close"], body), { untilClosed: true });

/** The envelope of errors, as strict clients read it, that says what the status line and the headers say. */
function expectRefused({ status, headers, body }: RawAnswer, expected: number): void {
  expect([status, headers["content-type"]]).toEqual([expected, "application/json"]);
  const error = ERROR.parse(JSON.parse(body));
  expect(error.status_code).toBe(status);
  expect(error.details).toMatchObject({ operation_id: headers["operation-id"] });
}

describe("a method that a path does not take", () => {
  const TAKEN = ["GET", "HEAD", "POST", "PATCH", "DELETE", "CONNECT"];

  it.each(METHODS.filter((method) => !TAKEN.includes(method)))(
    "is refused in the envelope: %s",
    async (method) => {
      for (const [path, allow] of [
        ["/ip_policies", "POST, GET"],
        [`/ip_policies/${policy.id}`, "GET, PATCH, DELETE"],
      ]) {
        const answer = await once(`${method} ${path}`);
        expectRefused(answer, 405);
        expect(answer.headers.allow).toBe(allow);
      }
      expectRefused(await once(`${method} /nothing`), 404);
    },
  );
});

describe("a refusal", () => {
  it.each([
    ["a request line without a version", "GET /ip_policies\r\n\r\n", 400],
    ["a request line of three paths", "GET / / / HTTP/1.1\r\n\r\n", 400],
    ["a method in lower case", "get /ip_policies HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a space before a colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400],
    ["a folded header", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400],
    ["a line feed alone", "GET / HTTP/1.1\nHost: a\n\n", 400],
    ["a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400],
    ["an unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n", 400],
    ["many long headers", `GET / HTTP/1.1\r\n${`X-A: ${"x".repeat(200)}\r\n`.repeat(99)}`, 431],
  ])("is in the envelope for what is no request: %s", async (_, sent, status) => {
    expectRefused(await sendRaw(server.url, sent, { untilClosed: true }), status);
  });

  it("is in the envelope for a body that is too large, before all of it has come", async () => {
    const length = ["Content-Length: 10000000", JSON_TYPE];
    const answer = await sendRaw(server.url, bytes("POST /ip_policies", length, "x".repeat(2e5)));
    expectRefused(answer, 413);
    expect(answer.headers.connection).toBe("close");
  });

  it.each([
    ["Content-Encoding: gzip", 400],
    ["Content-Type: application/json;charset=latin1", 201],
    ["Content-Type: application/problem+json", 415],
    ["Content-Type:", 415],
  ])("is in the envelope for a body that says %s", async (header, status) => {
    const type = header.startsWith("Content-Type") ? [] : [JSON_TYPE];
    const body = header.includes("gzip") ? "\x1f\x8b\x08" : "{}";
    const headers = [header, ...type, `Content-Length: ${body.length}`];
    const answer = await once("POST /ip_policies", headers, body);
    if (status === 201) expect(answer.status).toBe(201);
    else expectRefused(answer, status);
  });
});

describe("a request without a body", () => {
  const NOTHING: readonly (readonly [string, readonly string[], string])[] = [
    ["no length", [], ""],
    ["the length 0", ["Content-Length: 0"], ""],
    ["the length 0 and a type", ["Content-Length: 0", JSON_TYPE], ""],
    ["no chunk", ["Transfer-Encoding: chunked", JSON_TYPE], "0\r\n\r\n"],
    ["no chunk and no type", ["Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ];

  it.each(NOTHING)("counts as {}: %s", async (_, headers, body) => {
    const edge = (await rest(server, "POST", "/edges/tls", {})).body.id;
    for (const [line, status] of [
      ["POST /ip_policies", 201],
      [`PATCH /ip_policies/${policy.id}`, 200],
      [`PUT /edges/tls/${edge}/tls_termination`, 200],
      ["GET /ip_policies", 200],
      [`GET /ip_policies/${policy.id}`, 200],
      [`DELETE /edges/tls/${edge}/tls_termination`, 204],
    ] as const) {
      expect([line, (await once(line, headers, body)).status]).toEqual([line, status]);
    }
  });

  it("may have one all the same where none is read", async () => {
    const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
    const body = [JSON_TYPE, "Content-Length: 2"];
    expect((await once(`GET /ip_policies/${id}`, body, "{}")).status).toBe(200);
    expect((await once(`DELETE /ip_policies/${id}`, body, "{}")).status).toBe(204);
  });
});

describe("HTTP/1.0", () => {
  it("is answered with a length, and the connection is closed", async () => {
    const sent = bytes("GET /ip_policies", [], "", "1.0");
    const { status, headers, body } = await sendRaw(server.url, sent, { untilClosed: true });
    expect([status, headers.connection]).toEqual([200, "close"]);
    expect(headers).not.toHaveProperty("transfer-encoding");
    expect(Number(headers["content-length"])).toBe(body.length);
  });

  it("keeps the connection for who asks for it", async () => {
    const first = bytes(`GET /ip_policies/${policy.id}`, ["Connection: keep-alive"], "", "1.0");
    const second = bytes("GET /ip_policies/ipp_1", [], "", "1.0");
    const answer = await sendRaw(server.url, first + second, { untilClosed: true });
    expect(answer.headers.connection).toBe("keep-alive");
    expect(answer.bytes.match(/HTTP\/1\.1 (200|404) /g)).toHaveLength(2);
  });
});

describe("a connection", () => {
  it("serves one request after another, refused ones and those without a body too", async () => {
    const requests = [
      bytes("POST /ip_policies", [JSON_TYPE, "Content-Length: 2"], "{}"),
      bytes("GET /ip_policies/ipp_1"),
      bytes("POST /ip_policies", [JSON_TYPE, "Content-Length: 1"], "{"),
      bytes("PUT /ip_policies", [JSON_TYPE, "Content-Length: 2"], "{}"),
      bytes("POST /ip_policies", ["Content-Length: 2"], "{}"),
      bytes("PATCH /nothing", [JSON_TYPE, "Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"),
      bytes(`GET /ip_policies/${policy.id}`, ["Connection: close"]),
    ];
    const answer = await sendRaw(server.url, requests.join(""), { untilClosed: true });
    const statuses = [...answer.bytes.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    expect(statuses).toEqual(["201", "404", "400", "405", "415", "404", "200"]);
  });
});

describe("Expect: 100-continue", () => {
  it("is answered, and the body is sent after that", async () => {
    const sent = request(`${server.url}/ip_policies`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.writeKey}`,
        "Ngrok-Version": "2",
        "Content-Type": "application/json",
        "Content-Length": 19,
        Expect: "100-continue",
      },
    });
    const told: string[] = [];
    sent.on("continue", () => {
      told.push("100");
      sent.end('{"description":"x"}');
    });
    const status = await new Promise((resolve, reject) => {
      sent.on("response", (response) => resolve(response.resume().statusCode));
      sent.on("error", reject).flushHeaders();
    });
    expect([...told, status]).toEqual(["100", 201]);
  });
});

describe("HEAD", () => {
  it("is answered as GET is, without the body", async () => {
    for (const path of ["/ip_policies", `/ip_policies/${policy.id}`, "/ip_policies/ipp_1", "/x"]) {
      const get = await once(`GET ${path}`);
      const head = await once(`HEAD ${path}`);
      expect([path, head.status, head.body]).toEqual([path, get.status, ""]);
      expect(head.headers["content-type"]).toBe("application/json");
      expect(head.headers["operation-id"]).toMatch(/^op_/);
    }
  });
});

describe("a path with percent escapes", () => {
  const escaped = (id: string) =>
    [...id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");

  it("is that with the characters themselves", async () => {
    const { id } = policy;
    for (const spelled of [id.replace("_", "%5F"), id.replace("_", "%5f"), escaped(id)]) {
      const found = await once(`GET /ip_policies/${spelled}`);
      expect([found.status, JSON.parse(found.body)]).toEqual([
        200,
        { ...policy, uri: `http://a.example/ip_policies/${id}` },
      ]);
      const body = JSON.stringify({ id });
      const headers = [JSON_TYPE, `Content-Length: ${body.length}`];
      const patched = await once(`PATCH /ip_policies/${spelled}`, headers, body);
      expect(patched.status).toBe(200);
    }
  });

  it.each(["%", "%zz", "%ff", "%00", "a%2Fb", "..%2f"])(
    "is no id, and refused in the envelope: %s",
    async (id) => {
      expectRefused(await once(`GET /ip_policies/${id}`), 404);
    },
  );

  it("may be dots that lead to the path above, as in every URL", async () => {
    const { status, body } = await once("GET /ip_policies/%2e%2e");
    expect([status, Object.keys(JSON.parse(body))]).toEqual([200, ["uri", "subresource_uris"]]);
  });
});
