import type { ServerOptions } from "node:http";
import { connect } from "node:net";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AppOptions, createApp } from "../src/app.js";
import { graphqlSettings, readConfig } from "../src/config.js";
import { createHttpServer, type HttpApp } from "../src/http/server.js";
import { createTelemetry } from "../src/telemetry/telemetry.js";
import { startServer, type TestServer } from "./harness/server.js";
import { sendRaw } from "./harness/sockets.js";
import { type Fields, rest } from "./harness/transports.js";

// What is no request, as bytes on a connection: each is refused in the envelope of its transport, and an honest
// request on another connection is served.

let server: TestServer;
let log: Fields[] = [];
const lines = new Writable({
  write(chunk, _, done) {
    log.push(JSON.parse(String(chunk)));
    done();
  },
});
beforeAll(async () => {
  server = await startServer({ log: lines });
});
afterAll(() => server.stop());
beforeEach(() => {
  log = [];
});

/** As long as it may take on a busy machine. */
const SOON = { timeout: 10_000 };

/** The head of a request, and an empty line; without a Host when it is null. */
function head(line: string, host: string | null = "a.example", ...headers: string[]): string {
  const lines = [line, ...(host === null ? [] : [`Host: ${host}`]), ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}
const key = () => [`Authorization: Bearer ${server.writeKey}`, "Service-Version: 2"];
const JSON_BODY = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";

type Case = readonly [name: string, bytes: () => string | Buffer, status: number];

const BAD_HOSTS: readonly (readonly [string, string | null])[] = [
  ["a Host with a space", "a b"],
  ["an empty Host", ""],
  ["no Host", null],
  ["a Host with a path", "a/b"],
  ["a Host with a user", "user@a"],
  ["a Host with a query", "a?b"],
  ["a Host with quotes", '"a"'],
  ["a Host with a backslash", "a\\b"],
  ["a Host with a percent escape", "a%00"],
  ["a Host with a port that is none", "a:99999"],
  ["a Host with a port of letters", "a:b"],
  ["an address that is none", "[::1"],
  ["an address with a wrong number", "300.1.1.1"],
  ["a Host of 5,000 characters", "a".repeat(5_000)],
  ["two in one Host", "a, b"],
  ["two Hosts", "a\r\nHost: b"],
];

const REST_CASES: readonly Case[] = [
  ...BAD_HOSTS.map(
    ([name, host]): Case => [name, () => head("GET /ip_policies HTTP/1.1", host, ...key()), 400],
  ),
  ["HTTP/1.0 without Host", () => head("GET /ip_policies HTTP/1.0", null, ...key()), 400],
  ["a backslash in the path", () => head("GET /ip_policies\\x HTTP/1.1"), 400],
  ["OPTIONS *", () => head("OPTIONS * HTTP/1.1"), 400],
  ["a target of another scheme", () => head("GET ftp://a.example/ip_policies HTTP/1.1"), 400],
  ["an absolute target without a host", () => head("GET http:///ip_policies HTTP/1.1"), 400],
  ["an absolute target with a bad host", () => head("GET http://[/ip_policies HTTP/1.1"), 400],
  ["an absolute target with a user", () => head("GET http://u:p@a/ip_policies HTTP/1.1"), 400],
  ["a host that is another in a URL", () => head("GET /ip_policies HTTP/1.1", "1.2:80"), 400],
  ["CONNECT", () => head("CONNECT a.example:443 HTTP/1.1"), 400],
  ["no request line", () => "HELLO\r\n\r\n", 400],
  ["a TLS handshake", () => Buffer.from("160301020001000001fc0303", "hex"), 400],
  ["an unknown method", () => head("FETCH /ip_policies HTTP/1.1"), 400],
  ["an unknown version", () => head("GET /ip_policies HTTP/9.9"), 400],
  ["a path without a slash", () => head("GET ip_policies HTTP/1.1"), 400],
  ["bytes beyond ASCII in the path", () => Buffer.from(head("GET /é HTTP/1.1")), 400],
  ["a header without a colon", () => head("GET /ip_policies HTTP/1.1", "a", "nothing"), 400],
  ["a header with a NUL", () => head("GET /ip_policies HTTP/1.1", "a", "X-A: \0"), 400],
  [
    "two lengths of the body",
    () => head("POST /ip_policies HTTP/1.1", "a", "Content-Length: 5", CHUNKED),
    400,
  ],
  ["a length that is none", () => head("POST /x HTTP/1.1", "a", "Content-Length: x"), 400],
  [
    "a chunk without a length",
    () => `${head("POST /ip_policies HTTP/1.1", "a", ...key(), JSON_BODY, CHUNKED)}zz\r\n{}\r\n`,
    400,
  ],
  [
    "a chunk with a huge extension",
    () =>
      `${head("POST /ip_policies HTTP/1.1", "a", ...key(), JSON_BODY, CHUNKED)}2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    413,
  ],
  ["headers of 20 KB", () => head("GET / HTTP/1.1", "a", `X-A: ${"x".repeat(20_000)}`), 431],
  ["a path of 20 KB", () => head(`GET /${"x".repeat(20_000)} HTTP/1.1`), 431],
];

const GRAPHQL_CASES: readonly Case[] = [
  ...BAD_HOSTS.map(
    ([name, host]): Case => [name, () => head("POST /graphql HTTP/1.1", host, JSON_BODY), 400],
  ),
  ["a bad Host by GET", () => head("GET /graphql?query={__typename} HTTP/1.1", "a b"), 400],
  ["a bad Host of a browser", () => head("GET /graphql HTTP/1.1", "a b", "Accept: text/html"), 400],
  ["HTTP/1.0 without Host", () => head("GET /graphql HTTP/1.0", null), 400],
  ["a header without a colon", () => head("GET /graphql HTTP/1.1", "a", "nothing"), 400],
  ["headers of 20 KB", () => head("GET /graphql HTTP/1.1", "a", `X: ${"x".repeat(20_000)}`), 431],
  ["a query of 20 KB", () => head(`GET /graphql?query=${"x".repeat(20_000)} HTTP/1.1`), 431],
  [
    "a chunk without a length",
    () => `${head("POST /graphql HTTP/1.1", "a", ...key(), JSON_BODY, CHUNKED)}zz\r\n{}\r\n`,
    400,
  ],
];

const REST_CODES: Readonly<Record<number, string>> = {
  400: "ERR_INVALID_REQUEST",
  413: "ERR_BODY_TOO_LARGE",
  431: "ERR_HEADERS_TOO_LARGE",
};
const GRAPHQL_CODES: Readonly<Record<number, string>> = {
  400: "BAD_REQUEST",
  413: "BODY_TOO_LARGE",
  431: "HEADERS_TOO_LARGE",
};

const REVEALING = /node_modules|\.js|\.ts|file:|Error:|\bat \S+:\d/;

async function serves(): Promise<boolean> {
  return (await rest(server, "GET", "/ip_policies")).status === 200;
}

describe("what is no request", () => {
  it.each(REST_CASES)("is refused in the envelope of REST: %s", async (_, bytes, status) => {
    const answer = await sendRaw(server.url, bytes());
    expect(answer).toMatchObject({ status, headers: { "content-type": "application/json" } });
    expect(JSON.parse(answer.body)).toEqual({
      error_code: REST_CODES[status],
      status_code: status,
      msg: expect.stringMatching(/^Th.*\.$/),
      details: { operation_id: answer.headers["operation-id"] },
    });
    expect(answer.body).not.toMatch(REVEALING);
    expect(await serves()).toBe(true);
  });

  it.each(GRAPHQL_CASES)("is refused as GraphQL at its path: %s", async (_, bytes, status) => {
    const answer = await sendRaw(server.url, bytes());
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toMatch(/^application\/json\b/);
    expect(answer.headers["operation-id"]).toMatch(/^op_\w{27}$/);
    expect(JSON.parse(answer.body)).toEqual({
      errors: [
        {
          message: expect.stringMatching(/^The .*\.$/),
          extensions: { code: GRAPHQL_CODES[status] },
        },
      ],
    });
    expect(answer.body).not.toMatch(REVEALING);
    expect(await serves()).toBe(true);
  });

  it("stands in the log with its operation id, and is no defect", async () => {
    const refused = [
      head("GET /ip_policies HTTP/1.1", "a b"),
      head("GET /graphql HTTP/1.1", "a b"),
      head("GET /ip_policies?a=b HTTP/9.9"),
    ];
    for (const bytes of refused) {
      const { headers, status } = await sendRaw(server.url, bytes);
      await expect
        .poll(() => log.find(({ operationId }) => operationId === headers["operation-id"]), SOON)
        .toMatchObject({ level: 30, status, path: expect.stringMatching(/^\/(ip_pol|graphql)/) });
    }
    expect(log.filter(({ level }) => level > 30)).toEqual([]);
  });

  it("closes the connection when it could not be parsed", async () => {
    const { headers } = await sendRaw(server.url, "HELLO\r\n\r\n");
    expect(headers.connection).toBe("close");
  });

  it("waits for the answer to the request before it on the connection", async () => {
    const first = head("GET /ip_policies HTTP/1.1", "a", ...key());
    const { status, bytes } = await sendRaw(server.url, `${first}HELLO\r\n\r\n`, {
      untilClosed: true,
    });
    expect(status).toBe(200);
    expect(bytes).toContain('"ip_policies":');
    expect(bytes).toMatch(/HTTP\/1\.1 400 [\s\S]*"ERR_INVALID_REQUEST"/);
  });

  it.each(["/livez", "/readyz", "/ip_policies"])(
    "is answered behind a request for %s that is answered at once or later",
    async (path) => {
      const first = head(`GET ${path} HTTP/1.1`, "a", ...key());
      for (const next of ["HELLO\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"]) {
        await sendRaw(server.url, first + next, { untilClosed: true });
        await serves();
      }
    },
  );

  it("is survived when its client is gone before the answer", async () => {
    const { hostname, port } = new URL(server.url);
    for (let times = 0; times < 50; times++) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", () => socket.resetAndDestroy());
    }
    await serves();
  });

  it("leaves no defect where a client goes within a body", async () => {
    for (const path of ["/ip_policies", "/graphql"]) {
      const sent = head(`POST ${path} HTTP/1.1`, "a", ...key(), JSON_BODY, "Content-Length: 100");
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      socket.write(`${sent}{`);
      // Until the key has been looked up and the body is waited for.
      await sleep(100);
      socket.resetAndDestroy();
      await expect.poll(() => log.filter((line) => line.path === path), SOON).toHaveLength(1);
    }
    // A defect would be logged right after the request.
    await serves();
    expect(log.filter(({ level }) => level > 30)).toEqual([]);
  });

  it("is answered where a client ends its side within a body", async () => {
    for (const path of ["/ip_policies", "/graphql"]) {
      const sent = head(`POST ${path} HTTP/1.1`, "a", ...key(), JSON_BODY, "Content-Length: 100");
      const answer = await sendRaw(server.url, `${sent}{`, { thenEnd: true });
      expect(answer.status).toBe(400);
      expect(answer.headers["content-type"]).toMatch(/^application\/json\b/);
      expect(JSON.parse(answer.body)).toBeTypeOf("object");
    }
    expect(log.filter(({ level }) => level > 30)).toEqual([]);
  });
});

describe("the preface of HTTP/2", () => {
  it.each([
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0\0\x02\0\0\0\0\0\x03\0\0\0\x64",
  ])("is refused without a body, so that clients fall back to HTTP/1.1", async (preface) => {
    const { bytes } = await sendRaw(server.url, Buffer.from(preface, "latin1"), {
      untilClosed: true,
    });
    expect(bytes).toBe("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    expect(await serves()).toBe(true);
  });
});

describe("a request in an unusual form", () => {
  it.each([
    ["a Host with a port", "GET /ip_policies HTTP/1.1", "a.example:8443", "a.example:8443"],
    ["a Host with an underscore", "GET /ip_policies HTTP/1.1", "edge_plane", "edge_plane"],
    ["a Host in upper case", "GET /ip_policies HTTP/1.1", "A.Example:8080", "a.example:8080"],
    ["an address of IPv6", "GET /ip_policies HTTP/1.1", "[::1]:8080", "[::1]:8080"],
    ["HTTP/1.0 with a Host", "GET /ip_policies HTTP/1.0", "a.example", "a.example"],
    ["an absolute target", "GET http://b.example/ip_policies HTTP/1.1", "a", "b.example"],
  ])("is served: %s", async (_, line, host, shown) => {
    const { status, body } = await sendRaw(server.url, head(line, host, ...key()));
    expect([status, JSON.parse(body).uri]).toEqual([200, `http://${shown}/ip_policies`]);
  });

  it("is served as GraphQL by an absolute target", async () => {
    const line = "GET http://b.example/graphql?query={__typename} HTTP/1.1";
    const { status, body } = await sendRaw(server.url, head(line, "a", ...key()));
    expect([status, JSON.parse(body).data]).toEqual([200, { __typename: "Query" }]);
  });

  it("is served with an expectation that nobody knows", async () => {
    const sent = head("GET /ip_policies HTTP/1.1", "a", ...key(), "Expect: wonders");
    expect((await sendRaw(server.url, sent)).status).toBe(200);
  });

  it("is served for health checks without a Host", async () => {
    expect((await sendRaw(server.url, head("GET /livez HTTP/1.0", null))).status).toBe(200);
  });
});

/** Runs `use` with the URL of a server of its own for `app`. */
async function withServer(
  app: HttpApp,
  use: (url: string) => Promise<void>,
  limits?: ServerOptions,
): Promise<void> {
  const running = createHttpServer(app, limits);
  await new Promise<void>((resolve) => running.listen(0, "127.0.0.1", resolve));
  const address = running.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    await use(`http://127.0.0.1:${port}`);
  } finally {
    running.closeAllConnections();
    running.close();
  }
}

const OPTIONS: AppOptions = {
  publicUrl: null,
  trustProxy: false,
  dashboard: true,
  graphiql: true,
  corsOrigins: [],
  rateLimits: null,
  versionHeaders: ["Service-Version"],
  errorCodes: "words",
  graphql: graphqlSettings(readConfig({}), null),
  logger: pino({ level: "trace" }, lines),
  telemetry: createTelemetry(null, null),
  ready: async () => {},
};

describe("a request that comes too slowly", () => {
  const LIMITS = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 };

  it.each([
    ["its head", () => "GET /graphql HTTP/1.1\r\nHost: a\r\n", "/graphql"],
    ["its head, for REST", () => "GET /ip_policies HTTP/1.1\r\nHost: a\r\n", "/"],
    [
      "its body",
      () => head("POST /ip_policies HTTP/1.1", "a", ...key(), JSON_BODY, "Content-Length: 9"),
      "/ip_policies",
    ],
    [
      "its body, for GraphQL",
      () => head("POST /graphql HTTP/1.1", "a", ...key(), JSON_BODY, "Content-Length: 9"),
      "/graphql",
    ],
  ])("is refused in an envelope: %s", async (_, bytes) => {
    await withServer(
      createApp(server.context, OPTIONS),
      async (url) => {
        const { status, headers, body } = await sendRaw(url, bytes());
        expect([status, headers.connection]).toEqual([408, "close"]);
        expect(headers["content-type"]).toMatch(/^application\/json\b/);
        const { error_code, errors } = JSON.parse(body);
        const code = error_code ?? `ERR_${errors[0].extensions.code}`;
        expect(code).toBe("ERR_REQUEST_TIMEOUT");
      },
      LIMITS,
    );
    expect(log.filter(({ level }) => level > 30)).toEqual([]);
  });
});

describe("a defect", () => {
  const SECRET = "/srv/edgeplane/database.ts";

  it.each([
    ["an error", () => new TypeError(`cannot read ${SECRET}`)],
    ["a string", () => SECRET],
    [
      "an error that throws when it is read",
      () =>
        Object.defineProperty(new Error(SECRET), "originalError", {
          get: () => {
            throw new Error(SECRET);
          },
        }),
    ],
    ["an error with a status of its own", () => Object.assign(new Error(SECRET), { status: 418 })],
  ])("ends in an envelope and in the log, whatever is thrown: %s", async (_, defect) => {
    const broken = () => {
      throw defect();
    };
    const db = new Proxy(server.context.db, { get: broken });
    const services = { ...server.context, db, readTexts: broken };
    const app = createApp(services, { ...OPTIONS, ready: broken });
    await withServer(app, async (url) => {
      for (const path of ["/ip_policies", "/graphql?query={__typename}", "/readyz"]) {
        const answer = await sendRaw(url, head(`GET ${path} HTTP/1.1`, "a", ...key()));
        expect([path, answer.status]).toEqual([path, 500]);
        expect(answer.headers["content-type"]).toMatch(/^application\/json\b/);
        const { error_code, errors } = JSON.parse(answer.body);
        expect(error_code ?? errors[0].extensions.code).toMatch(/^(ERR_)?INTERNAL$/);
        expect(answer.body).not.toContain(SECRET);
        expect(answer.body).not.toMatch(REVEALING);
        await expect.poll(() => log.filter(({ level }) => level === 50), SOON).not.toEqual([]);
        expect(JSON.stringify(log)).toContain(SECRET);
        log = [];
      }
    });
  });
});
