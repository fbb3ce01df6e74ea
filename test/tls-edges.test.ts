import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem } from "./harness/certificates.js";
import { certificateAuthority, ipPolicy, staticBackend, tlsEdge } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const POLICY = JSON.stringify({ on_tcp_connect: [{ actions: [{ type: "deny" }] }] });

describe.each(transports)("TLS edges over $name", (transport) => {
  let edges: Driver;
  let modules: Fields;
  let backend: string;
  let policy: string;
  let authority: string;
  beforeAll(async () => {
    edges = transport.drive(server, tlsEdge);
    const caPem = await authorityPem();
    authority = (await transport.drive(server, certificateAuthority).create({ caPem })).id;
    backend = (await transport.drive(server, staticBackend).create({ address: "mqtt:1883" })).id;
    policy = (await transport.drive(server, ipPolicy).create()).id;
    modules = {
      backend: { backendId: backend },
      ipRestriction: { ipPolicyIds: [policy] },
      mutualTls: { certificateAuthorityIds: [authority] },
      tlsTermination: { minVersion: "1.2" },
      trafficPolicy: { value: POLICY },
    };
  });

  it("starts without hostports and modules", async () => {
    expect(await edges.create()).toMatchObject({
      hostports: [],
      backend: null,
      ipRestriction: null,
      mutualTls: null,
      tlsTermination: null,
      trafficPolicy: null,
    });
  });

  it("takes all five modules at create and at update, and shows them completed", async () => {
    const shown = {
      backend: { enabled: true, backend },
      ipRestriction: { enabled: true, ipPolicies: [policy] },
      mutualTls: { enabled: true, certificateAuthorities: [authority] },
      tlsTermination: { enabled: true, terminateAt: "edge", minVersion: "1.2" },
      trafficPolicy: { enabled: true, value: POLICY },
    };
    expect(await edges.create(modules)).toMatchObject(shown);
    const { id } = await edges.create();
    const updated = await edges.update(id, modules);
    expect(updated).toMatchObject(shown);
    expect(await edges.get(id)).toEqual(updated);
    expect(await edges.update(id, modules)).toEqual(updated);
  });

  it("passes TLS through to the upstream, then without a version", async () => {
    const { id } = await edges.create({ tlsTermination: { terminateAt: "upstream" } });
    expect((await edges.get(id)).tlsTermination).toEqual({
      enabled: true,
      terminateAt: "upstream",
      minVersion: null,
    });
    const tlsTermination = { terminateAt: "upstream", minVersion: "1.3" };
    await expect(edges.update(id, { tlsTermination })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["tlsTermination.minVersion"],
    });
  });

  it("has mutual TLS only where it terminates TLS", async () => {
    const { mutualTls } = modules;
    const upstream = { terminateAt: "upstream" };
    await expect(edges.create({ mutualTls, tlsTermination: upstream })).rejects.toMatchObject({
      paths: ["mutualTls"],
    });
    const { id } = await edges.create({ mutualTls });
    await expect(edges.update(id, { tlsTermination: upstream })).rejects.toMatchObject({
      paths: ["tlsTermination.terminateAt"],
    });
    const passing = await edges.create({ tlsTermination: upstream });
    await expect(edges.update(passing.id, { mutualTls })).rejects.toMatchObject({
      paths: ["mutualTls"],
    });
    expect(await edges.update(passing.id, { mutualTls, tlsTermination: {} })).toMatchObject({
      mutualTls: { enabled: true },
      tlsTermination: { terminateAt: "edge" },
    });
  });

  it("keeps what it uses from being deleted", async () => {
    const { id } = await edges.create(modules);
    for (const [resource, used] of [
      [staticBackend, backend],
      [ipPolicy, policy],
      [certificateAuthority, authority],
    ] as const) {
      const refused = transport.drive(server, resource).remove(used);
      await expect(refused).rejects.toMatchObject({ code: "IN_USE" });
    }
    await edges.remove(id);
  });
});

describe("modules of TLS edges at their own paths", () => {
  it("takes the bare module and the wrapped one, and names paths as they were given", async () => {
    const edge = (await rest(server, "POST", "/edges/tls", {})).body;
    const path = `/edges/tls/${edge.id}/tls_termination`;
    const shown = { enabled: true, terminate_at: "edge", min_version: "1.3" };
    expect((await rest(server, "PUT", path, { min_version: "1.3" })).body).toEqual(shown);
    const wrapped = { id: edge.id, module: { min_version: "1.3" } };
    expect((await rest(server, "PUT", path, wrapped)).body).toEqual(shown);
    const bad = { terminate_at: "nowhere", colour: "red" };
    const bare = await rest(server, "PUT", path, bad);
    expect(Object.keys(bare.body.details)).toEqual(["terminate_at", "colour", "operation_id"]);
    const inside = await rest(server, "PUT", path, { module: bad });
    expect(Object.keys(inside.body.details)).toEqual([
      "module.terminate_at",
      "module.colour",
      "operation_id",
    ]);
    const both = await rest(server, "PUT", path, { module: {}, min_version: "1.2", colour: 1 });
    expect(both).toMatchObject({
      status: 400,
      body: {
        details: {
          min_version: "must be inside of `module`, which is given too",
          colour: "must be inside of `module`, which is given too",
        },
      },
    });
    const other = await rest(server, "PUT", path, { id: "edgtls_other", module: {} });
    expect(other.body.details.id).toBe("must be the same as in the path, or absent");
  });

  it("resets what a PUT leaves out", async () => {
    const edge = (await rest(server, "POST", "/edges/tls", {})).body;
    const path = `/edges/tls/${edge.id}/tls_termination`;
    await rest(server, "PUT", path, { enabled: false, min_version: "1.3" });
    expect((await rest(server, "PUT", path)).body).toEqual({
      enabled: true,
      terminate_at: "edge",
      min_version: null,
    });
  });

  it("reports dangling references of a module below the body", async () => {
    const edge = (await rest(server, "POST", "/edges/tls", {})).body;
    const { status, body } = await rest(server, "PUT", `/edges/tls/${edge.id}/ip_restriction`, {
      enabled: "yes",
      ip_policy_ids: ["ipp_nobody"],
    });
    expect([status, Object.keys(body.details)]).toEqual([
      400,
      ["enabled", "ip_policy_ids.0", "operation_id"],
    ]);
  });
});
