import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tunnelGroupBackend } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("tunnel group backends over $name", (transport) => {
  let tunnelGroups: Driver;
  beforeAll(() => {
    tunnelGroups = transport.drive(server, tunnelGroupBackend);
  });

  it("keeps labels as given, whatever their names", async () => {
    const labels = { app: "shop", backendId: "bkdhr_nobody", Ünïcode: "✓", constructor: "1" };
    const { id } = await tunnelGroups.create({ labels });
    expect((await tunnelGroups.get(id)).labels).toEqual(labels);
  });

  it("refuses names that are empty, too long, or have an equals sign", async () => {
    const labels = { "": "1", "a=b": "2", [`${"é".repeat(64)}x`]: "3" };
    const { issues } = await tunnelGroups.create({ labels }).catch((error) => error);
    expect(Object.keys(issues)).toHaveLength(3);
  });
});

describe("tunnel group backends", () => {
  it("refuse a name that objects treat specially, instead of losing it", async () => {
    const body = '{"labels":{"__proto__":"a","b":"c"}}';
    const answer = await rest(server, "POST", "/backends/tunnel_group", body);
    expect([answer.status, answer.body.details["labels.__proto__"]]).toEqual([
      400,
      "is a reserved name",
    ]);
  });

  it("refuse a name that is given twice in GraphQL, with all other problems", async () => {
    const refused = graphql(
      server,
      `mutation { createTunnelGroupBackend(input: { description: "${"x".repeat(256)}",
         labels: [{ name: "a", value: "1" }, { name: "a", value: "2" }] }) { tunnelGroupBackend { id } } }`,
    );
    await expect(refused).rejects.toMatchObject({ paths: ["description", "labels"] });
  });

  it("point to the entry of a list of names and values in GraphQL", async () => {
    const refused = graphql(
      server,
      `mutation { createTunnelGroupBackend(input: {
         labels: [{ name: "a", value: "1" }, { name: "a=b", value: "2" }] }) { tunnelGroupBackend { id } } }`,
    );
    await expect(refused).rejects.toMatchObject({ paths: ["labels.1"] });
  });

  it("show tunnels, of which this service has none, over REST", async () => {
    const { body } = await rest(server, "POST", "/backends/tunnel_group", {});
    expect(body).toMatchObject({ labels: {}, tunnels: [] });
  });
});
