import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What holds for every operation of the GraphQL transport.

let server: TestServer;
const ids: string[] = [];
beforeAll(async () => {
  server = await startServer();
  for (let i = 0; i < 5; i++) {
    ids.unshift((await rest(server, "POST", "/ip_policies", { metadata: `${i}` })).body.id);
  }
});
afterAll(() => server.stop());

async function post(body: unknown, headers: Record<string, string> = {}, query = "") {
  const response = await fetch(`${server.url}/graphql${query}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Content-Type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const errorsOf = (text: string) => (JSON.parse(text) as { errors: Fields[] }).errors;

describe("requests", () => {
  it.each(["", "Bearer ", "Bearer unknown", "Basic dTpw"])(
    "need a valid key, not %j: 401",
    async (authorization) => {
      const answer = await post({ query: "{ __typename }" }, { Authorization: authorization });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(errorsOf(answer.text)).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
      expect(answer.text).not.toContain("__typename");
    },
  );

  const unseen: readonly (readonly [
    string,
    { body: unknown; headers?: Record<string, string> },
  ])[] = [
    ["a document with a syntax error", { body: { query: "{" } }],
    ["a document that does not fit the schema", { body: { query: "{ nothing }" } }],
    ["no JSON", { body: "{" }],
    ["another type", { body: "x", headers: { "Content-Type": "text/plain" } }],
    ["a batch", { body: [{ query: "{ __typename }" }, { query: "{ __typename }" }] }],
    ["a batch of too many", { body: Array.from({ length: 100 }, () => ({ query: "{ a }" })) }],
    ["a body that is too large", { body: "x".repeat(300 * 1024) }],
    ["a hash of no operation", { body: { documentId: "0".repeat(64) } }],
    ["too many tokens", { body: { query: `{ ${"a ".repeat(5_000)} }` } }],
  ];
  it.each(unseen)("are not looked at without a key: %s", async (_, { body, headers = {} }) => {
    const statements = await server.statements(async () => {
      const answer = await post(body, { ...headers, Authorization: "Bearer unknown" });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(JSON.parse(answer.text)).toEqual({
        errors: [
          { message: expect.any(String), extensions: { code: "UNAUTHENTICATED", issues: [] } },
        ],
      });
    });
    expect(statements).toHaveLength(1);
  });

  it("are not looked at without a key: GET", async () => {
    const response = await fetch(`${server.url}/graphql?query={&variables={`);
    expect(response.status).toBe(401);
  });

  it("need no version header, and have an operation id", async () => {
    const answer = await post({ query: "{ __typename }" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("operation-id")).toMatch(/^op_[0-9A-Za-z]{27}$/);
  });

  it.each([
    ["application/x-www-form-urlencoded", "query={__typename}"],
    ["multipart/form-data; boundary=x", "--x--"],
    ["text/plain", '{"query":"{__typename}"}'],
    ["application/graphql", "{__typename}"],
  ])("must be JSON, not %s: 415", async (type, body) => {
    const answer = await post(body, { "Content-Type": type });
    expect(answer.status).toBe(415);
    expect(errorsOf(answer.text)).toMatchObject([
      { extensions: { code: "UNSUPPORTED_MEDIA_TYPE" } },
    ]);
  });

  it("have at most 256 KiB", async () => {
    const answer = await post({ query: `{ __typename } # ${"x".repeat(256 * 1024)}` });
    expect(answer.status).toBe(413);
  });

  it("have at most 2000 tokens", async () => {
    const deep = `${"{ node ".repeat(20_000)}${"}".repeat(20_000)}`;
    const answer = await post({ query: deep });
    expect(errorsOf(answer.text)).toMatchObject([
      { extensions: { code: "LIMIT_EXCEEDED", issues: [{ path: ["tokens"], limit: 2000 }] } },
    ]);
  });

  it.each(["/health", "/graphql/health"])("are no health checks, even at ?x=%s", async (path) => {
    const answer = await post({ query: "{ __typename }" }, {}, `?x=${path}`);
    expect(JSON.parse(answer.text).data).toEqual({ __typename: "Query" });
  });

  it("get no CORS headers", async () => {
    const { headers } = await post({ query: "{ __typename }" }, { Origin: "https://evil.example" });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("node", () => {
  it("finds any resource by its id alone", async () => {
    const backend = (await rest(server, "POST", "/backends/weighted", {})).body.id;
    const data = await graphql(
      server,
      `query($ids: [ID!]!, $id: ID!) {
         node(id: $id) { __typename id version ... on IpPolicy { rules { totalCount } } }
         nodes(ids: $ids) { __typename id } none: node(id: "ipp_nobody") { id } odd: node(id: "?") { id } }`,
      { id: ids[0], ids: [backend, "edghts_nobody", ids[1], ids[1]] },
    );
    expect(data).toEqual({
      node: { __typename: "IpPolicy", id: ids[0], version: 1, rules: { totalCount: 0 } },
      nodes: [
        { __typename: "WeightedBackend", id: backend },
        null,
        { __typename: "IpPolicy", id: ids[1] },
        { __typename: "IpPolicy", id: ids[1] },
      ],
      none: null,
      odd: null,
    });
  });

  it("finds at most 100 at once", async () => {
    const query = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    const refused = graphql(server, query, { ids: Array.from({ length: 101 }, () => ids[0]) });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_REQUEST", paths: ["ids"] });
  });
});

describe("connections", () => {
  const page = async (args: string) => {
    const data = await graphql(
      server,
      `{ ipPolicies(${args}) { totalCount nodes { id } edges { cursor }
         pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    );
    const { nodes, pageInfo } = data.ipPolicies;
    return {
      ids: nodes.map(({ id }: Fields) => id),
      ...pageInfo,
      total: data.ipPolicies.totalCount,
    };
  };

  it("page forwards, from the newest on", async () => {
    expect(await page("first: 2")).toEqual({
      ids: [ids[0], ids[1]],
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: ids[0],
      endCursor: ids[1],
      total: 5,
    });
    expect(await page(`first: 3, after: "${ids[1]}"`)).toMatchObject({
      ids: ids.slice(2),
      hasNextPage: false,
      hasPreviousPage: true,
    });
  });

  it("page backwards, from the oldest on", async () => {
    expect(await page("last: 2")).toMatchObject({
      ids: [ids[3], ids[4]],
      hasNextPage: false,
      hasPreviousPage: true,
    });
    expect(await page(`last: 2, before: "${ids[3]}"`)).toMatchObject({
      ids: [ids[1], ids[2]],
      hasNextPage: true,
      hasPreviousPage: true,
    });
  });

  it("lie between two cursors", async () => {
    expect((await page(`after: "${ids[0]}", before: "${ids[4]}"`)).ids).toEqual(ids.slice(1, 4));
  });

  it.each([
    ["first: 0", ["first"]],
    ["first: -5", ["first"]],
    ["first: 101, last: -1", ["first", "last"]],
    ['last: 1, first: 1, after: "%", before: ""', ["after", "before", "last"]],
  ])("refuse %s, every problem at once", async (args, paths) => {
    const refused = graphql(server, `{ ipPolicies(${args}) { nodes { id } } }`);
    await expect(refused).rejects.toMatchObject({ code: "INVALID_REQUEST", paths });
  });
});

describe("errors", () => {
  it("have a code, issues with paths from the argument on, and the path in the answer", async () => {
    const { text } = await post({
      query: `mutation($input: CreateIpPolicyInput!) { made: createIpPolicy(input: $input) { ipPolicy { id } } }`,
      variables: { input: { description: "x".repeat(256), metadata: "a\0b" } },
    });
    expect(errorsOf(text)).toEqual([
      {
        message: expect.stringContaining("2 problems"),
        path: ["made"],
        extensions: {
          code: "INVALID_REQUEST",
          issues: [
            {
              path: ["input", "description"],
              message: "must have at most 255 bytes of UTF-8, and has 256",
              limit: 255,
            },
            { path: ["input", "metadata"], message: "must not contain NUL characters" },
          ],
        },
      },
    ]);
  });

  it("of one mutation leave the others as they are", async () => {
    const { text } = await post({
      query: `mutation { a: createIpPolicy(input: {}) { ipPolicy { version } }
        b: deleteIpPolicy(id: "ipp_nobody") { changes { resourceId } } c: createIpPolicy(input: {}) { ipPolicy { version } } }`,
    });
    const { data, errors } = JSON.parse(text);
    expect(data).toEqual({
      a: { ipPolicy: { version: 1 } },
      b: null,
      c: { ipPolicy: { version: 1 } },
    });
    expect(errors).toMatchObject([{ path: ["b"], extensions: { code: "NOT_FOUND" } }]);
  });

  it("name the fields of a document that does not fit the schema", async () => {
    const { status, text } = await post({ query: "{ ipPolicys { nodes { id } } }" });
    expect(status).toBe(200);
    expect(errorsOf(text)[0]?.message).toMatch(/Did you mean .*"ipPolicies"/);
  });

  it("mask defects, and give the operation id to quote", async () => {
    const { id } = (await rest(server, "POST", "/backends/static", { address: "a:1" })).body;
    await server.context.db.backend.update({ where: { id }, data: { kind: "unheard-of" } });
    const answer = await post({ query: `{ node(id: "${id}") { id } }` });
    const [error] = errorsOf(answer.text);
    expect(error).toMatchObject({
      message: "Something went wrong on our side. Quote the operation id when you report it.",
      extensions: { code: "INTERNAL", operationId: answer.headers.get("operation-id") },
    });
    expect(answer.text).not.toContain("unheard-of");
    await server.context.db.backend.delete({ where: { id } });
  });
});
