import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leafBackends } from "./harness/leaf-backends.js";
import { failoverBackend, httpResponseBackend, weightedBackend } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("failover backends over $name", (transport) => {
  let failovers: Driver;
  let responses: Driver;
  let weighteds: Driver;
  let leaves: [string, string, string];
  beforeAll(async () => {
    failovers = transport.drive(server, failoverBackend);
    responses = transport.drive(server, httpResponseBackend);
    weighteds = transport.drive(server, weightedBackend);
    leaves = await leafBackends(server, transport);
  });

  it("has children of any other kind, in the order given", async () => {
    const weighted = (await weighteds.create()).id;
    const backends = [leaves[2], weighted, leaves[0], leaves[1]];
    const { id } = await failovers.create({ backends });
    expect((await failovers.get(id)).backends).toEqual(backends);
    const turned = [...backends].reverse();
    expect((await failovers.update(id, { backends: turned })).backends).toEqual(turned);
  });

  it("keeps its children in an update without them, and loses them by an empty list", async () => {
    const { id } = await failovers.create({ backends: leaves });
    expect((await failovers.update(id, { metadata: "a" })).backends).toEqual(leaves);
    expect((await failovers.update(id, { backends: [] })).backends).toEqual([]);
  });

  it("refuses a failover, a stranger, a repetition and a ghost as a child, all at once", async () => {
    const other = (await failovers.create()).id;
    const refused = failovers.create({
      backends: [leaves[0], other, "ipp_1", leaves[0], "bkdhr_nobody"],
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["backends.1", "backends.2", "backends.3", "backends.4"],
    });
  });

  it("has at most 50 children", async () => {
    const backends = Array.from({ length: 51 }, (_, i) => `bkdhr_${i}`);
    await expect(failovers.create({ backends })).rejects.toMatchObject({
      issues: { backends: "must have at most 50 items, and has 51" },
    });
  });

  it("keeps its children from being deleted, and names up to five users", async () => {
    const { id } = await responses.create();
    const parents: string[] = [];
    for (let i = 0; i < 6; i++) parents.unshift((await failovers.create({ backends: [id] })).id);
    await expect(responses.remove(id)).rejects.toMatchObject({
      code: "IN_USE",
      issues: Object.fromEntries(
        parents.slice(0, 5).map((user, i) => [`usedBy.${i}`, `failover backend ${user}`]),
      ),
    });
    for (const parent of parents) await failovers.remove(parent);
    await responses.remove(id);
  });

  it("never has mixed children when two clients replace them at once", async () => {
    const { id } = await failovers.create();
    const lists = [leaves.slice(0, 2), leaves.slice(1), [leaves[2], leaves[0]]];
    await Promise.all(lists.map((backends) => failovers.update(id, { backends })));
    expect(lists).toContainEqual((await failovers.get(id)).backends);
  });
});

describe("failover backends", () => {
  it("are found by kind: the id of another kind is not found", async () => {
    const { body } = await rest(server, "POST", "/backends/weighted", {});
    expect((await rest(server, "GET", `/backends/failover/${body.id}`)).status).toBe(404);
  });
});
