import { isInputObjectType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Table, usersOf } from "../../src/domain/storage/graph.js";
import { schema } from "../../src/schema/index.js";
import { fill, timeAfterRows } from "../harness/bulk.js";
import { markAgain } from "../harness/marks.js";
import { explain, looksOf, problemOf } from "../harness/plans.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, graphql } from "../harness/transports.js";

// Every filter and order is served by an index: on 100,000 routes, and thousands of rows of all else, nothing is
// read from one end to the other. What is explained is what the server sends.

let server: TestServer;
/** Ids of rows that filters name, by list. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  server = await startServer();
  await fill(server);
  for (const list of LISTS) {
    const data = await graphql(server, `{ ${list}(last: 1) { nodes { id } } }`);
    ids[list] = data[list].nodes[0].id;
  }
}, 120_000);
afterAll(() => server.stop());

interface Case {
  readonly list: string;
  readonly filter?: () => Fields;
  readonly orderBy?: Fields;
  /** Which page: the first one by default. */
  readonly page?: "first" | "late" | "last";
}

const LISTS = [
  "agentIngresses",
  "apiKeys",
  "backends",
  "certificateAuthorities",
  "endpointConfigurations",
  "failoverBackends",
  "httpResponseBackends",
  "httpsEdgeRoutes",
  "httpsEdges",
  "ipPolicies",
  "ipPolicyRules",
  "ipRestrictions",
  "reservedAddrs",
  "reservedDomains",
  "sshCertificateAuthorities",
  "sshCredentials",
  "sshHostCertificates",
  "sshUserCertificates",
  "staticBackends",
  "tcpEdges",
  "tlsCertificates",
  "tlsEdges",
  "tunnelGroupBackends",
  "weightedBackends",
] as const;

const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const modules = (list: string, type: string) =>
  enumNames(`${type}ModuleKind`).flatMap((kind): Case[] => [
    { list, filter: () => ({ module: { kind } }) },
    { list, filter: () => ({ module: { kind, enabled: false } }) },
  ]);

const certificates = (list: string, principal: string): Case[] => [
  { list, filter: () => ({ sshCertificateAuthorityId: ids.sshCertificateAuthorities }) },
  { list, filter: () => ({ principal }) },
  { list, filter: () => ({ keyType: "RSA" }) },
  { list, filter: () => ({ validAt: later(10_000) }) },
  { list, filter: () => ({ expiringBefore: later(48) }) },
];

/** Filters that find no rows, few, most or all of them, whatever the list. */
const SHAPES: readonly (() => Fields)[] = [
  () => ({ search: "nowhere" }),
  () => ({ search: "rare team" }),
  () => ({ search: "of many" }),
  () => ({ search: "zz" }),
  () => ({ search: "ee" }),
  () => ({ search: "ma" }),
  () => ({ search: "y" }),
  () => ({ search: "0.z" }),
  () => ({ search: "f m" }),
  () => ({ updatedAfter: timeAfterRows(1_000_000) }),
  () => ({ updatedAfter: timeAfterRows(100_000) }),
  () => ({ updatedBefore: timeAfterRows(10) }),
  () => ({ updatedAfter: timeAfterRows(50), updatedBefore: timeAfterRows(100_000) }),
  () => ({ updatedBefore: timeAfterRows(1_000_000) }),
  () => ({ updatedAfter: timeAfterRows(500), updatedBefore: timeAfterRows(600) }),
  () => ({ createdAfter: timeAfterRows(500), createdBefore: timeAfterRows(600) }),
];

const DIRECTIONS = ["ASC", "DESC"] as const;

/**
 * Every order of a list, each page of it, and with every shape of filter. An index is read in both directions alike, so
 * each shape takes one of them, and another one in the next order.
 */
const ordersOf = (list: string): Case[] =>
  enumNames(`${typeOf(list)}OrderField`).flatMap((field, turn): Case[] => [
    ...DIRECTIONS.flatMap((direction) =>
      (["first", "late", "last"] as const).map((page) => ({
        list,
        orderBy: { field, direction },
        page,
      })),
    ),
    ...SHAPES.map((filter, number) => ({
      list,
      orderBy: { field, direction: DIRECTIONS[(turn + number) % DIRECTIONS.length] },
      filter,
    })),
  ]);

const cases: readonly Case[] = [
  ...LISTS.flatMap(ordersOf),
  ...LISTS.flatMap((list): Case[] => [
    { list },
    { list, filter: () => ({ ids: [ids[list]] }) },
    { list, filter: () => ({ search: "RARE needle" }) },
    { list, filter: () => ({ search: "rare team" }) },
    { list, filter: () => ({ search: "ra" }) },
    { list, filter: () => ({ createdBefore: timeAfterRows(100) }) },
    { list, filter: () => ({ createdAfter: timeAfterRows(99_000) }) },
  ]),
  { list: "agentIngresses", filter: () => ({ domain: "AGENTS-77.example.com" }) },
  { list: "agentIngresses", filter: () => ({ domain: "nowhere.example.com" }) },
  { list: "agentIngresses", filter: () => ({ search: "agents-77.example" }) },
  { list: "apiKeys", filter: () => ({ scope: "READ" }) },
  { list: "backends", filter: () => ({ kind: "FAILOVER" }) },
  { list: "backends", filter: () => ({ unused: true }) },
  { list: "backends", filter: () => ({ unused: false }) },
  { list: "staticBackends", filter: () => ({ unused: true }) },
  { list: "staticBackends", filter: () => ({ address: "HOST-77.internal:80" }) },
  { list: "staticBackends", filter: () => ({ address: "nowhere.internal:80" }) },
  { list: "staticBackends", filter: () => ({ address: "shared.internal:80" }) },
  {
    list: "staticBackends",
    filter: () => ({ address: "shared.internal:80" }),
    orderBy: { field: "ADDRESS" },
  },
  { list: "failoverBackends", filter: () => ({ unused: true }) },
  { list: "httpResponseBackends", filter: () => ({ unused: true }) },
  { list: "tunnelGroupBackends", filter: () => ({ unused: true }) },
  { list: "weightedBackends", filter: () => ({ unused: true }) },
  { list: "certificateAuthorities", filter: () => ({ unused: true }) },
  { list: "certificateAuthorities", filter: () => ({ expiringBefore: later(48) }) },
  { list: "endpointConfigurations", filter: () => ({ unused: true }) },
  ...modules("endpointConfigurations", "EndpointConfiguration"),
  { list: "ipPolicies", filter: () => ({ unused: true }) },
  { list: "ipPolicyRules", filter: () => ({ ipPolicyId: ids.ipPolicies }) },
  { list: "ipPolicyRules", filter: () => ({ action: "DENY" }) },
  { list: "ipPolicyRules", filter: () => ({ cidr: "10.0.7.0/24" }) },
  { list: "ipRestrictions", filter: () => ({ type: "AGENT" }) },
  { list: "ipRestrictions", filter: () => ({ enforced: true }) },
  { list: "ipRestrictions", filter: () => ({ enforced: false }) },
  { list: "ipRestrictions", filter: () => ({ ipPolicyId: ids.ipPolicies }) },
  { list: "reservedAddrs", filter: () => ({ addr: "77.TCP:10000" }) },
  { list: "reservedAddrs", filter: () => ({ region: "SA" }) },
  { list: "reservedAddrs", filter: () => ({ attached: true }) },
  { list: "reservedAddrs", filter: () => ({ attached: false }) },
  {
    list: "reservedAddrs",
    filter: () => ({ endpointConfigurationId: ids.endpointConfigurations }),
  },
  { list: "reservedDomains", filter: () => ({ domain: "DOMAIN-77.example.com" }) },
  { list: "reservedDomains", filter: () => ({ domain: "nowhere.example.com" }) },
  { list: "reservedDomains", filter: () => ({ search: "domain-77.example" }) },
  { list: "reservedDomains", filter: () => ({ region: "SA" }) },
  { list: "reservedDomains", filter: () => ({ certificateId: ids.tlsCertificates }) },
  {
    list: "reservedDomains",
    filter: () => ({ endpointConfigurationId: ids.endpointConfigurations }),
  },
  { list: "sshCredentials", filter: () => ({ ownerId: "owner-77" }) },
  { list: "sshCredentials", filter: () => ({ ownerId: "nobody" }) },
  { list: "sshCredentials", filter: () => ({ keyType: "ED25519_SK" }) },
  { list: "sshCredentials", filter: () => ({ aclRule: "bind:host-77.example.com" }) },
  { list: "sshCredentials", filter: () => ({ aclRule: "bind:nowhere.example.com" }) },
  ...certificates("sshHostCertificates", "host-77"),
  ...certificates("sshUserCertificates", "user-77"),
  { list: "httpsEdges", filter: () => ({ hostport: "site-77.EXAMPLE.com:443" }) },
  { list: "httpsEdges", filter: () => ({ hostport: "nowhere.example.com:443" }) },
  { list: "httpsEdges", filter: () => ({ search: "site-77.example" }) },
  { list: "httpsEdges", filter: () => ({ backendId: ids.staticBackends }) },
  { list: "httpsEdges", filter: () => ({ backendId: ids.weightedBackends }) },
  ...modules("httpsEdges", "HttpsEdge"),
  { list: "httpsEdgeRoutes", filter: () => ({ edgeId: ids.httpsEdges }) },
  { list: "httpsEdgeRoutes", filter: () => ({ matchType: "EXACT_PATH" }) },
  { list: "httpsEdgeRoutes", filter: () => ({ match: "/" }) },
  { list: "httpsEdgeRoutes", filter: () => ({ match: "/path-77" }) },
  { list: "httpsEdgeRoutes", filter: () => ({ match: "/path-77", matchType: "PATH_PREFIX" }) },
  { list: "httpsEdgeRoutes", filter: () => ({ matchPrefix: "/path-777" }) },
  {
    list: "httpsEdgeRoutes",
    filter: () => ({ matchPrefix: "/path-777", matchType: "EXACT_PATH" }),
  },
  { list: "httpsEdgeRoutes", filter: () => ({ backendId: ids.staticBackends }) },
  { list: "httpsEdgeRoutes", filter: () => ({ backendId: ids.weightedBackends }) },
  ...modules("httpsEdgeRoutes", "HttpsEdgeRoute"),
  { list: "tlsCertificates", filter: () => ({ dnsName: "host-77.EXAMPLE.com" }) },
  { list: "tlsCertificates", filter: () => ({ dnsName: "nowhere.example.com" }) },
  { list: "tlsCertificates", filter: () => ({ search: "host-77.example" }) },
  { list: "tlsCertificates", filter: () => ({ unused: true }) },
  { list: "tlsCertificates", filter: () => ({ expiringBefore: later(48) }) },
  { list: "tlsEdges", filter: () => ({ hostport: "mail-77.example.com:993" }) },
  { list: "tlsEdges", filter: () => ({ search: "mail-77.example" }) },
  { list: "tlsEdges", filter: () => ({ backendId: ids.staticBackends }) },
  ...modules("tlsEdges", "TlsEdge"),
  { list: "tcpEdges", filter: () => ({ hostport: "data-77.example.com:5432" }) },
  { list: "tcpEdges", filter: () => ({ search: "data-77.example" }) },
  { list: "tcpEdges", filter: () => ({ backendId: ids.staticBackends }) },
  ...modules("tcpEdges", "TcpEdge"),
];

describe("a list of a filled database", () => {
  it("reads no table from end to end and takes three statements, whatever its filter and order", async () => {
    const found: string[] = [];
    for (const { list, filter, orderBy, page = "first" } of cases) {
      const variables = {
        filter: filter?.() ?? {},
        orderBy,
        after: page === "late" ? await lateCursor(list, orderBy) : null,
      };
      const read = (size: number) => {
        const sizes = page === "last" ? { last: size } : { first: size };
        return graphql(server, pageOf(list), { ...variables, ...sizes }, server.readKey);
      };
      const sent = await server.queries(() => read(20));
      // The key, what is found, its rows: the same for a page of one.
      const forOne = await server.statements(() => read(1));
      if (sent.length > 3 || forOne.length !== sent.length) {
        found.push(
          `${list} ${JSON.stringify(variables)}: ${forOne.length}, ${sent.length} statements`,
        );
      }
      for (const query of sent) {
        const problem = problemOf(await explain(server, query));
        if (problem) found.push(`${list} ${JSON.stringify(variables)}: ${problem}`);
      }
    }
    expect(found).toEqual([]);
  }, 300_000);

  it("reads the page behind a cursor near its end, and not what stands before", async () => {
    const late = await lateCursor("httpsEdgeRoutes", { field: "MATCH" });
    const { httpsEdgeRoutes } = await graphql(server, pageOf("httpsEdgeRoutes"), {
      orderBy: { field: "MATCH" },
      after: late,
      first: 100,
    });
    expect(httpsEdgeRoutes.nodes).toHaveLength(49);
  });

  it("is told from one that reads a table from end to end", async () => {
    const text = "SELECT id FROM https_edge_routes WHERE metadata LIKE $1";
    const plan = await explain(server, { text, values: ["%x%"] });
    expect(problemOf(plan)).toMatch(/Seq Scan on https_edge_routes/);
  });
});

describe("a question to a filled database", () => {
  let usedBackend: string;
  beforeAll(async () => {
    usedBackend = await addExtremes();
  });

  it.each([
    ["who uses backends", usesOf("staticBackends")],
    ["who uses weighted backends", usesOf("weightedBackends")],
    ["who uses failover backends", usesOf("failoverBackends")],
    ["who uses certificate authorities", usesOf("certificateAuthorities")],
    ["who uses IP policies", usesOf("ipPolicies")],
    ["who uses endpoint configurations", usesOf("endpointConfigurations")],
    ["who uses TLS certificates", usesOf("tlsCertificates")],
    [
      "who uses a backend below others",
      `query($used: ID!) { node(id: $used) { ... on Backend { usedBy(first: 5) {
        totalCount nodes { user { id } edge { id } via { id } } } } } }`,
    ],
    ["which edge serves a URL", resolve("https://site-77.example.com/path-76")],
    ["which edge serves a URL of nobody", resolve("https://a.b.c.d.example.org/")],
    ["which route of many serves a URL", resolve("https://many.example.com/7/77/777/7777")],
    ["which route of many serves no URL", resolve("https://a.many.example.com/777/x")],
    ["how much there is of everything", "{ overview { resources { count } modules { enabled } } }"],
    [
      "what expires",
      `{ overview { expiringCertificates { sshHostCertificates { expiring { count } expired { count } }
        sshUserCertificates { expiring { count } expired { count } }
        certificateAuthorities { expiring { count } expired { count } }
        tlsCertificates { expiring { count } expired { count } } } } }`,
    ],
  ])("reads no table from end to end: %s", async (_, query) => {
    const sent = await server.queries(() =>
      graphql(server, query, { used: usedBackend }, server.readKey),
    );
    const problems = [];
    for (const each of sent) problems.push(problemOf(await explain(server, each)));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });
});

function usesOf(list: string): string {
  return `{ ${list}(last: 20) { nodes { usedBy(first: 5) { totalCount
    nodes { user { id } edge { id } via { id } } } } } }`;
}

function resolve(url: string): string {
  return `{ resolveRoute(url: "${url}") { edge { id } route { id } otherEdges { id } } }`;
}

/** An edge with more routes than one statement may look at, and the id of a backend that others have as a child. */
async function addExtremes(): Promise<string> {
  const { db } = server.context;
  await db.$executeRaw`UPDATE https_edges SET hostports = ARRAY['many.example.com:443', '*.many.example.com:443']
    WHERE id = (SELECT min(id) FROM https_edges)`;
  await db.$executeRaw`
    INSERT INTO https_edge_routes (id, created_at, updated_at, description, metadata, edge_id, match_type, match)
    SELECT 'edghtsrt_' || lpad(n::text, 27, '0'), now(), now(), '', '', (SELECT min(id) FROM https_edges),
      'path_prefix', '/' || n FROM generate_series(1, 6000) AS n`;
  const child = await db.backendChild.findFirstOrThrow({ where: { weight: { not: null } } });
  return child.childId;
}

describe("a list of which almost all or almost none are found", () => {
  /** All but three IP policies are in use, all certificate authorities are, and twenty endpoint configurations. */
  beforeAll(async () => {
    const { db } = server.context;
    const useAll = (link: string, table: string, from: number) =>
      db.$executeRawUnsafe(`INSERT INTO ${link}
        SELECT edge.id, 100 + used.n, used.id
          FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM ${table}) AS used
          JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM tls_edges) AS edge
            ON edge.n = 1 + used.n % 9000
         WHERE used.n > ${from} ON CONFLICT DO NOTHING`);
    await useAll("tls_edge_ip_policies", "ip_policies", 3);
    await useAll("tls_edge_certificate_authorities", "certificate_authorities", 0);
    await db.$executeRawUnsafe(`UPDATE https_edges SET hostports = ARRAY['Site-5.example.com:443', 'same.example.com:443']
      WHERE id IN (SELECT id FROM https_edges ORDER BY id LIMIT 5)`);
    await markAgain(server);
    for (const table of ["tls_edge_ip_policies", "tls_edge_certificate_authorities"]) {
      await db.$executeRawUnsafe(`VACUUM ANALYZE ${table}`);
    }
  });

  const unused = (list: string, unused: boolean): [string, string, Fields] => [
    `${list} ${unused ? "unused" : "used"}`,
    `query($filter: ${typeOf(list)}Filter) { ${list}(first: 20, filter: $filter) { nodes { id } totalCount } }`,
    { filter: { unused } },
  ];
  const conflicts = (page: string): [string, string, Fields] => [
    `hostports in conflict, ${page}`,
    `{ hostportConflicts(${page}) { totalCount nodes { hostport edgeCount edges { id } } } }`,
    {},
  ];

  it.each([
    unused("ipPolicies", true),
    unused("ipPolicies", false),
    unused("certificateAuthorities", true),
    unused("certificateAuthorities", false),
    unused("endpointConfigurations", true),
    unused("endpointConfigurations", false),
    unused("tlsCertificates", true),
    unused("tlsCertificates", false),
    conflicts("first: 20"),
    conflicts("last: 1"),
  ])("looks at few rows for a page: %s", async (_, query, variables) => {
    const sent = await server.queries(() => graphql(server, query, variables, server.readKey));
    const pages = sent.filter(({ text }) => !/count\(\*\)::integer AS count|CASE WHEN/.test(text));
    const problems = [];
    for (const each of pages) problems.push(problemOf(await explain(server, each)));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });

  it.each([
    ["ipPolicies", true, 3],
    ["ipPolicies", false, 19_998],
    ["certificateAuthorities", true, 0],
    ["certificateAuthorities", false, 20_000],
    ["endpointConfigurations", true, 19_981],
    ["endpointConfigurations", false, 20],
    ["tlsCertificates", true, 19_980],
    ["tlsCertificates", false, 20],
  ])("counts the few in place of the many: %s with unused %s", async (list, unused, count) => {
    const query = `{ ${list}(filter: { unused: ${unused} }) { totalCount } }`;
    const sent = await server.queries(async () => {
      expect((await graphql(server, query, {}, server.readKey))[list].totalCount).toBe(count);
    });
    const counting = sent.filter(({ text }) => text.includes("CASE WHEN"));
    expect(counting).toHaveLength(1);
    for (const each of counting) {
      const plan = await explain(server, each);
      expect(looksOf(plan, "tls_edges")).toBe(0);
      const looks = usersOf(RESOURCES_OF[list] ?? "backends").map(({ table }) =>
        looksOf(plan, table),
      );
      expect(looks.reduce((sum, each) => sum + each, 0)).toBeLessThan(200);
    }
  });
});

const RESOURCES_OF: Record<string, Table> = {
  ipPolicies: "ip_policies",
  certificateAuthorities: "certificate_authorities",
  endpointConfigurations: "endpoint_configurations",
  tlsCertificates: "tls_certificates",
};

describe("the cases above", () => {
  it("have every member of every filter", () => {
    const tested = new Set(
      cases.flatMap(({ list, filter }) =>
        Object.keys(filter?.() ?? {}).map((member) => `${list} ${member}`),
      ),
    );
    const missing = LISTS.flatMap((list) =>
      Object.keys(membersOf(list))
        .map((member) => `${list} ${member}`)
        .filter((each) => !tested.has(each)),
    );
    expect(missing).toEqual([]);
  });

  it("have every list", () => {
    const lists = Object.values(schema.getQueryType()?.getFields() ?? {})
      .filter(({ args }) => args.some(({ name }) => name === "filter"))
      .map(({ name }) => name);
    expect([...LISTS].sort()).toEqual(lists.sort());
  });
});

function pageOf(list: string): string {
  const type = typeOf(list);
  return `query($filter: ${type}Filter, $orderBy: ${type}Order, $first: Int, $last: Int, $after: String) {
    ${list}(filter: $filter, orderBy: $orderBy, first: $first, last: $last, after: $after) {
      nodes { id } pageInfo { startCursor } } }`;
}

/** A cursor behind which 49 rows are left. */
async function lateCursor(list: string, orderBy: Fields | undefined): Promise<string> {
  const data = await graphql(server, pageOf(list), { orderBy, last: 50 });
  return data[list].pageInfo.startCursor;
}

function typeOf(list: string): string {
  const field = schema.getQueryType()?.getFields()[list];
  return String(field?.type).replace(/Connection$/, "");
}

function membersOf(list: string): object {
  const type = schema.getType(`${typeOf(list)}Filter`);
  return isInputObjectType(type) ? type.getFields() : {};
}

function enumNames(name: string): string[] {
  const type = schema.getType(name);
  return type && "getValues" in type ? type.getValues().map((value) => value.name) : [];
}
