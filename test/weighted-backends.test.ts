import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leafBackends } from "./harness/leaf-backends.js";
import { weightedBackend } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("weighted backends over $name", (transport) => {
  let weighteds: Driver;
  let leaves: [string, string, string];
  beforeAll(async () => {
    weighteds = transport.drive(server, weightedBackend);
    leaves = await leafBackends(server, transport);
  });

  it("has weights by child", async () => {
    const backends = { [leaves[1]]: 0, [leaves[0]]: 10_000 };
    const { id } = await weighteds.create({ backends });
    expect((await weighteds.get(id)).backends).toEqual(backends);
    const changed = { [leaves[2]]: 1 };
    expect((await weighteds.update(id, { backends: changed })).backends).toEqual(changed);
    expect((await weighteds.update(id, { description: "a" })).backends).toEqual(changed);
  });

  it("refuses weights out of bounds, and children that are no leaves or ghosts", async () => {
    const nested = (await weighteds.create()).id;
    const refused = weighteds.create({
      backends: { [leaves[0]]: 10_001, [leaves[1]]: -1, [nested]: 1, bkdsc_nobody: 1 },
    });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const { issues } = await refused.catch((error) => error);
    expect(Object.values(issues)).toEqual([
      "must be a whole number from 0 to 10000",
      "must be a whole number from 0 to 10000",
      expect.stringContaining("must be an id of the kind"),
      'refers to "bkdsc_nobody", which does not exist',
    ]);
  });
});
