import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  failoverBackend,
  httpResponseBackend,
  staticBackend,
  tunnelGroupBackend,
  weightedBackend,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("backends over $name", (transport) => {
  let failovers: Driver;
  let responses: Driver;
  let statics: Driver;
  let tunnelGroups: Driver;
  let weighteds: Driver;
  let leaves: [string, string, string];
  beforeAll(async () => {
    failovers = transport.drive(server, failoverBackend);
    responses = transport.drive(server, httpResponseBackend);
    statics = transport.drive(server, staticBackend);
    tunnelGroups = transport.drive(server, tunnelGroupBackend);
    weighteds = transport.drive(server, weightedBackend);
    leaves = [
      (await responses.create()).id,
      (await statics.create({ address: "a.internal:80" })).id,
      (await tunnelGroups.create()).id,
    ];
  });

  describe("failover", () => {
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

  describe("weighted", () => {
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

  describe("HTTP response", () => {
    it("answers 200 without headers and body when unspecified", async () => {
      const unset = { statusCode: 0, headers: {}, body: "" };
      const shown = { statusCode: 200, headers: {}, body: "" };
      expect(await responses.create()).toMatchObject(shown);
      expect(await responses.create(unset)).toMatchObject(shown);
    });

    it("keeps headers as given, in the order given", async () => {
      const headers = { "X-B": "2", "x-a": "1", "10": "", ETag: '"é"'.replace("é", "e") };
      const { id } = await responses.create({ headers, statusCode: 404, body: "Höhle\n" });
      const shown = await responses.get(id);
      expect(shown).toMatchObject({ headers, statusCode: 404, body: "Höhle\n" });
    });

    it("leaves the status as it is with 0 in an update", async () => {
      const { id } = await responses.create({ statusCode: 503 });
      expect((await responses.update(id, { statusCode: 0 })).statusCode).toBe(503);
    });

    it.each([199, 600, 1, -1])("refuses the status %d", async (statusCode) => {
      await expect(responses.create({ statusCode })).rejects.toMatchObject({
        paths: ["statusCode"],
      });
    });

    it("refuses headers that are none", async () => {
      const headers = { "a b": "1", ok: "line\r\nbreak", Same: "1", same: "2" };
      const { issues } = await responses.create({ headers }).catch((error) => error);
      expect(Object.keys(issues)).toHaveLength(3);
    });
  });

  describe("static", () => {
    it("is without TLS when unspecified", async () => {
      const { id } = await statics.create({ address: "10.0.0.1:443" });
      expect((await statics.get(id)).tls).toEqual({ enabled: false });
      expect((await statics.update(id, { tls: { enabled: true } })).tls).toEqual({ enabled: true });
      expect((await statics.update(id, { address: "b.internal:1" })).tls).toEqual({
        enabled: true,
      });
    });

    it.each(["", "a.internal", "a.internal:0", "*.internal:80", "http://a:80"])(
      "refuses the address %j",
      async (address) => {
        await expect(statics.create({ address })).rejects.toMatchObject({ paths: ["address"] });
      },
    );
  });

  describe("tunnel group", () => {
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
});

describe("backends", () => {
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
         labels: [{ name: "a", value: "1" }, { name: "a", value: "2" }] }) { id } }`,
    );
    await expect(refused).rejects.toMatchObject({ paths: ["description", "labels"] });
  });

  it("point to the entry of a list of names and values in GraphQL", async () => {
    const refused = graphql(
      server,
      `mutation { createTunnelGroupBackend(input: {
         labels: [{ name: "a", value: "1" }, { name: "a=b", value: "2" }] }) { id } }`,
    );
    await expect(refused).rejects.toMatchObject({ paths: ["labels.1"] });
  });

  it("show tunnels, of which this service has none, over REST", async () => {
    const { body } = await rest(server, "POST", "/backends/tunnel_group", {});
    expect(body).toMatchObject({ labels: {}, tunnels: [] });
  });

  it("are found by kind: the id of another kind is not found", async () => {
    const { body } = await rest(server, "POST", "/backends/weighted", {});
    expect((await rest(server, "GET", `/backends/failover/${body.id}`)).status).toBe(404);
  });
});
