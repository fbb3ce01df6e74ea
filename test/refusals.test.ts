import {
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_DEPTH } from "../src/domain/core/depth.js";
import { schema } from "../src/schema/index.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// How much a refusal says: where values are nested too deeply, of very many problems, and never a value.

let server: TestServer;
let routes: string;
beforeAll(async () => {
  server = await startServer();
  routes = `/edges/https/${(await rest(server, "POST", "/edges/https", {})).body.id}/routes`;
});
afterAll(() => server.stop());

interface GraphqlAnswer {
  readonly status: number;
  readonly text: string;
  readonly errors: Fields[];
}

/** `body` is sent as it is when it is a text. */
async function post(body: unknown, to: TestServer = server): Promise<GraphqlAnswer> {
  const response = await fetch(`${to.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${to.writeKey}`, "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, errors: JSON.parse(text).errors ?? [] };
}

const nestedList = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const nestedObject = (levels: number) => '{"a":'.repeat(levels) + 1 + "}".repeat(levels);

describe("JSON", () => {
  const pathOf = (path: string) => (path === "routes" ? routes : path);
  const USER_MAPS: readonly (readonly [path: string, body: (json: string) => string])[] = [
    ["/backends/failover", (json) => `{"backends":${json}}`],
    ["/backends/weighted", (json) => `{"backends":${json}}`],
    ["/backends/http_response", (json) => `{"headers":${json}}`],
    ["/backends/tunnel_group", (json) => `{"labels":${json}}`],
    ["/ssh_user_certificates", (json) => `{"extensions":${json}}`],
    ["/ssh_user_certificates", (json) => `{"critical_options":${json}}`],
    ["routes", (json) => `{"request_headers":{"add":${json}}}`],
    ["/ip_policies", (json) => `{"description":${json}}`],
  ];
  const TOO_DEEP = /is nested too deeply: it may have at most 32 levels of arrays and objects/;

  it.each(
    USER_MAPS.flatMap(([path, body]) => [32, 3_000, 50_000].map((n) => [path, body, n] as const)),
  )("in REST has a bounded depth, whoever its keys belong to: %s", async (path, body, levels) => {
    for (const json of [nestedList(levels), `{"a":${nestedList(levels)}}`]) {
      if (json.length > 120_000) continue;
      const answer = await rest(server, "POST", pathOf(path), body(json));
      expect([answer.status, answer.body.error_code]).toEqual([400, "ERR_INVALID_REQUEST"]);
      expect(answer.body.details.body).toMatch(TOO_DEEP);
    }
  });

  it("in REST may be as deep as its bound", async () => {
    for (const [path, body] of USER_MAPS) {
      const { status, body: answer } = await rest(
        server,
        "POST",
        pathOf(path),
        body(nestedList(20)),
      );
      expect(status).toBe(400);
      expect(answer.msg).not.toMatch(TOO_DEEP);
    }
  });

  it.each([
    ["variables", nestedObject],
    ["extensions", nestedObject],
    ["variables", (levels: number) => `{"ids":${nestedList(levels)}}`],
    ["extensions", (levels: number) => `{"a":${nestedList(levels)}}`],
  ])("in GraphQL has a bounded depth: %s", async (name, json) => {
    const query = "query($ids: [ID!]) { nodes(ids: $ids) { id } }";
    for (const levels of [33, 3_000, 40_000]) {
      const body = `{"query":${JSON.stringify(query)},"${name}":${json(levels)}}`;
      const { status, errors } = await post(body);
      expect([status, errors.length]).toEqual([400, 1]);
      expect(errors[0]?.extensions).toEqual({
        code: "INVALID_REQUEST",
        issues: [{ path: [name], message: expect.stringMatching(TOO_DEEP), limit: 32 }],
      });
      const batch = await post(`[${body}]`);
      expect(batch.status).toBe(400);
    }
    const parameters = new URLSearchParams({ query, [name]: json(500) });
    const byGet = await fetch(`${server.url}/graphql?${parameters}`, {
      headers: { Authorization: `Bearer ${server.writeKey}` },
    });
    expect(byGet.status).toBe(400);
  });

  it("in a document has the same bound", async () => {
    for (const literal of [nestedList(40), nestedList(900), `{a:${nestedList(40)}}`]) {
      const documents = [
        `{ nodes(ids: ${literal}) { id } }`,
        `query($ids: [ID!] = ${literal}) { nodes(ids: $ids) { id } }`,
        `{ __typename @skip(if: ${literal}) }`,
      ];
      for (const query of documents) {
        const { errors } = await post({ query });
        expect(errors[0]?.extensions).toMatchObject({
          code: "LIMIT_EXCEEDED",
          issues: [{ path: ["literals"], limit: 32 }],
        });
      }
    }
  });

  it("of every input fits into the bound", () => {
    const depthOf = (type: GraphQLInputType): number => {
      const inner = getNullableType(type);
      if (isListType(inner)) return 1 + depthOf(inner.ofType);
      if (!isInputObjectType(inner)) return 0;
      return 1 + Math.max(...Object.values(inner.getFields()).map((field) => depthOf(field.type)));
    };
    const depths = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()))
      .flatMap(({ args }) => args.map(({ type }) => depthOf(type)));
    // One level more is the object of the variables.
    expect(Math.max(...depths)).toBeLessThan(MAX_DEPTH);
  });
});

describe("a refusal of very many problems", () => {
  const MORE = (count: number) => `has further problems that are not listed: ${count}`;
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown_${i}`, 1]));

  it("over REST lists 100, and says how many more there are", async () => {
    const sent = JSON.stringify(fields(5_000));
    const { status, body } = await rest(server, "POST", "/ip_policies", sent);
    expect(status).toBe(400);
    const { operation_id: _, body: more, ...details } = body.details;
    expect(Object.keys(details)).toHaveLength(100);
    expect(more).toBe(MORE(4_900));
    expect(body.msg).toMatch(
      /^The request has 5000 problems: `unknown_0` is not a supported field/,
    );
    expect(body.msg).toContain(MORE(4_900));
    expect(JSON.stringify(body).length).toBeLessThan(sent.length);
  });

  it.each([1, 2, 99, 100, 101])("over REST lists all of %i, or all but one", async (count) => {
    const { body } = await rest(server, "POST", "/ip_policies", fields(count));
    const { operation_id: _, ...details } = body.details;
    expect(Object.keys(details)).toHaveLength(count);
    expect(details.body).toBe(count > 100 ? MORE(1) : undefined);
  });

  it("over GraphQL lists 100, and says how many more there are", async () => {
    const cases = [
      // One more is that the list is too long.
      { query: "query($ids: [ID!]!) { nodes(ids: $ids) { id } }", name: "ids", more: 4_901 },
      {
        query:
          "mutation($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { id } } }",
      },
    ];
    for (const { query, name = "input", more = 4_900 } of cases) {
      const value = name === "ids" ? Array.from({ length: 5_000 }, () => ({})) : fields(5_000);
      const { errors, text } = await post({ query, variables: { [name]: value } });
      expect(errors).toHaveLength(1);
      const { issues } = errors[0]?.extensions ?? {};
      expect(issues).toHaveLength(101);
      expect(issues.at(-1)).toEqual({ path: [], message: MORE(more) });
      expect(errors[0]?.message).toContain(MORE(more));
      expect(text.length).toBeLessThan(64 * 1024);
    }
    const { errors } = await post({ ...fields(300), query: "{ __typename }" });
    expect(errors[0]?.extensions.issues).toHaveLength(101);
  });

  it("cuts long names", async () => {
    const name = "n".repeat(100_000);
    const { body } = await rest(server, "POST", "/ip_policies", { [name]: 1 });
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
    const labels = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`${i}${"n".repeat(5_000)}`, 1]),
    );
    const map = await rest(server, "POST", "/backends/tunnel_group", { labels });
    expect(JSON.stringify(map.body).length).toBeLessThan(20_000);
  });

  it("looks at the length of a list or map before its items", async () => {
    const authority = await rest(server, "POST", "/ssh_certificate_authorities", {});
    const numbers = Array.from({ length: 20_000 }, (_, i) => i);
    const certificate = await rest(server, "POST", "/ssh_user_certificates", {
      ssh_certificate_authority_id: authority.body.id,
      public_key: "ssh-ed25519 AAAA",
      principals: numbers,
    });
    expect(certificate.body.details).toEqual({
      principals: "must have at most 256 items, and has 20000",
      public_key: expect.any(String),
      operation_id: expect.any(String),
    });
    const { body } = await rest(server, "POST", "/backends/tunnel_group", {
      labels: { ...numbers.slice(0, 5_000) },
    });
    expect(body.details.labels).toMatch(/^must have at most \d+ entries, and has 5000$/);
  });
});

describe("a refusal of a value of a wrong type", () => {
  const SECRET = "hunter2-in-a-wrong-place";
  const CREATE =
    "mutation($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { id } } }";
  const ROUTE =
    "mutation($input: CreateHttpsEdgeRouteInput!) { createHttpsEdgeRoute(input: $input) { httpsEdgeRoute { id } } }";
  const KEY =
    "mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }";

  /** Each of another kind, with the secret in it. */
  const VALUES = [SECRET, { a: SECRET }, [SECRET], [[{ a: [SECRET] }]], { [SECRET]: { a: 1 } }];

  it.each([
    ["a string", CREATE, (value: unknown) => ({ description: [value] })],
    ["a string as an object", CREATE, (value: unknown) => ({ description: { value } })],
    ["an object", CREATE, (value: unknown) => [[value]]],
    ["an enum", KEY, (value: unknown) => ({ scope: value })],
    ["an id", ROUTE, (value: unknown) => ({ edgeId: { value } })],
    ["true or false", ROUTE, (value: unknown) => ({ compression: { enabled: value } })],
    ["a number", ROUTE, (value: unknown) => ({ circuitBreaker: { trippedDuration: value } })],
    ["an array of maps", ROUTE, (value: unknown) => ({ requestHeaders: { add: value } })],
    [
      "a secret",
      ROUTE,
      (value: unknown) => ({
        oauth: { provider: { github: { clientId: "a", clientSecret: [value] } } },
      }),
    ],
  ])("does not repeat it, in variables where %s goes", async (_, query, input) => {
    for (const value of VALUES) {
      const { errors, text } = await post({ query, variables: { input: input(value) } });
      expect(errors).not.toEqual([]);
      // A name may be told, since it teaches.
      const names = JSON.stringify(value).includes(`"${SECRET}":`);
      if (!names) expect(text).not.toContain(SECRET);
    }
  });

  it.each([
    ["a number for a string", `{ ipPolicy(id: 1.5) { id } }`, "1.5"],
    [
      "a name for a string",
      `mutation { createIpPolicy(input: { metadata: ${"hunter2"} }) { ipPolicy { id } } }`,
      "hunter2",
    ],
    [
      "an object for a string",
      `mutation { createIpPolicy(input: { metadata: { a: "${SECRET}" } }) { ipPolicy { id } } }`,
    ],
    [
      "an array for a string",
      `mutation { createIpPolicy(input: { metadata: ["${SECRET}"] }) { ipPolicy { id } } }`,
    ],
    [
      "a string for an object",
      `mutation { createIpPolicy(input: "${SECRET}") { ipPolicy { id } } }`,
    ],
    [
      "an array for an object",
      `mutation { createIpPolicy(input: [["${SECRET}"]]) { ipPolicy { id } } }`,
    ],
    ["a string for a number", `{ ipPolicies(first: "${SECRET}") { totalCount } }`],
    ["an object for a number", `{ ipPolicies(first: { a: "${SECRET}" }) { totalCount } }`],
    ["a string for true or false", `{ __typename @skip(if: "${SECRET}") }`],
    [
      "a string for an enum",
      `mutation { createApiKey(input: { scope: "${SECRET}" }) { apiKey { id } } }`,
    ],
    [
      "a number for an enum",
      `mutation { createApiKey(input: { scope: 77031 }) { apiKey { id } } }`,
      "77031",
    ],
    ["a default", `query($first: Int = "${SECRET}") { ipPolicies(first: $first) { totalCount } }`],
    ["a huge number", `{ ipPolicies(first: 99999999999) { totalCount } }`, "99999999999"],
    ["a text where none is read", `{ ipPolicies(first "${SECRET}") { totalCount } }`],
    ["a text at the end", `{ ipPolicies { totalCount } } "${SECRET}"`],
    ["a block text", `{ ipPolicies """${SECRET}""" }`],
    ["a number where none is read", `{ ipPolicies 77031 }`, "77031"],
    ["an escape", `{ ipPolicy(id: "\\u{hunter2}") { id } }`, "hunter"],
  ])("does not repeat it, in a document: %s", async (_, query, secret = SECRET) => {
    for (const to of [server, closed]) {
      const { errors } = await post({ query }, to);
      expect(errors).not.toEqual([]);
      expect(JSON.stringify(errors.map(({ message }) => message))).not.toContain(secret);
    }
  });

  it("does not repeat it where a variable within it is null", async () => {
    const query = `mutation($a: String = "b.example:443") { createHttpsEdge(input: { metadata: "${SECRET}", hostports: [$a] }) { httpsEdge { id } } }`;
    const { errors, text } = await post({ query, variables: { a: null } });
    expect(errors.map(({ message }) => message)).toEqual(["`input.hostports.0` must not be null."]);
    expect(text).not.toContain(SECRET);
  });

  it("says the type that goes there, in an invalid document also the one that was found", async () => {
    const { errors } = await post({ query: `{ ipPolicies(first: "${SECRET}") { totalCount } }` });
    expect(errors.map(({ message }) => message)).toEqual([
      "`first` must be of the type Int: a whole number from -2147483648 to 2147483647.",
    ]);
    const invalid = await post({ query: `{ none ipPolicies(first: "${SECRET}") { totalCount } }` });
    expect(invalid.errors.map(({ message }) => message)).toContain(
      'Expected value of type "Int", found a string; it must be a whole number from -2147483648 to 2147483647.',
    );
    expect(invalid.text).not.toContain(SECRET);
  });

  it("does not repeat it over REST", async () => {
    const github = (fields: Fields) => ({ oauth: { provider: { github: fields } } });
    const bodies = (value: unknown): [string, Fields][] => [
      ["/ip_policies", { description: [value], metadata: { a: value } }],
      ["/api_keys", { scope: value, owner_id: [value] }],
      ["/edges/https", { hostports: { a: value }, mutual_tls: [value] }],
      [routes, github({ client_id: [value], client_secret: [value] })],
      [routes, { match_type: value, compression: [value], saml: [value] }],
      ["/backends/http_response", { status_code: [value], headers: { a: [value] }, body: [value] }],
      ["/backends/tunnel_group", { labels: { a: [value] } }],
      [
        "/ssh_user_certificates",
        { extensions: { a: [value] }, principals: [[value]], valid_until: value },
      ],
    ];
    for (const value of VALUES.slice(0, 4)) {
      for (const [path, body] of bodies(value)) {
        const answer = await rest(server, "POST", path, body);
        expect(answer.status).toBe(400);
        expect(JSON.stringify(answer.body)).not.toContain(SECRET);
      }
    }
  });

  let closed: TestServer;
  beforeAll(async () => {
    closed = await startServer({ graphql: { introspection: false } });
  });
  afterAll(() => closed.stop());
});

describe("a root field that is refused", () => {
  const DATA = `{ resources { count } }`;

  it.each([
    ["a list with a bad filter", `bad: httpsEdges(filter: { hostport: "?" }) { nodes { id } }`],
    ["a list with a bad page", "bad: backends(first: 0) { nodes { id } }"],
    ["a list with a bad cursor", `bad: hostportConflicts(after: "?") { nodes { hostport } }`],
    ["the change log with a bad id", `bad: changes(ids: ["?"]) { nodes { id } }`],
    ["too many ids", `bad: nodes(ids: ${JSON.stringify(Array(101).fill("x"))}) { id }`],
    ["a bad URL", `bad: resolveRoute(url: "?") { outcome }`],
    [
      "an overview with a bad duration",
      `bad: overview { expiringCertificates(within: "?") { sshUserCertificates { expired { count } } } }`,
    ],
  ])("leaves the rest of the page: %s", async (_, field) => {
    const query = `{ ${field} good: httpsEdges { totalCount } overview ${DATA} }`;
    const { text, errors } = await post({ query });
    expect(errors).toEqual([
      expect.objectContaining({
        path: expect.arrayContaining(["bad"]),
        extensions: expect.objectContaining({ code: "INVALID_REQUEST" }),
      }),
    ]);
    const { data } = JSON.parse(text);
    expect(data.bad).toBeNull();
    expect(data.good).toEqual({ totalCount: 1 });
    expect(data.overview.resources.length).toBeGreaterThan(10);
  });
});
