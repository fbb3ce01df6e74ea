import { randomBytes } from "node:crypto";
import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};
const SOON = { timeout: 20_000 };

let server: TestServer;
const log: Fields[] = [];
beforeAll(async () => {
  const lines = new Writable({
    write(chunk, _, done) {
      log.push(JSON.parse(String(chunk)));
      done();
    },
  });
  server = await startServer({ log: lines });
  const at = new Date();
  await server.context.db.ipPolicy.createMany({
    data: Array.from({ length: 100 }, (_, n) => ({
      id: `ipp_${String(n).padStart(27, "0")}`,
      createdAt: at,
      updatedAt: at,
      description: "",
      // As much as compression cannot shorten.
      metadata: randomBytes(3000).toString("base64"),
    })),
  });
});
afterAll(() => server.stop());

interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** The answer as it is sent, without the decompression that `fetch` does. */
function open(path: string, { method = "GET", headers = {}, body }: Asked = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(server.url + path, {
      agent: false,
      method,
      headers: {
        Authorization: `Bearer ${server.writeKey}`,
        "Service-Version": "2",
        "Content-Type": "application/json",
        ...headers,
      },
    });
    sent.once("response", resolve).once("error", reject);
    sent.end(body);
  });
}

async function ask(path: string, asked: Asked = {}, accepted?: string) {
  const encoding = accepted === undefined ? {} : { "Accept-Encoding": accepted };
  const answer = await open(path, { ...asked, headers: { ...asked.headers, ...encoding } });
  const bytes = await buffer(answer);
  const coding = answer.headers["content-encoding"];
  const text = (coding === undefined ? bytes : DECODERS[coding]?.(bytes))?.toString();
  return { status: answer.statusCode, headers: answer.headers, bytes, coding, text };
}

const graphql = (query: string): Asked => ({ method: "POST", body: JSON.stringify({ query }) });
const ALL = graphql("{ ipPolicies(first: 100) { nodes { id createdAt metadata } } }");
const MANY = graphql(
  `{ ${Array.from({ length: 20 }, (_, n) => `p${n}: ipPolicies(first: 100) { nodes { metadata } }`).join(" ")} }`,
);
/** Their bodies have no operation id, so that each is the same again. */
const LARGE: readonly (readonly [string, string, Asked])[] = [
  ["REST", "/ip_policies?limit=100", {}],
  ["GraphQL", "/graphql", ALL],
  ["GraphQL by GET", "/graphql?query={__schema{types{name,description}}}", {}],
  [
    "GraphQL in its own type",
    "/graphql",
    { ...ALL, headers: { Accept: "application/graphql-response+json" } },
  ],
  ["a large refusal", "/graphql", graphql(`{ ${"nothing ".repeat(20)} }`)],
  ["the page of GraphiQL", "/graphql", { headers: { Accept: "text/html" } }],
];

describe("a large answer", () => {
  it.each(LARGE)(
    "is compressed as its client asks, to the same bytes: %s",
    async (_, path, asked) => {
      const plain = await ask(path, asked);
      expect(plain.coding).toBeUndefined();
      expect(plain.headers["content-length"]).toBe(String(plain.bytes.length));
      expect(plain.bytes.length).toBeGreaterThan(1024);
      for (const [accepted, coding] of [
        ["br", "br"],
        ["gzip", "gzip"],
        ["deflate", "deflate"],
        ["gzip, deflate, br, zstd", "br"],
        ["br;q=0, gzip;q=0.5", "gzip"],
        ["*", "br"],
      ]) {
        const answer = await ask(path, asked, accepted);
        expect([accepted, answer.coding, answer.status]).toEqual([accepted, coding, plain.status]);
        expect(answer.text).toBe(plain.text);
        expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
        expect(answer.headers["content-length"]).toBeUndefined();
        expect(answer.headers.vary).toContain("Accept-Encoding");
        expect(answer.headers["cache-control"]).toBe("no-store");
      }
      for (const accepted of ["identity", "*;q=0", "gzip;q=0", "zstd", ""]) {
        const { text, headers, coding } = await ask(path, asked, accepted);
        expect([accepted, coding, text]).toEqual([accepted, undefined, plain.text]);
        expect(headers["content-length"]).toBe(plain.headers["content-length"]);
        expect(headers.vary).toContain("Accept-Encoding");
      }
    },
  );

  it("has no encoding and no wrong length for HEAD", async () => {
    for (const accepted of ["br", "identity"]) {
      const answer = await ask("/ip_policies?limit=100", { method: "HEAD" }, accepted);
      expect([answer.status, answer.bytes.length, answer.coding]).toEqual([200, 0, undefined]);
      expect(answer.headers["content-length"]).toBeUndefined();
    }
  });

  it("waits for a client that is slow to read, and is whole then", async () => {
    const headers = { "Accept-Encoding": "br" };
    const [slow, plain] = [
      await open("/graphql", { ...MANY, headers }),
      await ask("/graphql", MANY),
    ];
    slow.pause();
    // Others are served meanwhile.
    for (let times = 0; times < 20; times++) expect((await ask("/livez")).status).toBe(200);
    expect(brotliDecompressSync(await buffer(slow)).toString()).toBe(plain.text);
    expect(plain.text?.length).toBeGreaterThan(7 * 1024 * 1024);
  });

  it("stands in the log as finished, or as aborted when its client goes before", async () => {
    const lineOf = ({ headers }: IncomingMessage) =>
      log.find(({ operationId }) => operationId === headers["operation-id"]);
    const asked = { ...MANY, headers: { "Accept-Encoding": "gzip" } };
    const whole = await open("/graphql", asked);
    await buffer(whole);
    await expect.poll(() => lineOf(whole), SOON).toMatchObject({ status: 200 });
    expect(lineOf(whole)?.aborted).toBeUndefined();
    const left = await open("/graphql", asked);
    left.destroy();
    await expect.poll(() => lineOf(left), SOON).toMatchObject({ status: 200, aborted: true });
    expect(log.filter(({ level }) => level > 30)).toEqual([]);
  });
});

describe("an answer of less than a KiB", () => {
  it.each([
    ["REST", "/reserved_addrs", {}],
    ["REST, refused", "/ip_policies/ipp_nobody", {}],
    ["GraphQL", "/graphql", graphql("{ __typename }")],
    ["GraphQL, refused", "/graphql", graphql("{")],
  ])("is sent as it is, with its length: %s", async (_, path, asked) => {
    const { bytes, coding, headers } = await ask(path, asked, "br, gzip");
    expect([coding, headers["content-length"]]).toEqual([undefined, String(bytes.length)]);
    expect(headers.vary).toContain("Accept-Encoding");
  });
});

describe("a file of GraphiQL", () => {
  it("is compressed once for all, and keeps its length", async () => {
    const page = await ask("/graphql", { headers: { Accept: "text/html" } });
    const file = /graphql\/assets\/graphiql\.\w+\.css/.exec(page.text ?? "")?.[0];
    const plain = await ask(`/${file}`);
    for (const accepted of ["br", "gzip"]) {
      const { coding, text, bytes, headers } = await ask(`/${file}`, {}, accepted);
      expect([coding, headers["content-length"]]).toEqual([accepted, String(bytes.length)]);
      expect(headers.vary).toBe("Accept-Encoding");
      expect(text).toBe(plain.text);
    }
  });
});

describe("a subscription", () => {
  it.each(["gzip", "br", "gzip, deflate, br", "*"])(
    "is not compressed for who accepts %s: each event arrives before the next happens",
    async (accepted) => {
      const answer = await open("/graphql", {
        ...graphql("subscription { changes(types: [IP_POLICY]) { resourceId } }"),
        headers: { Accept: "text/event-stream", "Accept-Encoding": accepted },
      });
      expect(answer.headers["content-type"]).toBe("text/event-stream");
      expect(["gzip", "br", "deflate"]).not.toContain(answer.headers["content-encoding"]);
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      await expect.poll(() => text, SOON).toContain(":\n\n");
      for (let times = 0; times < 3; times++) {
        const made = await ask("/ip_policies", { method: "POST", body: "{}" });
        const { id } = JSON.parse(made.text ?? "");
        await expect.poll(() => text, SOON).toContain(`"resourceId":"${id}"`);
      }
      answer.destroy();
    },
  );
});
