import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyRouteModule, shownRouteModules } from "./harness/modules.js";
import { routesOf } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput, rest, transports } from "./harness/transports.js";

// What is created together: all of it, or nothing.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const CREATE_EDGE = `mutation($input: CreateHttpsEdgeInput!, $dryRun: Boolean) {
  createHttpsEdge(input: $input, dryRun: $dryRun) {
    httpsEdge { id routes(first: 100) { totalCount nodes { id match } } }
    changes { action type typename resourceId label version differences { path before after } } } }`;

const create = async (fields: Fields, dryRun = false): Promise<Fields> => {
  const input = graphqlInput("CreateHttpsEdgeInput", fields);
  return (await graphql(server, CREATE_EDGE, { input, dryRun })).createHttpsEdge;
};
const createEdge = async (fields: Fields): Promise<Fields> => (await create(fields)).httpsEdge;

const plainRoutes = (count: number): Fields[] =>
  Array.from({ length: count }, (_, i) => ({ matchType: "path_prefix", match: `/${i}` }));

/** How many there are of everything, and how much stands in the log. */
async function stored(): Promise<Fields> {
  return graphql(server, "{ overview { resources { type count } } changes { totalCount } }");
}

const post = async (path: string, body: object = {}): Promise<string> =>
  (await rest(server, "POST", path, body)).body.id;

describe("an HTTPS edge", () => {
  it("is created with its routes and all of their modules, as one request in the log", async () => {
    const backend = await post("/backends/http_response");
    const policy = await post("/ip_policies");
    const routes = [
      { matchType: "exact_path", match: "/a", ...everyRouteModule(backend, policy) },
      { matchType: "path_prefix", match: "/a", description: "d", metadata: "m" },
    ];
    const { id, routes: made } = await createEdge({ hostports: ["a.example:443"], routes });
    expect(made.totalCount).toBe(2);
    const [plain, full] = made.nodes;
    for (const transport of transports) {
      const driver = transport.drive(server, routesOf(id));
      expect(await driver.get(full.id)).toMatchObject({
        matchType: "exact_path",
        match: "/a",
        ...shownRouteModules(full.id, backend, policy),
      });
      expect(await driver.get(plain.id)).toMatchObject({ description: "d", metadata: "m" });
    }
    const { changes } = await graphql(
      server,
      "query($ids: [ID!]) { changes(ids: $ids) { nodes { resourceId action operationId } } }",
      { ids: [id, plain.id, full.id] },
    );
    const entry = { action: "CREATED", operationId: changes.nodes[0].operationId };
    expect(changes.nodes).toEqual(
      [id, full.id, plain.id].map((resourceId) => ({ ...entry, resourceId })),
    );
  });

  it("is refused with every problem of every route at once, and nothing is stored", async () => {
    const before = await stored();
    const refused = createEdge({
      description: "é".repeat(128),
      mutualTls: { certificateAuthorityIds: ["ca_nobody"] },
      routes: [
        { matchType: "path_prefix", match: "/a" },
        { matchType: "path_prefix", match: "/b", backend: { backendId: "bkdsc_nobody" } },
        { matchType: "path_prefix", match: "/a" },
        { matchType: "exact_path", match: "no host" },
        {
          matchType: "exact_path",
          match: "/a",
          oauth: { provider: { google: {} } },
          oidc: { issuer: "https://id.example", clientId: "i", clientSecret: "s" },
          requestHeaders: { add: { ok: "1", "not ok": "2" } },
          ipRestriction: { ipPolicyIds: ["ipp_nobody"] },
        },
      ],
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "description",
        "mutualTls.certificateAuthorityIds.0",
        "routes.1.backend.backend.id",
        "routes.2.match",
        "routes.3.match",
        "routes.4.ipRestriction.ipPolicyIds.0",
        "routes.4.oauth",
        "routes.4.oidc",
        "routes.4.requestHeaders.add.1",
      ],
    });
    expect(await stored()).toEqual(before);
  });

  it("is refused for what only the database knows, and nothing is stored", async () => {
    const before = await stored();
    const inline = { backend: { staticBackend: { address: "a.internal:80" } } };
    const refused = createEdge({
      routes: [
        { matchType: "path_prefix", match: "/a", backend: inline },
        { matchType: "path_prefix", match: "/b", backend: { backendId: "bkdsc_nobody" } },
      ],
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["routes.1.backend.backend.id"],
    });
    expect(await stored()).toEqual(before);
  });

  it("has at most 250 routes", async () => {
    expect((await createEdge({ routes: plainRoutes(250) })).routes.totalCount).toBe(250);
    await expect(createEdge({ routes: plainRoutes(251) })).rejects.toMatchObject({
      issues: { routes: "must have at most 250 items, and has 251" },
    });
  });

  it("has a dry run, which shows everything that would be made, and stores nothing", async () => {
    const before = await stored();
    const fields = {
      description: "Shop",
      hostports: ["shop.example:443"],
      routes: [
        {
          matchType: "path_prefix",
          match: "/",
          compression: {},
          backend: { backend: { failoverBackend: { backends: [LEAVES[1]] } } },
        },
        { matchType: "exact_path", match: "/health" },
      ],
    };
    const { httpsEdge, changes } = await create(fields, true);
    expect(httpsEdge).toBeNull();
    const made = { action: "CREATED", resourceId: null, version: 1 };
    expect(changes).toMatchObject([
      { ...made, typename: "HttpsEdge", label: "Shop" },
      { ...made, typename: "StaticBackend", label: "a.internal:80" },
      { ...made, typename: "FailoverBackend", type: "FAILOVER_BACKEND" },
      { ...made, typename: "HttpsEdgeRoute", label: "path_prefix /" },
      { ...made, typename: "HttpsEdgeRoute", label: "exact_path /health" },
    ]);
    const [edge, address, failover, route] = changes.map(({ differences }: Fields) => differences);
    const added = (path: string[], after: unknown) => ({ path, before: null, after });
    expect(address).toContainEqual(added(["address"], "a.internal:80"));
    expect(failover).toContainEqual(added(["backends"], ["[new]"]));
    expect(edge).toContainEqual(added(["hostports"], ["shop.example:443"]));
    expect(route).toEqual(
      expect.arrayContaining([
        added(["edgeId"], "[new]"),
        added(["matchType"], "PATH_PREFIX"),
        added(["backend", "backendId"], "[new]"),
        added(["compression", "enabled"], true),
      ]),
    );
    expect(await stored()).toEqual(before);
    expect((await create(fields)).changes.map(({ typename }: Fields) => typename)).toEqual(
      changes.map(({ typename }: Fields) => typename),
    );
  });

  it("is never seen without its routes", async () => {
    const marker = "seen as a whole";
    const make = () => createEdge({ description: marker, routes: plainRoutes(20) });
    const read = async () => {
      const query = "{ httpsEdges(first: 10) { nodes { description routes { totalCount } } } }";
      const { nodes } = (await graphql(server, query)).httpsEdges;
      return nodes.filter(({ description }: Fields) => description === marker);
    };
    const seen = await Promise.all(Array.from({ length: 24 }, (_, i) => (i % 4 ? read() : make())));
    const edges: Fields[] = [...seen.flat(), ...(await read())].filter(({ id }) => !id);
    expect(edges.length).toBeGreaterThanOrEqual(6);
    for (const edge of edges) expect(edge.routes.totalCount).toBe(20);
  });

  it("takes as many statements with fifty routes as with two", async () => {
    const backend = await post("/backends/http_response");
    const policy = await post("/ip_policies");
    const modules = {
      backend: { backendId: backend },
      ipRestriction: { ipPolicyIds: [policy] },
      compression: {},
    };
    const routes = (count: number) => plainRoutes(count).map((route) => ({ ...route, ...modules }));
    const input = (count: number) =>
      graphqlInput("CreateHttpsEdgeInput", { routes: routes(count) });
    const statements = (count: number) =>
      server.statements(() =>
        graphql(
          server,
          "mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) { httpsEdge { id } } }",
          { input: input(count) },
        ),
      );
    const two = await statements(2);
    expect((await statements(50)).length).toBe(two.length);
    expect(two.length).toBeLessThanOrEqual(10);
  });

  it("refuses to read-only keys", async () => {
    const refused = graphql(server, CREATE_EDGE, { input: { routes: [] } }, server.readKey);
    await expect(refused).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

const KIND = "kind: __typename id description";
const TREE = `{ ${KIND}
  ... on WeightedBackend { backends { weight backend { ${KIND} ... on TunnelGroupBackend { labels { name value } } } } }
  ... on FailoverBackend { backends { ${KIND}
    ... on WeightedBackend { backends { weight backend { ${KIND} } } } } } }`;

const LEAVES = [
  { httpResponseBackend: { statusCode: 503, headers: [{ name: "X-A", value: "1" }] } },
  { staticBackend: { address: "a.internal:80" } },
  { tunnelGroupBackend: { labels: [{ name: "app", value: "shop" }] } },
];

describe("a backend with new children", () => {
  it("is a failover of all kinds, new ones and present ones, in the order given", async () => {
    const present = await post("/backends/static", { address: "b.internal:80" });
    const [, , tunnelGroup] = LEAVES;
    const { createFailoverBackend } = await graphql(
      server,
      `mutation($input: CreateFailoverBackendInput!) { createFailoverBackend(input: $input) { failoverBackend { ... on Backend ${TREE} } } }`,
      {
        input: {
          backends: [
            ...LEAVES,
            { id: present },
            { weightedBackend: { backends: [{ weight: 3, backend: tunnelGroup }] } },
          ],
        },
      },
    );
    const made = createFailoverBackend.failoverBackend;
    expect(made.backends).toMatchObject([
      { kind: "HttpResponseBackend" },
      { kind: "StaticBackend" },
      { kind: "TunnelGroupBackend" },
      { kind: "StaticBackend", id: present },
      {
        kind: "WeightedBackend",
        backends: [{ weight: 3, backend: { kind: "TunnelGroupBackend" } }],
      },
    ]);
    const shown = await rest(server, "GET", `/backends/http_response/${made.backends[0].id}`);
    expect(shown.body).toMatchObject({ status_code: 503, headers: { "X-A": "1" } });
  });

  it("is a weighted one, also when it is changed", async () => {
    const [first, second, third] = LEAVES;
    const created = await graphql(
      server,
      `mutation($input: CreateWeightedBackendInput!) { result: createWeightedBackend(input: $input) { made: weightedBackend { ... on Backend ${TREE} } } }`,
      { input: { backends: [first, third].map((backend, weight) => ({ backend, weight })) } },
    );
    expect(created.result.made.backends).toMatchObject([
      { weight: 0, backend: { kind: "HttpResponseBackend" } },
      { weight: 1, backend: { kind: "TunnelGroupBackend", labels: [{ name: "app" }] } },
    ]);
    const kept = created.result.made.backends[1].backend.id;
    const updated = await graphql(
      server,
      `mutation($id: ID!, $input: UpdateWeightedBackendInput!) { result: updateWeightedBackend(id: $id, input: $input) { made: weightedBackend { ... on Backend ${TREE} } } }`,
      {
        id: created.result.made.id,
        input: {
          backends: [
            { backend: second, weight: 5 },
            { backend: { id: kept }, weight: 6 },
          ],
        },
      },
    );
    expect(updated.result.made.backends).toMatchObject([
      { weight: 5, backend: { kind: "StaticBackend" } },
      { weight: 6, backend: { id: kept } },
    ]);
  });

  it.each(["CreateHttpsEdgeRoute", "CreateTlsEdge"])("is created with %s", async (name) => {
    const needed =
      name === "CreateTlsEdge"
        ? {}
        : { edgeId: await post("/edges/https"), matchType: "PATH_PREFIX", match: "/" };
    const backend = { failoverBackend: { description: "new", backends: LEAVES } };
    const field = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    const kind = `${name.charAt(6).toLowerCase()}${name.slice(7)}`;
    const { created } = await graphql(
      server,
      `mutation($input: ${name}Input!) { created: ${field}(input: $input) { result: ${kind} { id backend { enabled backend ${TREE} } } } }`,
      { input: { ...needed, backend: { enabled: false, backend } } },
    );
    const { result } = created;
    expect(result.backend).toMatchObject({
      enabled: false,
      backend: { kind: "FailoverBackend", description: "new", backends: [{}, {}, {}] },
    });
    const update = name.replace("Create", "Update");
    const { changed } = await graphql(
      server,
      `mutation($id: ID!, $input: ${update}Input!) { changed: update${name.slice(6)}(id: $id, input: $input) { result: ${kind} { version: id backend { backend ${TREE} } } } }`,
      {
        id: result.id,
        input: { backend: { backend: { staticBackend: { address: "c.internal:1" } } } },
      },
    );
    expect(changed.result.backend.backend.kind).toBe("StaticBackend");
  });

  it("is refused with every problem of every child at once, and nothing is stored", async () => {
    const before = await stored();
    const present = await post("/backends/tunnel_group");
    const after = await stored();
    expect(after).not.toEqual(before);
    const refused = graphql(
      server,
      "mutation($input: CreateFailoverBackendInput!) { createFailoverBackend(input: $input) { failoverBackend { id } } }",
      {
        input: {
          backends: [
            { staticBackend: { address: "a" } },
            { id: present },
            { id: present },
            { id: "bkdfo_1" },
            { id: "bkdsc_nobody" },
            {
              weightedBackend: {
                backends: [
                  { weight: -1, backend: { id: present } },
                  { weight: 1, backend: { id: "bkdhr_nobody" } },
                  { weight: 1, backend: { id: present } },
                  {
                    weight: 1,
                    backend: { tunnelGroupBackend: { labels: [{ name: "a=b", value: "" }] } },
                  },
                ],
              },
            },
          ],
        },
      },
    );
    const children = "backends.5.weightedBackend.backends";
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "backends.0.staticBackend.address",
        "backends.2.id",
        "backends.3.id",
        "backends.4.id",
        `${children}.0.weight`,
        `${children}.1.backend.id`,
        `${children}.2.backend.id`,
        `${children}.3.backend.tunnelGroupBackend.labels.0`,
      ],
    });
    expect(await stored()).toEqual(after);
  });

  it("stays out when the parent is refused for a child that does not exist", async () => {
    const before = await stored();
    const refused = graphql(
      server,
      "mutation($input: CreateFailoverBackendInput!) { createFailoverBackend(input: $input) { failoverBackend { id } } }",
      { input: { backends: [...LEAVES, { id: "bkdsc_nobody" }] } },
    );
    await expect(refused).rejects.toMatchObject({ paths: ["backends.3.id"] });
    expect(await stored()).toEqual(before);
  });
});

describe("an input of which one field is given", () => {
  const ONE_OF: readonly [string, string, string[]][] = [
    [
      "OauthProviderInput",
      'createHttpsEdge(input: { routes: [{ matchType: EXACT_PATH, match: "/", oauth: { provider: VALUE } }] })',
      ["google: {}", "github: {}"],
    ],
    [
      "FailoverChildInput",
      "createFailoverBackend(input: { backends: [VALUE] })",
      ['id: "bkdsc_1"', "tunnelGroupBackend: {}"],
    ],
    [
      "LeafBackendReferenceInput",
      "createWeightedBackend(input: { backends: [{ weight: 1, backend: VALUE }] })",
      ['id: "bkdsc_1"', "tunnelGroupBackend: {}"],
    ],
    [
      "BackendReferenceInput",
      "createTlsEdge(input: { backend: { backend: VALUE } })",
      ['id: "bkdsc_1"', "failoverBackend: {}"],
    ],
  ];

  it.each(ONE_OF)("says so: %s", async (name, mutation, members) => {
    const { type } = await graphql(
      server,
      "query($name: String!) { type: __type(name: $name) { isOneOf inputFields { name } } }",
      { name },
    );
    expect(type.isOneOf).toBe(true);
    for (const value of [
      "{}",
      `{ ${members.join(", ")} }`,
      `{ ${members[0]?.split(":")[0]}: null }`,
    ]) {
      const document = `mutation { ${mutation.replace("VALUE", value)} { changes { label } } }`;
      const { message } = await graphql(server, document).catch((error: Error) => error);
      expect(message).toMatch(/exactly one|non-null/);
      for (const field of type.inputFields) expect(message).toContain(`\`${field.name}\``);
    }
  });

  it("is the caller's mistake when a variable leaves it without a value", async () => {
    const document =
      "mutation($id: ID) { createFailoverBackend(input: { backends: [{ id: $id }] }) { failoverBackend { id } } }";
    const { code } = await graphql(server, document).catch((error) => error);
    expect(["INVALID_REQUEST", "GRAPHQL_VALIDATION_FAILED"]).toContain(code);
  });
});
