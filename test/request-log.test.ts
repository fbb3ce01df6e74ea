import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// The log line of each request.

const PERSISTED = "query Persisted { ipPolicies { totalCount } }";
const HASH = createHash("sha256").update(PERSISTED).digest("hex");

const lines: Fields[] = [];
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    log: { write: (line) => void lines.push(JSON.parse(line)) },
    graphql: { persistedOperations: JSON.stringify({ [HASH]: PERSISTED }), deadlineMs: 20_000 },
    rateLimits: null,
  });
});
afterAll(() => server.stop());
afterEach(() => void lines.splice(0));

/** The only line, once it is there: it is written when the connection has all of the answer. */
async function onlyLine(): Promise<Fields> {
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines).toHaveLength(1);
  return lines[0] ?? {};
}

const asJson = (body: unknown) => ({
  method: "POST",
  headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

describe("the log line of a REST request", () => {
  it("has the template of its path, its times and its key", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", {});
    expect(await onlyLine()).toEqual({
      level: 30,
      time: expect.any(Number),
      pid: expect.any(Number),
      hostname: expect.any(String),
      msg: "request",
      operationId: expect.stringMatching(/^op_/),
      keyId: expect.stringMatching(/^ak_/),
      method: "POST",
      path: "/ip_policies",
      route: "/ip_policies",
      status: 201,
      ms: expect.any(Number),
      databaseMs: expect.any(Number),
      statements: expect.any(Number),
    });
    lines.splice(0);
    await rest(server, "GET", `/ip_policies/${body.id}`);
    const line = await onlyLine();
    expect(line).toMatchObject({ path: `/ip_policies/${body.id}`, route: "/ip_policies/{id}" });
    expect(line.databaseMs).toBeGreaterThan(0);
    expect(line.databaseMs).toBeLessThanOrEqual(line.ms);
    expect(line.statements).toBeGreaterThanOrEqual(1);
  });

  it("counts the statements of a transaction, with those that begin and end it", async () => {
    const { body } = await rest(server, "POST", "/edges/https", {});
    lines.splice(0);
    const sent = await server.statements(() =>
      rest(server, "PATCH", `/edges/https/${body.id}`, { description: "a" }),
    );
    const { statements, databaseMs, ms } = await onlyLine();
    expect(statements).toBeGreaterThanOrEqual(sent.length);
    expect(statements).toBeLessThanOrEqual(sent.length + 2);
    expect(databaseMs).toBeLessThanOrEqual(ms);
  });

  it("has the time that a statement takes", async () => {
    const { db } = server.context;
    await db.$executeRaw`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END'`;
    await db.$executeRaw`CREATE TRIGGER slow BEFORE INSERT ON ip_policies FOR EACH ROW EXECUTE FUNCTION slow()`;
    try {
      await rest(server, "POST", "/ip_policies", {});
      expect((await onlyLine()).databaseMs).toBeGreaterThanOrEqual(290);
    } finally {
      await db.$executeRaw`DROP FUNCTION slow CASCADE`;
    }
  });

  it("is charged for a statement that it shares with others, as they are", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", {});
    lines.splice(0);
    const sent = await server.statements(() =>
      Promise.all(Array.from({ length: 40 }, () => rest(server, "GET", `/ip_policies/${body.id}`))),
    );
    await expect.poll(() => lines.length).toBe(40);
    expect(sent.filter((text) => text.includes("ip_policies")).length).toBeLessThan(40);
    for (const line of lines) {
      expect(line.statements).toBeGreaterThanOrEqual(1);
      expect(line.databaseMs).toBeGreaterThan(0);
    }
  });

  it.each([
    ["GET", "/ip_policies/ipp_x", "/ip_policies/{id}", "NOT_FOUND", 404],
    ["PUT", "/ip_policies", "/ip_policies", "METHOD_NOT_ALLOWED", 405],
    ["GET", "/nothing", undefined, "NOT_FOUND", 404],
    ["GET", "/graphql/nothing", undefined, "NOT_FOUND", 404],
  ])("has the code of a refusal: %s %s", async (method, path, route, code, status) => {
    expect((await rest(server, method, path)).status).toBe(status);
    const line = await onlyLine();
    expect(line).toMatchObject({ status, codes: [code], method });
    expect(line.route).toBe(route);
  });

  it("has no key when there is no valid one", async () => {
    await rest(server, "GET", "/ip_policies", undefined, { Authorization: "Bearer wrong" });
    const line = await onlyLine();
    expect(line).toMatchObject({ route: "/ip_policies", codes: ["UNAUTHENTICATED"] });
    expect(line).not.toHaveProperty("keyId");
  });

  it("is bounded, on one line, whatever the path", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const path = `/\x01\u001b[31m${"x".repeat(5_000)}`;
    socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    socket.resume();
    await once(socket, "close");
    await rest(server, "GET", `/${"y".repeat(5_000)}`);
    await expect.poll(() => lines.length).toBe(2);
    for (const { path } of lines) expect(path.length).toBeLessThanOrEqual(301);
  });

  it.each([
    ["/livez", "/livez"],
    ["/readyz", "/readyz"],
    ["/docs", "/docs"],
    ["/docs/assets/none.js", "/docs/assets/{file}"],
    ["/dashboard", "/dashboard"],
    ["/dashboard/edges/https", "/dashboard/{page}"],
    ["/dashboard/assets/none.js", "/dashboard/assets/{file}"],
    ["/openapi.json", "/openapi.json"],
  ])("names what is no operation: %s", async (path, route) => {
    await (await fetch(server.url + path)).arrayBuffer();
    expect((await onlyLine()).route).toBe(route);
  });
});

describe("the log line of a GraphQL request", () => {
  it("has the type and the name of its operation", async () => {
    await graphql(server, "query Named { ipPolicies { totalCount } }");
    const line = await onlyLine();
    expect(line).toMatchObject({
      method: "POST",
      path: "/graphql",
      route: "/graphql",
      operation: { type: "query", name: "Named" },
      status: 200,
      keyId: expect.stringMatching(/^ak_/),
    });
    expect(line.statements).toBeGreaterThanOrEqual(1);
    expect(line.databaseMs).toBeGreaterThan(0);
    expect(line).not.toHaveProperty("codes");
  });

  it("has the type alone of an operation without a name", async () => {
    await graphql(server, "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }");
    expect((await onlyLine()).operation).toEqual({ type: "mutation" });
  });

  it("has the operation that is asked for, of several, and that of the manifest", async () => {
    const query = "query A { __typename } query B { __typename }";
    await (await fetch(`${server.url}/graphql`, asJson({ query, operationName: "B" }))).text();
    expect((await onlyLine()).operation).toEqual({ type: "query", name: "B" });
    lines.splice(0);
    await (await fetch(`${server.url}/graphql`, asJson({ documentId: `sha256:${HASH}` }))).text();
    expect((await onlyLine()).operation).toEqual({ type: "query", name: "Persisted" });
  });

  it("has the number of the operations of a batch, and all of their codes once", async () => {
    const missing = 'query M { ipPolicy(id: "ipp_x") { id } node(id: "x") { id } }';
    const batch = [{ query: "{ __typename }" }, { query: missing }, { query: "{ nothing }" }];
    await (await fetch(`${server.url}/graphql`, asJson(batch))).text();
    const line = await onlyLine();
    expect(line.operations).toBe(3);
    expect(line).not.toHaveProperty("operation");
    expect(line.codes.sort()).toEqual(["GRAPHQL_VALIDATION_FAILED", "NOT_FOUND"]);
  });

  it.each([
    ["a batch that is too long", Array(11).fill({ query: "{ __typename }" }), "LIMIT_EXCEEDED"],
    ["a document that is none", { query: "{" }, "GRAPHQL_PARSE_FAILED"],
    ["a body that is none", "x", "BAD_REQUEST"],
    ["an unknown hash", { documentId: "sha256:0" }, "PERSISTED_QUERY_NOT_FOUND"],
    [
      "a cost that is too high",
      { query: "{ edges { nodes { id } } }" },
      "GRAPHQL_VALIDATION_FAILED",
    ],
  ])("has the code of a refusal: %s", async (_, body, code) => {
    await (await fetch(`${server.url}/graphql`, asJson(body))).text();
    expect((await onlyLine()).codes).toEqual([code]);
  });

  it("has a bounded name", async () => {
    await graphql(server, `query ${"N".repeat(20_000)} { __typename }`);
    expect((await onlyLine()).operation.name).toBe(`${"N".repeat(100)}…`);
  });

  it("has the defect, and its code", async () => {
    const { db } = server.context;
    await db.$executeRaw`ALTER TABLE ip_policies RENAME TO gone`;
    try {
      await expect(graphql(server, "{ ipPolicies { nodes { id } } }")).rejects.toThrow();
      await rest(server, "GET", "/ip_policies");
      await expect.poll(() => lines.length).toBe(2);
      for (const line of lines) {
        expect(line).toMatchObject({ msg: "request failed", level: 50, codes: ["INTERNAL"] });
        expect(Object.keys(line.err).sort()).toEqual(["code", "message", "stack", "type"]);
      }
    } finally {
      await db.$executeRaw`ALTER TABLE gone RENAME TO ip_policies`;
    }
  });

  it("comes at the end of a subscription", async () => {
    const going = new AbortController();
    const { headers, ...request } = asJson({ query: "subscription S { changes { id } }" });
    const accepting = { ...headers, Accept: "text/event-stream" };
    const signal = going.signal;
    const answer = await fetch(`${server.url}/graphql`, { ...request, headers: accepting, signal });
    expect(answer.status).toBe(200);
    expect(lines).toHaveLength(0);
    going.abort();
    expect(await onlyLine()).toMatchObject({
      operation: { type: "subscription", name: "S" },
      route: "/graphql",
    });
  });
});
