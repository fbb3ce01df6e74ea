import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { region } from "../src/domain/core/enumerations.js";
import { createEndpointConfiguration } from "../src/domain/endpoint-configurations.js";
import { createReservedAddr } from "../src/domain/reserved-addrs.js";
import { reservedAddr } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ baseDomain: "edgeplane.test" });
});
afterAll(() => server.stop());

async function endpointConfiguration(type: "http" | "tcp" = "tcp"): Promise<string> {
  return (await createEndpointConfiguration(server.context, { type })).id;
}

describe.each(transports)("Reserved addresses over $name", (transport) => {
  let addrs: Driver;
  beforeAll(() => {
    addrs = transport.drive(server, reservedAddr);
  });

  it("reserves an address in the region us when unspecified, and reads it back", async () => {
    const created = await addrs.create({ description: "ssh", metadata: "m" });
    expect(created).toMatchObject({
      description: "ssh",
      metadata: "m",
      region: "us",
      endpointConfiguration: null,
    });
    expect(created.id).toMatch(/^ra_[0-9A-Za-z]{27}$/);
    expect(created.addr).toMatch(/^[0-9]\.tcp\.edgeplane\.test:[1-6][0-9]{4}$/);
    expect(await addrs.get(created.id)).toEqual(created);
  });

  it.each(region.options.filter((region) => region !== "us"))(
    "names the region %s in the address",
    async (region) => {
      const created = await addrs.create({ region });
      expect(created.region).toBe(region);
      expect(created.addr).toMatch(
        new RegExp(`^[0-9]\\.tcp\\.${region}\\.edgeplane\\.test:[1-6][0-9]{4}$`),
      );
    },
  );

  it("attaches, replaces and keeps an endpoint configuration", async () => {
    const [first, second] = [await endpointConfiguration(), await endpointConfiguration()];
    const created = await addrs.create({ endpointConfigurationId: first });
    expect(created.endpointConfiguration).toBe(first);
    expect(await addrs.update(created.id, { description: "d" })).toMatchObject({
      description: "d",
      endpointConfiguration: first,
    });
    const { endpointConfiguration: attached } = await addrs.update(created.id, {
      endpointConfigurationId: second,
    });
    expect(attached).toBe(second);
  });

  it("refuses an endpoint configuration that does not fit, in create and update", async () => {
    const { id } = await addrs.create();
    const http = await endpointConfiguration("http");
    const gone = `ec_${"0".repeat(27)}`;
    const reasons = [
      [http, "must be an endpoint configuration of type tcp, and this one is of type http"],
      [gone, `refers to "${gone}", which does not exist`],
      [
        id,
        "is the id of a reserved address, and must be an id of the kind endpoint configuration (ec_…)",
      ],
    ] as const;
    for (const [endpointConfigurationId, reason] of reasons) {
      const refusal = {
        code: "INVALID_REQUEST",
        issues: { endpointConfigurationId: reason },
      };
      await expect(addrs.create({ endpointConfigurationId })).rejects.toMatchObject(refusal);
      await expect(addrs.update(id, { endpointConfigurationId })).rejects.toMatchObject(refusal);
    }
  });

  it("reports every problem at once", async () => {
    await expect(
      addrs.create({
        description: "x".repeat(256),
        metadata: "x".repeat(4097),
        endpointConfigurationId: `ec_${"0".repeat(27)}`,
      }),
    ).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["description", "endpointConfigurationId", "metadata"],
    });
  });
});

describe("Reserved addresses", () => {
  it("never gives one address to two creates at the same time", async () => {
    const creates = Array.from({ length: 24 }, () => {
      let next = 0;
      return createReservedAddr(
        server.context,
        { region: "us" },
        () => `0.tcp.crowded.test:${10_000 + next++}`,
      );
    });
    const ports = (await Promise.all(creates)).map(({ addr }) => Number(addr.split(":")[1]));
    expect(ports.sort()).toEqual(Array.from({ length: 24 }, (_, index) => 10_000 + index));
  });

  it("refuses when no free address is found, and reserves nothing", async () => {
    const before = await server.context.db.reservedAddr.count();
    const full = () => "0.tcp.crowded.test:10000";
    await expect(createReservedAddr(server.context, { region: "us" }, full)).rejects.toMatchObject({
      code: "CONFLICT",
      message: "No free address was found in the region us.",
    });
    expect(await server.context.db.reservedAddr.count()).toBe(before);
  });

  it("takes empty values over REST as unspecified", async () => {
    const { body } = await rest(server, "POST", "/reserved_addrs", {
      region: "",
      endpoint_configuration_id: "",
    });
    expect(body).toMatchObject({ region: "us", endpoint_configuration: null });
  });

  it("refuses an unknown region, and any change of region or address", async () => {
    const refused = await rest(server, "POST", "/reserved_addrs", { region: "mars" });
    expect(refused.body.details.region).toMatch(/^must be one of "au", "eu"/);
    const { body } = await rest(server, "POST", "/reserved_addrs");
    const changed = await rest(server, "PATCH", `/reserved_addrs/${body.id}`, {
      region: "eu",
      addr: "0.tcp.edgeplane.test:10000",
    });
    expect(changed.status).toBe(400);
    expect(Object.keys(changed.body.details).sort()).toEqual(["addr", "operation_id", "region"]);
  });

  it("shows the endpoint configuration as a reference and detaches it at a path of its own", async () => {
    const id = await endpointConfiguration();
    const { body } = await rest(server, "POST", "/reserved_addrs", {
      endpoint_configuration_id: id,
    });
    expect(body.endpoint_configuration).toEqual({
      id,
      uri: `${server.url}/endpoint_configurations/${id}`,
    });
    const path = `/reserved_addrs/${body.id}`;
    const kept = await rest(server, "PATCH", path, { endpoint_configuration_id: null });
    expect(kept.body.endpoint_configuration.id).toBe(id);
    for (let times = 0; times < 2; times++) {
      const detached = await rest(server, "DELETE", `${path}/endpoint_configuration`);
      expect(detached.status).toBe(204);
      expect((await rest(server, "GET", path)).body.endpoint_configuration).toBeNull();
    }
    const unknown = await rest(server, "DELETE", "/reserved_addrs/ra_0/endpoint_configuration");
    expect(unknown.status).toBe(404);
  });

  it("detaches over GraphQL with null", async () => {
    const endpointConfigurationId = await endpointConfiguration();
    const { id } = await createReservedAddr(server.context, {
      region: "us",
      endpointConfigurationId,
    });
    const { updateReservedAddr } = await graphql(
      server,
      `mutation ($id: ID!) {
        updateReservedAddr(id: $id, input: { endpointConfigurationId: null }) { reservedAddr {
          version
          endpointConfiguration { id }
        } }
      }`,
      { id },
    );
    expect(updateReservedAddr.reservedAddr).toEqual({ version: 2, endpointConfiguration: null });
  });

  it("reads the addresses of many endpoint configurations in as many statements as those of one", async () => {
    const owners = [await endpointConfiguration(), await endpointConfiguration()];
    for (const endpointConfigurationId of owners) {
      for (let i = 0; i < 3; i++) {
        await createReservedAddr(server.context, { region: "us", endpointConfigurationId });
      }
    }
    let data: Awaited<ReturnType<typeof graphql>> = {};
    const sent = await server.statements(async () => {
      data = await graphql(
        server,
        `{ endpointConfigurations(first: 2) { nodes { id reservedAddrs(first: 2) {
             totalCount
             pageInfo { hasNextPage }
             nodes { createdAt endpointConfiguration { id } }
        } } } }`,
      );
    });
    const nodes = data.endpointConfigurations.nodes as {
      id: string;
      reservedAddrs: { nodes: unknown[] };
    }[];
    expect(nodes.map(({ id }) => id)).toEqual([...owners].reverse());
    for (const { id, reservedAddrs } of nodes) {
      expect(reservedAddrs).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
      expect(reservedAddrs.nodes).toHaveLength(2);
      expect(reservedAddrs.nodes[0]).toMatchObject({ endpointConfiguration: { id } });
    }
    // The key, and all of the rest.
    expect(sent).toHaveLength(2);
  });
});
