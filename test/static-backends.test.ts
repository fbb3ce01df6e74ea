import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { staticBackend } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("static backends over $name", (transport) => {
  let statics: Driver;
  beforeAll(() => {
    statics = transport.drive(server, staticBackend);
  });

  it("is without TLS when unspecified", async () => {
    const { id } = await statics.create({ address: "10.0.0.1:443" });
    expect((await statics.get(id)).tls).toEqual({ enabled: false });
    expect((await statics.update(id, { tls: { enabled: true } })).tls).toEqual({ enabled: true });
    expect((await statics.update(id, { address: "b.internal:1" })).tls).toEqual({
      enabled: true,
    });
  });

  it("keeps TLS when an update does not say whether it is enabled", async () => {
    const { id } = await statics.create({ address: "10.0.0.1:443", tls: { enabled: true } });
    const update = { description: "new", tls: {} };
    expect(await statics.update(id, update)).toMatchObject({
      description: "new",
      tls: { enabled: true },
    });
    expect((await statics.update(id, { tls: { enabled: null } })).tls).toEqual({ enabled: true });
    expect((await statics.update(id, { tls: { enabled: false } })).tls).toEqual({ enabled: false });
  });

  it.each(["", "a.internal", "a.internal:0", "*.internal:80", "http://a:80"])(
    "refuses the address %j",
    async (address) => {
      await expect(statics.create({ address })).rejects.toMatchObject({ paths: ["address"] });
    },
  );
});
