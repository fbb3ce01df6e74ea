import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { getIntrospectionQuery } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANSWERS } from "../src/schema/builder/errors.js";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

// Requests that mean harm, each refused with a code and without a statement to the database but the lookup of
// the key, while an honest client next to them is served as ever.

let server: TestServer;
let honest: { id: string; query: string };
beforeAll(async () => {
  server = await startServer();
  const made = await send({
    body: { query: "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }" },
  });
  const { id } = JSON.parse(made.text).data.createIpPolicy.ipPolicy;
  honest = { id, query: `{ ipPolicy(id: "${id}") { id rules { totalCount } } }` };
});
afterAll(() => server.stop());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is when it is a text or bytes, else as JSON. */
  readonly body?: unknown;
}

/** By node:http, which sends whatever it is told to. */
function send({ method = "POST", path = "", headers = {}, body }: Sent) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(`${server.url}/graphql${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server.writeKey}`,
        "content-type": "application/json",
        ...headers,
      },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
      response.on("error", reject);
    });
    if (body === undefined) sent.end();
    else if (typeof body === "string" || Buffer.isBuffer(body)) sent.end(body);
    else sent.end(JSON.stringify(body));
  });
}

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");
const nested = (levels: number, open: string, inner: string, close: string) =>
  open.repeat(levels) + inner + close.repeat(levels);
const get = (parameters: Record<string, string>) => ({
  method: "GET",
  path: `?${new URLSearchParams(parameters)}`,
});

const CREATE =
  "mutation($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { id } } }";
const NODES = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
const PAGE = "query($first: Int) { ipPolicies(first: $first) { nodes { id } } }";
/** Each policy has its rules, each rule its policy. */
const LOOP = "rules { nodes { ipPolicy { ";
const edges = (count: number, inner: string) =>
  `{ httpsEdges(first: ${count}) { nodes { routes(first: ${count}) { nodes { ${inner} } } } } }`;

const BACKEND = `__typename id description metadata ... on StaticBackend { address tls { enabled } }
  ... on TunnelGroupBackend { labels { name value } } ... on HttpResponseBackend { statusCode body headers { name value } }`;
const WEIGHTED = `... on WeightedBackend { backends { weight backend { ${BACKEND} } } }`;
const SESSION = "enabled cookiePrefix inactivityTimeout maximumDuration optionsPassthrough";
const OAUTH = "clientId clientSecret scopes emailAddresses emailDomains";
const DASHBOARD = `query Dashboard { httpsEdges(first: 50) { totalCount pageInfo { hasNextPage endCursor }
  nodes { id description metadata hostports tlsTermination { enabled minVersion } mutualTls { enabled certificateAuthorities { id } }
    routes(first: 100) { totalCount pageInfo { hasNextPage endCursor }
      nodes { id createdAt updatedAt version description metadata matchType match
        compression { enabled } websocketTcpConverter { enabled } trafficPolicy { enabled value }
        circuitBreaker { enabled trippedDuration rollingWindow numBuckets volumeThreshold errorThresholdPercentage }
        requestHeaders { enabled add { name value } remove } responseHeaders { enabled add { name value } remove }
        webhookVerification { enabled provider secret } userAgentFilter { enabled allow deny }
        oauth { ${SESSION} authCheckInterval provider { github { ${OAUTH} teams } google { ${OAUTH} } microsoft { ${OAUTH} } } }
        oidc { ${SESSION} issuer clientId clientSecret scopes } saml { ${SESSION} forceAuthn idpMetadata entityId }
        ipRestriction { enabled ipPolicies { id description } }
        backend { enabled backend { ${BACKEND} ${WEIGHTED} ... on FailoverBackend { backends { ${BACKEND} ${WEIGHTED} } } } }
      } # of the routes
    }
  } # of the edges
} }`;

/** Name, document, code, and the limit that is named. */
const DOCUMENTS: readonly (readonly [string, string, string, string?])[] = [
  [
    "deep fields",
    `{ ipPolicies { nodes { ${nested(5, LOOP, "id", "} } } ")} } } }`,
    "LIMIT_EXCEEDED",
    "depth",
  ],
  ["fields as deep as tokens go", nested(600, "{ node ", "{ id }", "}"), "LIMIT_EXCEEDED", "depth"],
  [
    "inline fragments as deep as tokens go",
    `{ ${nested(600, "... { ", "__typename", " }")} }`,
    "LIMIT_EXCEEDED",
    "depth",
  ],
  [
    "a chain of fragments",
    `{ ...F0 } ${times(240, (i) => `fragment F${i} on Query { ${i < 239 ? `...F${i + 1}` : "__typename"} }`)}`,
    "LIMIT_EXCEEDED",
    "depth",
  ],
  [
    "depth hidden in fragments",
    `{ ipPolicies { nodes { ...A } } } fragment A on IpPolicy { rules { nodes { ipPolicy { ...B } } } } fragment B on IpPolicy { rules { nodes { ipPolicy { ...C } } } } fragment C on IpPolicy { rules { nodes { ipPolicy { ...D } } } } fragment D on IpPolicy { rules { nodes { ipPolicy { id rules { nodes { id } } } } } }`,
    "LIMIT_EXCEEDED",
    "depth",
  ],
  [
    "an unused deep fragment",
    `{ __typename } fragment F on IpPolicy { ${nested(10, LOOP, "id", "} } } ")} }`,
    "LIMIT_EXCEEDED",
    "depth",
  ],
  ["more tokens than allowed", `{ ${"__typename ".repeat(3_000)} }`, "LIMIT_EXCEEDED", "tokens"],
  ["20,000 levels", nested(20_000, "{ node ", "", "}"), "LIMIT_EXCEEDED", "tokens"],
  [
    "an array of 20,000 values",
    `{ nodes(ids: [${'"a" '.repeat(20_000)}]) { id } }`,
    "LIMIT_EXCEEDED",
    "tokens",
  ],
  [
    "an array value of 10,000 levels",
    `{ nodes(ids: ${nested(10_000, "[", "", "]")}) { id } }`,
    "LIMIT_EXCEEDED",
  ],
  ["punctuation alone", "{".repeat(100_000), "GRAPHQL_PARSE_FAILED"],
  ["many aliases", `{ ${times(31, (i) => `a${i}: __typename`)} }`, "LIMIT_EXCEEDED", "aliases"],
  [
    "aliases of one field below the root",
    `{ ipPolicies { ${times(40, (i) => `a${i}: totalCount`)} } }`,
    "LIMIT_EXCEEDED",
    "aliases",
  ],
  [
    "aliases in fragments",
    `{ ${times(4, (i) => `a${i}: ipPolicies { ...F }`)} } fragment F on IpPolicyConnection { ${times(8, (i) => `b${i}: totalCount`)} }`,
    "LIMIT_EXCEEDED",
    "aliases",
  ],
  [
    "aliased fragments that double 60 times",
    `{ ...F0 } ${times(60, (i) => `fragment F${i} on Query { a${i}: __typename ${i < 59 ? `...F${i + 1} ...F${i + 1}` : ""} }`)}`,
    "LIMIT_EXCEEDED",
    "aliases",
  ],
  [
    "many root fields",
    `{ ${times(21, (i) => `a${i}: ipPolicies { totalCount }`)} }`,
    "LIMIT_EXCEEDED",
    "rootFields",
  ],
  [
    "one root field many times",
    `{ ${times(390, () => "ipPolicies { totalCount }")} }`,
    "LIMIT_EXCEEDED",
    "rootFields",
  ],
  [
    "the same leaf 1990 times",
    `{ ${"__typename ".repeat(1_990)} }`,
    "LIMIT_EXCEEDED",
    "rootFields",
  ],
  [
    "root fields in fragments that double 70 times",
    `{ ...F0 } ${times(70, (i) => `fragment F${i} on Query { __typename ${i < 69 ? `...F${i + 1} ...F${i + 1}` : ""} }`)}`,
    "LIMIT_EXCEEDED",
    "rootFields",
  ],
  [
    "many mutations",
    `mutation { ${times(25, (i) => `a${i}: createIpPolicy(input: {}) { ipPolicy { id } }`)} }`,
    "LIMIT_EXCEEDED",
    "rootFields",
  ],
  [
    "a fragment that spreads itself",
    "{ ...F } fragment F on Query { ...F }",
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "fragments in a circle",
    `{ node(id: "x") { ...F0 } } ${times(40, (i) => `fragment F${i} on IpPolicy { rules { nodes { ipPolicy { ...F${(i + 1) % 40} ...F${(i + 2) % 40} } } } }`)}`,
    "LIMIT_EXCEEDED",
    "depth",
  ],
  [
    "two fragments in a circle",
    '{ node(id: "x") { ...A } } fragment A on IpPolicy { rules { nodes { ipPolicy { ...B } } } } fragment B on IpPolicy { rules { nodes { ipPolicy { ...A } } } }',
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "an unused circle of fragments",
    "{ __typename } fragment A on IpPolicy { rules { nodes { ipPolicy { ...B } } } } fragment B on IpPolicy { rules { nodes { ipPolicy { ...A } } } }",
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "fields that conflict in pairs",
    `{ ipPolicies { ${times(30, (i) => `nodes { rules(first: ${i}) { totalCount } }`)} } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "one field with 300 arguments of its own",
    `{ ipPolicies { nodes { ${times(180, (i) => `rules(first: ${i}) { totalCount }`)} } } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "the same field 1900 times below the root",
    `{ ipPolicies { ${"totalCount ".repeat(1_900)} } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "overlapping fields at every level",
    `{ ipPolicies { ${"nodes { id rules { nodes { id ipPolicy { id } } } } ".repeat(10)} ${times(15, (i) => `nodes { id(x: ${i}) }`)} } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "many unused fragments",
    `{ __typename } ${times(200, (i) => `fragment F${i} on Query { __typename }`)}`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "many unknown fields",
    `{ ipPolicies { ${times(1_900, (i) => `x${i}`)} } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "unknown fields, each nearly a known one",
    `{ ipPolicies { nodes { ${times(900, (i) => `descriptio${i}`)} } } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["an unknown argument", "{ ipPolicies(limit: 5) { totalCount } }", "GRAPHQL_VALIDATION_FAILED"],
  ["an unknown type", "query($x: Nothing) { __typename }", "GRAPHQL_VALIDATION_FAILED"],
  ["an unknown directive", "{ __typename @loop }", "GRAPHQL_VALIDATION_FAILED"],
  [
    "a directive 250 times",
    `{ __typename ${"@skip(if: true) ".repeat(250)} }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["deferred work", "{ ... @defer { __typename } }", "GRAPHQL_VALIDATION_FAILED"],
  [
    "operations of one name",
    "query A { __typename } query A { __typename }",
    "OPERATION_RESOLUTION_FAILURE",
  ],
  [
    "variables of one name",
    `query(${times(400, () => "$v: Int")}) { __typename }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "many unused variables",
    `query(${times(400, (i) => `$v${i}: Int`)}) { __typename }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["a huge int", `{ ipPolicies(first: ${"9".repeat(100_000)}) { totalCount } }`, "INVALID_REQUEST"],
  ["an int of 33 bits", "{ ipPolicies(first: 4294967296) { totalCount } }", "INVALID_REQUEST"],
  ["a float for an int", "{ ipPolicies(first: 1e3) { totalCount } }", "INVALID_REQUEST"],
  [
    "an input object with a field twice",
    "mutation { createIpPolicy(input: { metadata: 1, metadata: 2 }) { ipPolicy { id } } }",
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "__proto__ as an input field",
    "mutation { createIpPolicy(input: { __proto__: {} }) { ipPolicy { id } } }",
    "INVALID_REQUEST",
  ],
  ["constructor as a field", "{ constructor { prototype } }", "GRAPHQL_VALIDATION_FAILED"],
  [
    "introspection that multiplies itself",
    "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "the whole schema 20 times",
    `{ ${times(15, (i) => `a${i}: __schema { ...S }`)} } fragment S on __Schema { types { fields { name type { ...T } args { type { ...T } } } } } fragment T on __Type { ${nested(12, "ofType { ", "name", " }")} ${nested(12, "ofType { ", "kind", " }")} ${nested(12, "ofType { ", "description", " }")} ${nested(12, "ofType { ", "specifiedByURL", " }")} }`,
    "LIMIT_EXCEEDED",
    "cost",
  ],
  [
    "pages in pages",
    edges(100, "edge { routes(first: 30) { nodes { id } } }"),
    "LIMIT_EXCEEDED",
    "cost",
  ],
  [
    "default pages in pages",
    "{ httpsEdges { nodes { routes { nodes { backend { backend { parents { nodes { parents { nodes { usedBy { totalCount } } } } } } } } } } } }",
    "LIMIT_EXCEEDED",
    "cost",
  ],
  [
    "fragments without aliases that double the cost",
    "{ ipPolicies { ...A } } fragment A on IpPolicyConnection { nodes { rules { ...B } } edges { node { rules { ...B } } } } fragment B on IpPolicyRuleConnection { nodes { ipPolicy { ...C } } edges { node { ipPolicy { ...C } } } } fragment C on IpPolicy { rules(first: 100) { nodes { id } edges { node { id } } } }",
    "LIMIT_EXCEEDED",
    "cost",
  ],
  ["a string that never ends", '{ node(id: "', "GRAPHQL_PARSE_FAILED"],
  ["NUL in a document", "{ __typename \0 }", "GRAPHQL_PARSE_FAILED"],
  ["lone surrogates in an escape", '{ node(id: "\\uD800") { id } }', "GRAPHQL_PARSE_FAILED"],
  ["text that is no GraphQL", "SELECT * FROM api_keys; --", "GRAPHQL_PARSE_FAILED"],
  ["an empty selection", "{ }", "GRAPHQL_PARSE_FAILED"],
  ["a comment alone", `# ${"x".repeat(100_000)}`, "GRAPHQL_PARSE_FAILED"],
  ["a type definition", "type Query { a: Int }", "OPERATION_RESOLUTION_FAILURE"],
];

/** Name, request, code, and the limit that is named. */
type Hostile = readonly [string, Sent, string, (string | undefined)?];

const REQUESTS: readonly Hostile[] = [
  ["no body", {}, "BAD_REQUEST"],
  ["an empty object", { body: {} }, "BAD_REQUEST"],
  ["null", { body: "null" }, "BAD_REQUEST"],
  ["a number", { body: "7" }, "BAD_REQUEST"],
  ["JSON that ends early", { body: '{"query": "{ __typename }"' }, "BAD_REQUEST"],
  ["JSON of 100,000 levels", { body: nested(100_000, "[", "", "]") }, "BAD_REQUEST"],
  [
    "invalid UTF-8",
    { body: Buffer.from([...Buffer.from('{"query":"'), 0xff, 0xfe, 0x22, 0x7d]) },
    "BAD_REQUEST",
  ],
  ["UTF-16", { body: Buffer.from('{"query":"{__typename}"}', "utf16le") }, "BAD_REQUEST"],
  ["query as a list", { body: { query: ["{ __typename }"] } }, "BAD_REQUEST"],
  ["variables as a list", { body: { query: PAGE, variables: [1] } }, "BAD_REQUEST"],
  ["variables as text", { body: { query: PAGE, variables: "{}" } }, "BAD_REQUEST"],
  ["extensions as a number", { body: { query: PAGE, extensions: 1 } }, "BAD_REQUEST"],
  ["operationName as an object", { body: { query: PAGE, operationName: {} } }, "BAD_REQUEST"],
  ["unknown parameters", { body: { query: PAGE, doc: "x", __proto: 1 } }, "BAD_REQUEST"],
  [
    "__proto__ as a parameter",
    { body: '{"query": "{ __typename }", "__proto__": {"query": 1}}' },
    "BAD_REQUEST",
  ],
  [
    "a huge operationName",
    { body: { query: "query A { __typename }", operationName: "A".repeat(200_000) } },
    "OPERATION_RESOLUTION_FAILURE",
  ],
  [
    "an unknown operationName",
    { body: { query: "query A { __typename } query B { __typename }", operationName: "C" } },
    "OPERATION_RESOLUTION_FAILURE",
  ],
  [
    "no operationName for two operations",
    { body: { query: "query A { __typename } query B { __typename }" } },
    "OPERATION_RESOLUTION_FAILURE",
  ],
  [
    "a body of 300 KiB",
    { body: { query: `{ __typename } # ${"x".repeat(300 * 1024)}` } },
    "BODY_TOO_LARGE",
  ],
  [
    "a body of 8 MiB in chunks",
    { headers: { "transfer-encoding": "chunked" }, body: "x".repeat(8 * 1024 * 1024) },
    "BODY_TOO_LARGE",
  ],
  [
    "a bomb in gzip",
    {
      headers: { "content-encoding": "gzip" },
      body: gzipSync(Buffer.alloc(16 * 1024 * 1024, 0x20)),
    },
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "a form",
    {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "query={__typename}",
    },
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "multipart",
    {
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"{__typename}"}\r\n--x--',
    },
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "plain text",
    { headers: { "content-type": "text/plain" }, body: '{"query":"{__typename}"}' },
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "a document as the body",
    { headers: { "content-type": "application/graphql" }, body: "{ __typename }" },
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "no content type",
    { headers: { "content-type": "" }, body: '{"query":"{__typename}"}' },
    "UNSUPPORTED_MEDIA_TYPE",
  ],
  [
    "an answer as an image",
    {
      headers: { accept: "image/png" },
      body: { query: "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }" },
    },
    "NOT_ACCEPTABLE",
  ],
  ["PUT", { method: "PUT", body: { query: "{ __typename }" } }, "METHOD_NOT_ALLOWED"],
  ["DELETE", { method: "DELETE" }, "METHOD_NOT_ALLOWED"],
  [
    "OPTIONS",
    { method: "OPTIONS", headers: { origin: "https://evil.example" } },
    "METHOD_NOT_ALLOWED",
  ],
  [
    "a mutation by GET",
    get({ query: "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }" }),
    "METHOD_NOT_ALLOWED",
  ],
  [
    "a mutation by GET, named among queries",
    get({
      query: "query A { __typename } mutation B { createIpPolicy(input: {}) { ipPolicy { id } } }",
      operationName: "B",
    }),
    "METHOD_NOT_ALLOWED",
  ],
  [
    "variables by GET that are no JSON",
    get({ query: "{ __typename }", variables: "{" }),
    "BAD_REQUEST",
  ],
  ["GET without a query", get({}), "BAD_REQUEST"],
  ["no operations in a batch", { body: [] }, "BAD_REQUEST"],
  [
    "101 operations in a batch",
    { body: Array.from({ length: 101 }, () => ({ query: "{ __typename }" })) },
    "LIMIT_EXCEEDED",
    "batch",
  ],
  ["a batch in a batch", { body: [[{ query: "{ __typename }" }]] }, "BAD_REQUEST"],
  ["null in a batch", { body: [{ query: "{ __typename }" }, null] }, "BAD_REQUEST"],
  [
    "an enormous page by variable",
    {
      body: {
        query:
          "query($n: Int) { ipPolicies(first: $n) { nodes { rules(first: $n) { totalCount nodes { ipPolicy { rules(first: $n) { nodes { id } } } } } } } }",
        variables: { n: 2_147_483_647 },
      },
    },
    "LIMIT_EXCEEDED",
    "cost",
  ],
  [
    "an int of 64 bits by variable",
    { body: `{"query": "${PAGE}", "variables": {"first": 9007199254740993}}` },
    "INVALID_REQUEST",
  ],
  [
    "1e400 by variable",
    { body: `{"query": "${PAGE}", "variables": {"first": 1e400}}` },
    "INVALID_REQUEST",
  ],
  [
    "a string for an int by variable",
    { body: { query: PAGE, variables: { first: "1" } } },
    "INVALID_REQUEST",
  ],
  [
    "a deep list by variable",
    { body: `{"query": "${NODES}", "variables": {"ids": ${nested(2_000, "[", "", "]")}}}` },
    "INVALID_REQUEST",
  ],
  [
    "a deep object by variable",
    {
      body: `{"query": "${CREATE}", "variables": {"input": ${nested(2_000, '{"input":', "1", "}")}}}`,
    },
    "INVALID_REQUEST",
  ],
  [
    "31,000 ids by variable",
    {
      body: {
        query: NODES,
        variables: { ids: Array.from({ length: 31_000 }, () => "x") },
      },
    },
    "LIMIT_EXCEEDED",
    "cost",
  ],
  [
    "10,000 problems in a variable",
    { body: { query: NODES, variables: { ids: Array.from({ length: 10_000 }, () => null) } } },
    "INVALID_REQUEST",
  ],
  [
    "80,000 values of a wrong type in a variable",
    { body: { query: NODES, variables: { ids: Array.from({ length: 80_000 }, () => ({})) } } },
    "INVALID_REQUEST",
  ],
  [
    "10,000 unknown fields in a variable",
    {
      body: {
        query: CREATE,
        variables: {
          input: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, i])),
        },
      },
    },
    "INVALID_REQUEST",
  ],
  [
    "__proto__ in a variable",
    { body: `{"query": "${CREATE}", "variables": {"input": {"__proto__": {"metadata": "x"}}}}` },
    "INVALID_REQUEST",
  ],
  ["a required variable left out", { body: { query: CREATE } }, "INVALID_REQUEST"],
  [
    "a hash of no operation",
    { body: { extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } } } },
    "PERSISTED_QUERY_NOT_SUPPORTED",
  ],
  [
    "a document id of no operation",
    { body: { documentId: `sha256:${"0".repeat(64)}` } },
    "PERSISTED_QUERY_NOT_SUPPORTED",
  ],
  [
    "a wrong key",
    { headers: { authorization: "Bearer wrong" }, body: { query: "{ __typename }" } },
    "UNAUTHENTICATED",
  ],
];

const CORPUS: readonly Hostile[] = [
  ...DOCUMENTS.map(
    ([name, query, code, limit]): Hostile => [name, { body: { query } }, code, limit],
  ),
  ...REQUESTS,
];

describe("a hostile request", () => {
  it("comes in more than 60 ways", () => {
    expect(new Set(CORPUS.map(([name]) => name)).size).toBe(CORPUS.length);
    expect(CORPUS.length).toBeGreaterThan(60);
  });

  it.each(CORPUS.map((entry) => [entry[0], entry] as const))(
    "is refused, and an honest one next to it is served: %s",
    async (_, [, hostile, code, limit]) => {
      const outcomes: { status: number; text: string }[] = [];
      const statements = await server.statements(async () => {
        outcomes.push(await send(hostile));
      });
      const [refused] = outcomes;
      const { errors, data } = JSON.parse(refused?.text ?? "") as Fields;
      expect(errors.map((error: Fields) => error.extensions.code)).toEqual(errors.map(() => code));
      expect(data ?? null).toBeNull();
      expect(errors.length).toBeLessThanOrEqual(21);
      expect(refused?.text.length).toBeLessThan(64 * 1024);
      if (limit) {
        expect(errors[0].extensions.issues).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ path: [limit], limit: expect.any(Number) }),
          ]),
        );
      }
      expect(statements.filter((sql) => !sql.includes("api_keys"))).toEqual([]);

      const [served] = await Promise.all([send({ body: { query: honest.query } }), send(hostile)]);
      expect(JSON.parse(served.text).data).toEqual({
        ipPolicy: { id: honest.id, rules: { totalCount: 0 } },
      });
    },
  );

  it("is refused with the status of its code, also when it accepts other than plain JSON", async () => {
    for (const [name, hostile, code] of CORPUS) {
      if (code === "NOT_ACCEPTABLE") continue;
      const headers = { ...hostile.headers, accept: "application/graphql-response+json" };
      const { status } = await send({ ...hostile, headers });
      const expected = code === "INVALID_REQUEST" ? 400 : Reflect.get(ANSWERS, code).status;
      expect([name, status]).toEqual([name, expected]);
    }
  });
});

describe("an honest request", () => {
  it.each([
    [
      "the introspection of explorers",
      getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, specifiedByUrl: true }),
    ],
    ["20 root fields", `{ ${times(20, (i) => `a${i}: ipPolicies(first: 1) { totalCount }`)} }`],
    [
      "15 levels",
      `{ ipPolicies(first: 1) { nodes { ${nested(4, "rules(first: 1) { nodes { ipPolicy { ", "id", " } } }")} } } }`,
    ],
    ["1900 tokens", `{ __typename ${" # x\n,,, ".repeat(1_000)} }`],
    [
      "edges with their routes",
      edges(5, "id match backend { backend { id description } } oauth { enabled }"),
    ],
    ["the page of a dashboard, with all that belongs to 50 edges with 100 routes each", DASHBOARD],
    [
      "the same with the secrets of all providers",
      DASHBOARD.replace(
        "github {",
        `${["amazon", "facebook", "gitlab", "linkedin", "twitch"].map((name) => `${name} { ${OAUTH} }`).join(" ")} github {`,
      ),
    ],
    [
      "the same with edges in place of nodes",
      DASHBOARD.replaceAll("nodes {", "edges { cursor node {").replaceAll("} #", "} } #"),
    ],
  ])("is served: %s", async (_, query) => {
    const { text } = await send({ body: { query } });
    expect(JSON.parse(text)).toMatchObject({ data: expect.any(Object) });
    expect(JSON.parse(text).errors).toBeUndefined();
  });

  it("is served in a batch of five pages of 20 edges with 20 routes each", async () => {
    const query = DASHBOARD.replace("first: 50", "first: 20").replace("first: 100", "first: 20");
    const { text } = await send({ body: Array.from({ length: 5 }, () => ({ query })) });
    const answers = JSON.parse(text) as Fields[];
    expect(answers.map(({ errors }) => errors)).toEqual(Array(5).fill(undefined));
    const costs = answers.map(({ extensions }) => extensions.cost.requested);
    expect(costs.reduce((a, b) => a + b)).toBeLessThan(answers[0]?.extensions.cost.limit / 2);
  });
});
