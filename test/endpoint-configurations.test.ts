import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReservedAddr } from "../src/domain/reserved-addrs.js";
import { endpointConfiguration } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("Endpoint configurations over $name", (transport) => {
  let configurations: Driver;
  beforeAll(() => {
    configurations = transport.drive(server, endpointConfiguration);
  });

  it.each(["http", "https", "tcp"])("creates one of type %s and reads it back", async (type) => {
    const created = await configurations.create({ type, description: "d" });
    expect(created).toMatchObject({ type, description: "d", metadata: "" });
    expect(created.id).toMatch(/^ec_[0-9A-Za-z]{27}$/);
    expect(await configurations.get(created.id)).toEqual(created);
  });

  it("refuses to delete one in use and names up to five users", async () => {
    const { id } = await configurations.create({ type: "tcp" });
    const users: string[] = [];
    for (let i = 0; i < 6; i++) {
      const addr = await createReservedAddr(server.context, {
        region: "us",
        endpointConfigurationId: id,
      });
      users.unshift(addr.id);
    }
    const refused = configurations.remove(id);
    await expect(refused).rejects.toMatchObject({
      code: "IN_USE",
      message: expect.stringContaining(`${users.slice(0, 5).join(", ")} and more`),
      issues: { "usedBy.0": `reserved address ${users[0]}` },
    });
    await server.context.db.reservedAddr.deleteMany({ where: { endpointConfigurationId: id } });
    await configurations.remove(id);
    await expect(configurations.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("Endpoint configurations over REST", () => {
  it.each([
    [{}, "is required"],
    [{ type: "udp" }, 'must be one of "http", "https", "tcp"'],
    [{ type: "" }, 'must be one of "http", "https", "tcp"'],
  ])("refuses the type of %j", async (body, type) => {
    expect(await rest(server, "POST", "/endpoint_configurations", body)).toMatchObject({
      status: 400,
      body: { error_code: "ERR_INVALID_REQUEST", details: { type } },
    });
  });

  it("refuses a type in an update", async () => {
    const { body } = await rest(server, "POST", "/endpoint_configurations", { type: "tcp" });
    const path = `/endpoint_configurations/${body.id}`;
    expect(await rest(server, "PATCH", path, { type: "http" })).toMatchObject({
      status: 400,
      body: { details: { type: expect.stringContaining("is not a supported field") } },
    });
  });
});
