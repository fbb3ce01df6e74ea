import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followChanges } from "../../examples/dashboard-data/changes.js";
import { type CutConnections, cutConnections } from "../harness/cut-connections.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, graphql, rest } from "../harness/transports.js";
import { until } from "./edges.js";

// A page that follows the changes with the published client, over connections that are cut.

const CHANGES = "subscription { changes { id action resourceId } }";

let server: TestServer;
let network: CutConnections;
beforeAll(async () => {
  server = await startServer();
  network = await cutConnections(server.url);
});
afterAll(async () => {
  await network.close();
  await server.stop();
});

const position = async (of: TestServer): Promise<string> =>
  (await graphql(of, "{ changes(last: 1) { position } }")).changes.position;

/** Follows from `from` on; what it gets is in `got`. */
function follow(url: string, apiKey: string, from: string, query = CHANGES) {
  const got: string[] = [];
  let close = () => {};
  const failed = new Promise<unknown>((resolve) => {
    close = followChanges<Fields>({ url, apiKey }, from, query, {
      next: ({ data, errors }) => (data ? got.push(data.changes.resourceId) : resolve(errors)),
      error: resolve,
      complete: () => {},
    });
  });
  return { got, failed, close: () => close() };
}

describe("a page that follows the changes", () => {
  it("misses none and gets none twice, however often its connection is cut", async () => {
    const followed = follow(network.url, server.writeKey, await position(server));
    const made: string[] = [];
    for (let i = 0; i < 40; i++) {
      const isCut = i % 4 === 0;
      if (isCut) await until(() => network.cut() > 0);
      const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
      made.push(id);
      // Something comes between two cuts, or the client would wait longer and longer.
      if (isCut) await until(() => followed.got.includes(id));
    }
    await until(() => followed.got.length >= made.length);
    followed.close();
    expect(followed.got).toEqual(made);
  });

  it("misses nothing that happens between the place and the subscription", async () => {
    const from = await position(server);
    const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
    const followed = follow(server.url, server.readKey, from);
    await until(() => followed.got.length > 0);
    followed.close();
    expect(followed.got).toEqual([id]);
  });

  it("begins with the first change of all, when the log was empty", async () => {
    const fresh = await startServer();
    try {
      await fresh.context.db.change.deleteMany();
      const from = await position(fresh);
      const made = [];
      for (let i = 0; i < 3; i++) {
        made.push((await rest(fresh, "POST", "/ip_policies", {})).body.id);
      }
      const followed = follow(fresh.url, fresh.readKey, from);
      await until(() => followed.got.length >= made.length);
      followed.close();
      expect(followed.got).toEqual(made);
    } finally {
      await fresh.stop();
    }
  });

  it("is told when the log no longer reaches back to its place", async () => {
    const yesterday = Date.now() - 25 * 60 * 60 * 1000;
    for (const from of [`chg_0Z${yesterday.toString(36)}`, "chg_1Z1"]) {
      const followed = follow(server.url, server.readKey, from);
      expect(await followed.failed).toMatchObject([{ extensions: { code: "GONE" } }]);
      followed.close();
    }
  });

  it("goes on from where it has come, though it repeats the place where it began", async () => {
    const after = await position(server);
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push((await rest(server, "POST", "/ip_policies", {})).body.id);
    const list = "query($after: String) { changes(after: $after) { nodes { id } } }";
    const [first] = (await graphql(server, list, { after })).changes.nodes;
    const repeated = `subscription { changes(after: "${after}") { resourceId } }`;
    const followed = follow(server.url, server.readKey, first.id, repeated);
    await until(() => followed.got.length > 0);
    followed.close();
    expect(followed.got).toEqual([ids[1]]);
  });
});
