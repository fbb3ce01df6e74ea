import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { getIntrospectionQuery } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const manifest = (...documents: string[]) =>
  JSON.stringify(Object.fromEntries(documents.map((text) => [hash(text), text])));

const LIST = "query List($first: Int) { ipPolicies(first: $first) { totalCount } }";
const MAKE = "mutation Make { createIpPolicy(input: {}) { ipPolicy { version } } }";
const UNKNOWN = "{ __typename }";

const persisted = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hash(text) } },
});

async function send(server: TestServer, body: object, method = "POST"): Promise<Fields> {
  const query = new URLSearchParams(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const response = await fetch(`${server.url}/graphql${method === "GET" ? `?${query}` : ""}`, {
    method,
    headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Fields;
}

const code = ({ errors }: Fields) => errors?.[0].extensions.code;

describe("persisted operations", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ graphql: { persistedOperations: manifest(LIST, MAKE) } });
  });
  afterAll(() => server.stop());

  it.each(["POST", "GET"])("are executed by their hash, by %s", async (method) => {
    const variables = { first: 1 };
    for (const body of [persisted(LIST), { documentId: `sha256:${hash(LIST)}` }]) {
      const { data } = await send(server, { ...body, variables }, method);
      expect(data).toEqual({ ipPolicies: { totalCount: expect.any(Number) } });
    }
  });

  it("keep to the cost and the types of their variables", async () => {
    const wrong = await send(server, { ...persisted(LIST), variables: { first: "x" } });
    expect(code(wrong)).toBe("INVALID_REQUEST");
    const { extensions } = await send(server, { ...persisted(LIST), variables: { first: 3 } });
    expect(extensions.cost).toEqual({ requested: 2, limit: 300_000 });
  });

  it("that change something are for POST", async () => {
    expect(code(await send(server, persisted(MAKE), "GET"))).toBe("METHOD_NOT_ALLOWED");
    expect((await send(server, persisted(MAKE))).data).toEqual({
      createIpPolicy: { ipPolicy: { version: 1 } },
    });
  });

  it("are not added by clients: a document with its hash is executed, and not kept", async () => {
    const sent = await send(server, { query: UNKNOWN, ...persisted(UNKNOWN) });
    expect(sent.data).toEqual({ __typename: "Query" });
    expect(code(await send(server, persisted(UNKNOWN)))).toBe("PERSISTED_QUERY_NOT_FOUND");
  });

  it("leave other documents as they are", async () => {
    expect((await send(server, { query: UNKNOWN })).data).toEqual({ __typename: "Query" });
    expect(code(await send(server, {}))).toBe("BAD_REQUEST");
  });
});

describe("persisted operations alone", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      graphql: { persistedOperations: manifest(LIST), persistedOperationsOnly: true },
    });
  });
  afterAll(() => server.stop());

  it("are executed", async () => {
    expect((await send(server, persisted(LIST))).data).toBeDefined();
  });

  it.each([
    ["a document", { query: UNKNOWN }, "PERSISTED_QUERY_REQUIRED"],
    ["a document that is persisted", { query: LIST }, "PERSISTED_QUERY_REQUIRED"],
    [
      "a document with a known hash",
      { query: UNKNOWN, ...persisted(LIST) },
      "PERSISTED_QUERY_REQUIRED",
    ],
    ["introspection", { query: getIntrospectionQuery() }, "PERSISTED_QUERY_REQUIRED"],
    ["nothing", {}, "PERSISTED_QUERY_REQUIRED"],
    ["an unknown hash", persisted(UNKNOWN), "PERSISTED_QUERY_NOT_FOUND"],
    [
      "the name that a document is cached by",
      { query: `__PERSISTED_OPERATION_${hash(LIST)}__` },
      "PERSISTED_QUERY_REQUIRED",
    ],
  ])("refuse %s", async (_, body, expected) => {
    expect(code(await send(server, body))).toBe(expected);
  });
});

describe("without a manifest", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it.each(["POST", "GET"])("a hash alone is refused for good, by %s", async (method) => {
    const { errors } = await send(server, persisted(LIST), method);
    expect(errors).toEqual([
      {
        message: "PersistedQueryNotSupported",
        extensions: { code: "PERSISTED_QUERY_NOT_SUPPORTED" },
      },
    ]);
  });

  it("a documentId is refused, and the message says what to send", async () => {
    const refused = await send(server, { documentId: `sha256:${hash(LIST)}` });
    expect(code(refused)).toBe("PERSISTED_QUERY_NOT_SUPPORTED");
    expect(refused.errors[0].message).toContain("Send the document as `query`");
  });

  it("a document with its hash is executed", async () => {
    const { data } = await send(server, { query: UNKNOWN, ...persisted(UNKNOWN) });
    expect(data).toEqual({ __typename: "Query" });
  });

  it.each([true, false])("Apollo's link asks twice just once, by GET %s", async (useGET) => {
    const requests: string[] = [];
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new PersistedQueryLink({ sha256: hash, useGETForHashedQueries: useGET }).concat(
        new HttpLink({
          uri: `${server.url}/graphql`,
          headers: { Authorization: `Bearer ${server.writeKey}` },
          fetch: (target, init) => {
            requests.push(init?.method ?? "GET");
            return fetch(target, init);
          },
        }),
      ),
    });
    for (const name of ["A", "B", "C"]) {
      const query = gql(`query ${name} { ipPolicies(first: 1) { totalCount } }`);
      const { data, error } = await client.query({ query, fetchPolicy: "no-cache" });
      expect([data, error]).toEqual([
        { ipPolicies: expect.objectContaining({ totalCount: expect.any(Number) }) },
        undefined,
      ]);
    }
    expect(requests).toEqual([useGET ? "GET" : "POST", "POST", "POST", "POST"]);
  });
});

describe("the manifest", () => {
  const refused = (persistedOperations: string) =>
    startServer({ graphql: { persistedOperations } }).then(
      (server) => server.stop(),
      (error: Error) => error.message.split("\n"),
    );

  it("is made from the .graphql files of a folder", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "edgeplane-test-"));
    try {
      mkdirSync(path.join(folder, "below"));
      writeFileSync(path.join(folder, "list.graphql"), LIST);
      writeFileSync(path.join(folder, "below", "make.graphql"), MAKE);
      writeFileSync(path.join(folder, "notes.txt"), "no operation");
      const script = fileURLToPath(new URL("../scripts/persist.mjs", import.meta.url));
      const made = execFileSync(process.execPath, [script, folder], { encoding: "utf8" });
      expect(JSON.parse(made)).toEqual(JSON.parse(manifest(LIST, MAKE)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is refused with all of its problems", async () => {
    const deep = `{ ipPolicies { nodes { ${"rules { nodes { ipPolicy { ".repeat(5)} id ${"} ".repeat(18)}`;
    const entries = { ...JSON.parse(manifest("{ nothing }", "{", deep, LIST)), abc: LIST };
    const [first, ...problems] = (await refused(JSON.stringify(entries))) ?? [];
    expect(first).toBe("The manifest of persisted operations has problems:");
    expect(problems).toEqual([
      expect.stringContaining(`${hash("{ nothing }")}: Cannot query field "nothing"`),
      expect.stringContaining(`${hash("{")}: Syntax Error`),
      expect.stringContaining(`${hash(deep)}: \`depth\` is 18`),
      expect.stringContaining("abc: is not the SHA-256 of its document"),
    ]);
  });

  it.each(["", "[]", '{"a": 1}', "{"])("must be an object of texts, not %j", async (text) => {
    expect(await refused(text)).toEqual([
      expect.stringContaining("must be a JSON object whose names are SHA-256 hashes"),
    ]);
  });
});
