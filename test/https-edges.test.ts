import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem } from "./harness/certificates.js";
import { certificateAuthority, httpsEdge, routesOf } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("HTTPS edges over $name", (transport) => {
  let edges: Driver;
  let caPem: string;
  let authorities: string[];
  beforeAll(async () => {
    edges = transport.drive(server, httpsEdge);
    const driver = transport.drive(server, certificateAuthority);
    caPem = await authorityPem();
    authorities = [];
    for (let i = 0; i < 3; i++) authorities.push((await driver.create({ caPem })).id);
  });

  it("starts without hostports and modules", async () => {
    expect(await edges.create()).toMatchObject({
      hostports: [],
      mutualTls: null,
      tlsTermination: null,
    });
  });

  it("keeps hostports as given, in the order given", async () => {
    const hostports = [
      "Shop.Example.com:443",
      "*.example.com:8443",
      "192.0.2.7:1",
      "[2001:db8::7]:65535",
      "a_b.internal:80",
    ];
    const { id } = await edges.create({ hostports });
    expect((await edges.get(id)).hostports).toEqual(hostports);
    const turned = [...hostports].reverse();
    expect((await edges.update(id, { hostports: turned })).hostports).toEqual(turned);
    expect((await edges.update(id, { hostports: [] })).hostports).toEqual([]);
  });

  it("keeps a hostport that it has twice, and is found by it once, however it is written", async () => {
    const name = `${transport.name.toLowerCase()}.twice.example:443`;
    const hostports = [name, name.toUpperCase(), name];
    const { id } = await edges.create({ hostports });
    expect(await edges.get(id)).toMatchObject({ hostports });
    const query = `{ httpsEdges(filter: { hostport: "${name.replace("twice", "TWICE")}" }) {
      totalCount nodes { id hostports } } hostportConflicts { nodes { hostport } } }`;
    const data = await graphql(server, query);
    expect(data.httpsEdges).toEqual({ totalCount: 1, nodes: [{ id, hostports }] });
    expect(JSON.stringify(data.hostportConflicts)).not.toContain("twice");
  });

  it("lets two edges name the same hostport", async () => {
    await edges.create({ hostports: ["same.example.com:443"] });
    expect((await edges.create({ hostports: ["same.example.com:443"] })).hostports).toHaveLength(1);
  });

  it("completes its modules, and shows where TLS is terminated", async () => {
    const [first, second] = authorities;
    const edge = await edges.create({
      mutualTls: { certificateAuthorityIds: [second, first] },
      tlsTermination: {},
    });
    expect(edge.mutualTls).toEqual({ enabled: true, certificateAuthorities: [second, first] });
    expect(edge.tlsTermination).toMatchObject({ enabled: true, minVersion: null });
  });

  it("replaces a module that is given as a whole, and leaves one that is not", async () => {
    const [first, second] = authorities;
    const { id } = await edges.create({
      mutualTls: { enabled: false, certificateAuthorityIds: [first] },
      tlsTermination: { enabled: false },
    });
    const updated = await edges.update(id, { mutualTls: { certificateAuthorityIds: [second] } });
    expect(updated.mutualTls).toEqual({ enabled: true, certificateAuthorities: [second] });
    expect(updated.tlsTermination).toMatchObject({ enabled: false });
  });

  it("reports every problem of the request at once, dangling references too", async () => {
    const refused = edges.create({
      description: "x".repeat(256),
      hostports: ["ok.example.com:443", "no port", "a.example.com:0"],
      mutualTls: { certificateAuthorityIds: [authorities[0], "ca_nobody", "ipp_1"] },
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        description: "must have at most 255 bytes of UTF-8, and has 256",
        "hostports.1": expect.stringContaining("such as example.com:443"),
        "hostports.2": expect.stringContaining("port from 1 to 65535"),
        "mutualTls.certificateAuthorityIds.1": 'refers to "ca_nobody", which does not exist',
        "mutualTls.certificateAuthorityIds.2": expect.stringContaining("certificate authority"),
      },
    });
  });

  it("writes nothing of a refused update", async () => {
    const created = await edges.create({ description: "before" });
    const refused = edges.update(created.id, {
      description: "after",
      mutualTls: { certificateAuthorityIds: ["ca_nobody"] },
    });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(await edges.get(created.id)).toEqual(created);
  });

  it("takes its routes with it when it is deleted", async () => {
    const { id } = await edges.create();
    const routes = transport.drive(server, routesOf(id));
    const route = await routes.create({ edgeId: id, matchType: "path_prefix", match: "/" });
    await edges.remove(id);
    await expect(routes.get(route.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("keeps the certificate authorities that it uses from being deleted", async () => {
    const driver = transport.drive(server, certificateAuthority);
    const { id } = await driver.create({ caPem });
    const edge = await edges.create({ mutualTls: { certificateAuthorityIds: [id] } });
    await expect(driver.remove(id)).rejects.toMatchObject({
      code: "IN_USE",
      issues: { "usedBy.0": `HTTPS edge ${edge.id}` },
    });
    await edges.remove(edge.id);
    await driver.remove(id);
  });
});

describe("what only one transport has", () => {
  it("removes a module with DELETE of its path, or with null in GraphQL", async () => {
    const { body } = await rest(server, "POST", "/edges/https", {
      tls_termination: { min_version: "1.3" },
    });
    const path = `/edges/https/${body.id}/tls_termination`;
    expect((await rest(server, "DELETE", path)).status).toBe(204);
    expect((await rest(server, "DELETE", path)).status).toBe(204);
    expect((await rest(server, "GET", path)).status).toBe(404);
    expect((await rest(server, "PUT", path, { min_version: "1.2" })).body).toEqual({
      enabled: true,
      terminate_at: "edge",
      min_version: "1.2",
    });
    const data = await graphql(
      server,
      `mutation($id: ID!) { updateHttpsEdge(id: $id, input: { tlsTermination: null }) { httpsEdge { tlsTermination { enabled } } } }`,
      { id: body.id },
    );
    expect(data.updateHttpsEdge.httpsEdge).toEqual({ tlsTermination: null });
  });

  it("refuses terminate_at, which the answer always has", async () => {
    const { status, body } = await rest(server, "POST", "/edges/https", {
      tls_termination: { terminate_at: "edge" },
    });
    expect(status).toBe(400);
    expect(body.details["tls_termination.terminate_at"]).toContain("cannot be set");
  });
});
