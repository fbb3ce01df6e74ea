import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ipPolicy, staticBackend, tcpEdge } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const POLICY = JSON.stringify({ on_tcp_connect: [{ actions: [{ type: "deny" }] }] });

describe.each(transports)("TCP edges over $name", (transport) => {
  let edges: Driver;
  let modules: Fields;
  let backend: string;
  let policy: string;
  beforeAll(async () => {
    edges = transport.drive(server, tcpEdge);
    backend = (await transport.drive(server, staticBackend).create({ address: "db:5432" })).id;
    policy = (await transport.drive(server, ipPolicy).create()).id;
    modules = {
      backend: { backendId: backend },
      ipRestriction: { ipPolicyIds: [policy] },
      trafficPolicy: { value: POLICY },
    };
  });

  it("starts without hostports and modules", async () => {
    expect(await edges.create()).toMatchObject({
      hostports: [],
      backend: null,
      ipRestriction: null,
      trafficPolicy: null,
    });
  });

  it("takes all three modules at create and at update, and shows them completed", async () => {
    const shown = {
      backend: { enabled: true, backend },
      ipRestriction: { enabled: true, ipPolicies: [policy] },
      trafficPolicy: { enabled: true, value: POLICY },
    };
    expect(await edges.create(modules)).toMatchObject(shown);
    const { id } = await edges.create();
    const updated = await edges.update(id, modules);
    expect(updated).toMatchObject(shown);
    expect(await edges.get(id)).toEqual(updated);
    expect(await edges.update(id, modules)).toEqual(updated);
  });

  it("keeps its hostports as given and in order, until they are replaced", async () => {
    const hostports = ["1.TCP.example.com:20000", "[2001:db8::1]:22", "0.tcp.example.com:20000"];
    const { id } = await edges.create({ hostports });
    expect(await edges.update(id, { description: "d" })).toMatchObject({ hostports });
    expect((await edges.update(id, { hostports: [] })).hostports).toEqual([]);
    await expect(edges.update(id, { hostports: ["db:5432", "db"] })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["hostports.1"],
    });
  });

  it("refuses rules for requests, of which it sees none, and modules of other edges", async () => {
    const rules = [{ actions: [{ type: "deny" }] }];
    const trafficPolicy = { value: JSON.stringify({ on_http_request: rules }) };
    const refused = edges.create({ trafficPolicy });
    await expect(refused).rejects.toMatchObject({ paths: ["trafficPolicy.value"] });
    await expect(refused).rejects.toThrow(
      /supported on a TCP edge are "enabled", "on_tcp_connect"/,
    );
  });

  it("names every reference that does not exist", async () => {
    const refused = edges.create({
      backend: { backendId: "bkdsc_nobody" },
      ipRestriction: { ipPolicyIds: [policy, "ipp_nobody"] },
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["backend.backendId", "ipRestriction.ipPolicyIds.1"],
    });
  });

  it("keeps what it uses from being deleted", async () => {
    const { id } = await edges.create(modules);
    for (const [resource, used] of [
      [staticBackend, backend],
      [ipPolicy, policy],
    ] as const) {
      const refused = transport.drive(server, resource).remove(used);
      await expect(refused).rejects.toMatchObject({ code: "IN_USE" });
    }
    await edges.remove(id);
  });
});

describe("a TCP edge over REST", () => {
  it("has its fields in the order of the published format, each of them always", async () => {
    const { body } = await rest(server, "POST", "/edges/tcp", {});
    expect(Object.keys(body)).toEqual([
      "id",
      "description",
      "metadata",
      "created_at",
      "uri",
      "hostports",
      "backend",
      "ip_restriction",
      "traffic_policy",
    ]);
    expect(body.id).toMatch(/^edgtcp_[0-9A-Za-z]{27}$/);
    expect(body.uri).toBe(`${server.url}/edges/tcp/${body.id}`);
    const { body: list } = await rest(server, "GET", "/edges/tcp?limit=1");
    expect(list.tcp_edges).toEqual([body]);
  });

  it("knows no module of TLS edges", async () => {
    const refused = await rest(server, "POST", "/edges/tcp", { tls_termination: {} });
    expect([refused.status, Object.keys(refused.body.details)]).toEqual([
      400,
      ["tls_termination", "operation_id"],
    ]);
    const { body } = await rest(server, "POST", "/edges/tcp", {});
    for (const name of ["tls_termination", "mutual_tls"]) {
      expect((await rest(server, "PUT", `/edges/tcp/${body.id}/${name}`, {})).status).toBe(404);
    }
  });

  it("has each module at its own path: replaced, shown, and deleted also when it is not set", async () => {
    const backend = await rest(server, "POST", "/backends/static", { address: "db:5432" });
    const policy = await rest(server, "POST", "/ip_policies", {});
    const edge = (await rest(server, "POST", "/edges/tcp", {})).body;
    const given = {
      backend: { backend_id: backend.body.id },
      ip_restriction: { enabled: false, ip_policy_ids: [policy.body.id] },
      traffic_policy: { value: POLICY },
    };
    const ref = ({ body: { id, uri } }: { body: Fields }) => ({ id, uri });
    const shown: Fields = {
      backend: { enabled: true, backend: ref(backend) },
      ip_restriction: { enabled: false, ip_policies: [ref(policy)] },
      traffic_policy: { enabled: true, value: POLICY },
    };
    for (const [name, module] of Object.entries(given)) {
      const path = `/edges/tcp/${edge.id}/${name}`;
      expect((await rest(server, "GET", path)).status).toBe(404);
      for (const body of [module, { id: edge.id, module }]) {
        const put = await rest(server, "PUT", path, body);
        expect([put.status, put.body]).toEqual([200, shown[name]]);
      }
      expect((await rest(server, "GET", path)).body).toEqual(shown[name]);
    }
    const set = (await rest(server, "GET", `/edges/tcp/${edge.id}`)).body;
    expect(set).toEqual({ ...edge, ...shown });
    for (const name of Object.keys(given)) {
      const path = `/edges/tcp/${edge.id}/${name}`;
      expect((await rest(server, "DELETE", path)).status).toBe(204);
      expect((await rest(server, "DELETE", path)).status).toBe(204);
    }
    expect((await rest(server, "GET", `/edges/tcp/${edge.id}`)).body).toEqual(edge);
  });
});

describe("a TCP edge in the graph", () => {
  it("is created with a new backend, and found from its backend and its IP policy", async () => {
    const policy = (await rest(server, "POST", "/ip_policies", {})).body.id;
    const { createTcpEdge } = await graphql(
      server,
      `mutation($input: CreateTcpEdgeInput!) { createTcpEdge(input: $input) {
        tcpEdge { id backend { backend { id } } } changes { type action label } } }`,
      {
        input: {
          hostports: ["db.example.com:5432"],
          backend: { backend: { staticBackend: { address: "db:5432" } } },
          ipRestriction: { ipPolicyIds: [policy] },
        },
      },
    );
    const { tcpEdge: edge, changes } = createTcpEdge;
    expect(changes).toEqual([
      { type: "STATIC_BACKEND", action: "CREATED", label: "db:5432" },
      { type: "TCP_EDGE", action: "CREATED", label: "db.example.com:5432" },
    ]);
    const ofEdge = { totalCount: 1, nodes: [{ id: edge.id }] };
    const { backend, policy: shown } = await graphql(
      server,
      `query($backend: ID!, $policy: ID!) {
        backend: node(id: $backend) { ... on Backend {
          tcpEdges(filter: { hostport: "DB.example.com:5432" }) { totalCount nodes { id } }
          usedBy { nodes { user { __typename id } module } } } }
        policy: ipPolicy(id: $policy) { tcpEdges { totalCount nodes { id } }
          usedBy { nodes { user { __typename id } module } } } }`,
      { backend: edge.backend.backend.id, policy },
    );
    const user = { __typename: "TcpEdge", id: edge.id };
    expect(backend).toEqual({ tcpEdges: ofEdge, usedBy: { nodes: [{ user, module: "BACKEND" }] } });
    expect(shown).toEqual({
      tcpEdges: ofEdge,
      usedBy: { nodes: [{ user, module: "IP_RESTRICTION" }] },
    });
  });
});
