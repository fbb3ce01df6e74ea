import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { staleVersion } from "../src/domain/changes/versions.js";
import { errorResponse, ANSWERS as REST_ANSWERS } from "../src/rest/transport/errors.js";
import { ANSWERS as GRAPHQL_ANSWERS } from "../src/schema/builder/errors.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql } from "./harness/transports.js";

interface Answer {
  readonly status: number;
  readonly unlessJson?: true;
}

describe("docs/errors.md", () => {
  const text = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \|([^|]*)\|([^|]*)\| \S.* \|$/gm)].map(
    ([, code = "", graphql = "", rest = ""]) => [code, graphql.trim(), rest.trim()],
  );

  it("has the codes of both transports, with the status in each", () => {
    const graphql = new Map<string, Answer>(Object.entries(GRAPHQL_ANSWERS));
    const rest = new Map<string, { status: number; code: string }>(Object.entries(REST_ANSWERS));
    const codes = new Set([...graphql.keys(), ...rest.keys()]);
    const expected = [...codes].map((code) => {
      const answer = graphql.get(code);
      const status = answer && `${answer.status}${answer.unlessJson ? "*" : ""}`;
      return [code, status ?? "", String(rest.get(code)?.status ?? "")];
    });
    expect(rows.toSorted()).toEqual(expected.toSorted());
    expect(rows.length).toBeGreaterThan(15);
  });

  it("says how the codes of REST begin", () => {
    for (const [code, answer] of Object.entries(REST_ANSWERS)) {
      expect(answer.code).toBe(`ERR_${code}`);
    }
  });
});

describe("a stale version", () => {
  it("is answered with the current one as a member of the details over REST", async () => {
    const refusal = staleVersion("ipPolicy", "ipp_1", 3, 1);
    const response = errorResponse(refusal, refusal.issues, "op_1");
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      error_code: "ERR_CONFLICT",
      details: { current_version: "3", operation_id: "op_1" },
    });
  });
});

describe("errors that teach", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  async function errorsOf(query: string, variables: Fields = {}): Promise<Fields[]> {
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.writeKey}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ query, variables }),
    });
    return ((await response.json()) as Fields).errors;
  }

  it("have the current version as a number, when another one was expected", async () => {
    const document = `mutation { a: createIpPolicy(input: {}) { ipPolicy { id } } }`;
    const response = await graphql(server, document);
    const id = response.a.ipPolicy.id;
    const change = `mutation($id: ID!) {
      updateIpPolicy(id: $id, expectedVersion: 7, input: { description: "d" }) { changes { version } } }`;
    const [error] = await errorsOf(change, { id });
    expect(error).toMatchObject({
      path: ["updateIpPolicy"],
      extensions: {
        code: "CONFLICT",
        currentVersion: 1,
        issues: [{ path: ["expectedVersion"] }],
      },
    });
    const [other] = await errorsOf(change, { id: "ipp_1" });
    expect(other?.extensions).not.toHaveProperty("currentVersion");
  });

  it("of a deletion lead from the id to what stands in its way", async () => {
    const policy = (
      await graphql(server, "mutation { a: createIpPolicy(input: {}) { ipPolicy { id } } }")
    ).a.ipPolicy.id;
    const user = await graphql(
      server,
      `mutation($policies: [ID!]!) { a: createTlsEdge(input: { ipRestriction: { ipPolicyIds: $policies } }) {
        tlsEdge { id } } }`,
      { policies: [policy] },
    );
    const [error] = await errorsOf(
      "mutation($id: ID!) { deleteIpPolicy(id: $id) { changes { label } } }",
      {
        id: policy,
      },
    );
    expect(error?.extensions).toMatchObject({
      code: "IN_USE",
      issues: [{ path: ["id", "usedBy", 0], message: expect.stringContaining(user.a.tlsEdge.id) }],
    });
  });

  it.each([
    [
      "an unknown field the fields of its type",
      "{ ipPolicies { node { id } } }",
      /Did you mean "nodes"\? Fields of "IpPolicyConnection": edges, nodes, pageInfo, totalCount\./,
    ],
    [
      "an unknown argument those of its field",
      "{ ipPolicy(key: 1) { id } }",
      /Arguments of "ipPolicy": id\./,
    ],
    [
      "an unknown argument of a directive those of it",
      "{ __typename @skip(unless: true) }",
      /Arguments of "skip": if\./,
    ],
    [
      "an unknown enum value the known ones",
      "mutation { createApiKey(input: { scope: ADMIN }) { apiKey { id } } }",
      /`input\.scope` must be one of `READ`, `WRITE`\./,
    ],
    [
      "a string for an enum value the known ones",
      'mutation { createApiKey(input: { scope: "READ" }) { apiKey { id } } }',
      /`input\.scope` must be one of `READ`, `WRITE`\./,
    ],
    [
      "an unknown input field those of its type",
      "mutation { createIpPolicy(input: { descripton: 1 }) { ipPolicy { id } } }",
      /`input\.descripton` is not a supported field; supported are `description`, `metadata`\./,
    ],
    [
      "an unknown operation the known ones",
      "query A { __typename } query B { __typename }",
      /They are A, B\./,
    ],
  ])("tell %s", async (_, query, message) => {
    const errors = await errorsOf(query);
    expect(errors.map((error) => error.message)).toEqual(
      expect.arrayContaining([expect.stringMatching(message)]),
    );
  });

  it("report every problem of a document, up to 20", async () => {
    const some = await errorsOf(
      "{ a b: ipPolicies(x: 1) { y } ipPolicies(first: true) { totalCount } }",
    );
    expect(some).toHaveLength(4);
    expect(some.map(({ locations }) => locations.length)).toEqual([1, 1, 1, 1]);
    const all = await errorsOf(
      `{ ${Array.from({ length: 19 }, (_, i) => `x${i}`).join(" ")} ipPolicies { ${Array.from({ length: 30 }, (_, i) => `y${i}`).join(" ")} } }`,
    );
    expect(all).toHaveLength(21);
    expect(all.at(-1)?.message).toMatch(/^Too many validation errors/);
  });

  it("report every problem of the variables, an error for each field, with paths from its arguments on", async () => {
    const errors = await errorsOf(
      `query($size: Int!, $last: Int, $some: [ID!]!) { ipPolicies(first: $size, last: $last) { totalCount } nodes(ids: $some) { id } }`,
      { last: "many", some: ["a", null, { b: 1 }] },
    );
    expect(errors.map(({ locations, extensions }) => ({ locations, ...extensions }))).toEqual([
      {
        locations: [{ line: 1, column: 49 }],
        code: "INVALID_REQUEST",
        issues: [
          { path: ["first"], message: "is required" },
          { path: ["last"], message: expect.stringContaining("must be of the type Int") },
        ],
      },
      {
        locations: [{ line: 1, column: 102 }],
        code: "INVALID_REQUEST",
        issues: [
          { path: ["ids", 1], message: "must not be null" },
          { path: ["ids", 2], message: expect.stringContaining("must be of the type ID") },
        ],
      },
    ]);
  });

  it("tell in variables the fields and enum values that there are", async () => {
    const [key, route] = await errorsOf(
      "mutation($key: CreateApiKeyInput!, $route: CreateHttpsEdgeRouteInput!) { createApiKey(input: $key) { apiKey { id } } createHttpsEdgeRoute(input: $route) { httpsEdgeRoute { id } } }",
      { key: { scope: "ADMIN", owner: 1 }, route: { matchType: "REGEX", compression: [] } },
    );
    const message = expect.stringContaining("supported are `description`");
    expect(key?.extensions.issues).toEqual([
      { path: ["input", "owner"], message },
      { path: ["input", "scope"], message: "must be one of `READ`, `WRITE`" },
    ]);
    expect(route?.extensions.issues).toEqual(
      expect.arrayContaining([
        { path: ["input", "matchType"], message: "must be one of `EXACT_PATH`, `PATH_PREFIX`" },
        { path: ["input", "compression"], message: "must be an object" },
        { path: ["input", "edgeId"], message: "is required" },
      ]),
    );
  });

  it.each([
    ["bytes", { metadata: "x".repeat(4097) }, ["metadata"], 4096],
    [
      "items",
      { hostports: Array.from({ length: 251 }, (_, i) => `a${i}.example:443`) },
      ["hostports"],
      250,
    ],
    [
      "items of a module",
      { mutualTls: { certificateAuthorityIds: [] } },
      ["mutualTls", "certificateAuthorityIds"],
      1,
    ],
  ])("state the limit met as a number: %s", async (_, input, path, limit) => {
    const [error] = await errorsOf(
      "mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) { httpsEdge { id } } }",
      { input },
    );
    expect(error?.extensions.issues).toEqual([
      { path: ["input", ...path], message: expect.any(String), limit },
    ]);
  });

  it("state the end of the range that was left", async () => {
    const query = (code: number) =>
      errorsOf(
        `mutation { createHttpResponseBackend(input: { statusCode: ${code} }) { httpResponseBackend { id } } }`,
      );
    const limits = await Promise.all([query(100), query(600)]);
    expect(limits.map(([error]) => error?.extensions.issues[0].limit)).toEqual([200, 599]);
  });
});
