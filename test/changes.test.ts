import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { differencesOf } from "../src/domain/changes/differences.js";
import { pruneChanges } from "../src/domain/changes/log.js";
import { inDryRun, inTransaction } from "../src/domain/changes/transactions.js";
import { createIpPolicy, updateIpPolicy } from "../src/domain/ip-policies.js";
import { readCounts } from "../src/domain/storage/counts.js";
import { explain, problemOf } from "./harness/plans.js";
import { resources, routesOf, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// The change log: what stands in it, in which order, and how it is read.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ENTRY = "id action type resourceId version at actorId operationId";
const QUERY = `query($first: Int, $after: String, $last: Int, $before: String, $types: [ResourceType!], $ids: [ID!], $actorIds: [ID]) {
  changes(first: $first, after: $after, last: $last, before: $before, types: $types, ids: $ids, actorIds: $actorIds) {
    totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
    nodes { ${ENTRY} differences { path before after } resource { id version } actor { id } } } }`;

async function log(variables: Fields = {}): Promise<Fields[]> {
  return (await graphql(server, QUERY, { first: 100, ...variables })).changes.nodes;
}

const differencesIn = ({ differences }: Fields): Fields =>
  Object.fromEntries(
    differences.map(({ path, before, after }: Fields) => [path.join("."), [before, after]]),
  );

describe.each(transports)("over $name", (transport) => {
  async function create(resource: TestResource): Promise<Fields> {
    const input = (await resource.required?.(create)) ?? {};
    return transport.drive(server, resource).create(input);
  }

  it.each(resources)(
    "each change of $title is logged, and what changes nothing is not",
    async (resource) => {
      const driver = transport.drive(server, resource);
      const { id } = await create(resource);
      await driver.update(id, { description: "new", metadata: "m" });
      await driver.update(id, { description: "new" });
      const [made, changed, ...none] = await log({ ids: [id] });
      expect(none).toEqual([]);
      const actorId = (await graphql(server, "{ apiKeys(last: 1) { nodes { id } } }")).apiKeys
        .nodes[0].id;
      expect(made).toMatchObject({
        action: "CREATED",
        resourceId: id,
        version: 1,
        resource: { id, version: 2 },
      });
      expect(changed).toMatchObject({ action: "UPDATED", resourceId: id, version: 2 });
      expect(differencesIn(changed ?? {})).toEqual({
        description: [null, "new"],
        metadata: [null, "m"],
      });
      expect(changed?.operationId).toMatch(/^op_[0-9A-Za-z]{27}$/);
      expect([made?.actorId, made?.actor]).toEqual([actorId, { id: actorId }]);

      await driver.remove(id);
      const [, , gone] = await log({ ids: [id] });
      expect(gone).toMatchObject({ action: "DELETED", resourceId: id, version: 2, resource: null });
      expect(differencesIn(gone ?? {})).toMatchObject({
        description: ["new", null],
        metadata: ["m", null],
      });
    },
  );

  it("routes and rules that go with their owner are logged before it", async () => {
    const edge = await rest(server, "POST", "/edges/https", {});
    const routes = transport.drive(server, routesOf(edge.body.id));
    const route = await routes.create({
      edgeId: edge.body.id,
      matchType: "path_prefix",
      match: "/",
    });
    await rest(server, "DELETE", `/edges/https/${edge.body.id}`);
    const deleted = await log({ ids: [edge.body.id, route.id] });
    expect(deleted.map(({ action, resourceId }) => [action, resourceId])).toEqual([
      ["CREATED", edge.body.id],
      ["CREATED", route.id],
      ["DELETED", route.id],
      ["DELETED", edge.body.id],
    ]);

    const policy = await rest(server, "POST", "/ip_policies", {});
    const rule = { ip_policy_id: policy.body.id, cidr: "10.0.0.0/8", action: "allow" };
    const { body } = await rest(server, "POST", "/ip_policy_rules", rule);
    await rest(server, "DELETE", `/ip_policies/${policy.body.id}`);
    const [, last] = await log({ ids: [body.id] });
    expect(last).toMatchObject({ action: "DELETED", type: "IP_POLICY_RULE" });
  });
});

describe("an entry", () => {
  it("has the operation id of the answer to the request that made it", async () => {
    const { headers, body } = await rest(server, "POST", "/ip_policies", {});
    expect((await log({ ids: [body.id] }))[0]?.operationId).toBe(headers.get("operation-id"));
  });

  it("says that a secret changed, and never what it was or is", async () => {
    const edge = (await rest(server, "POST", "/edges/https", {})).body;
    const path = `/edges/https/${edge.id}/routes`;
    const oidc = (secret: string) => ({
      issuer: "https://id.example",
      client_id: "c",
      client_secret: secret,
    });
    const match = { match_type: "path_prefix", match: "/" };
    const route = (await rest(server, "POST", path, { ...match, oidc: oidc("first") })).body;
    await rest(server, "PATCH", `${path}/${route.id}`, { oidc: oidc("second") });
    const entries = await log({ ids: [route.id] });
    expect(differencesIn(entries[0] ?? {})["oidc.clientSecret"]).toEqual([null, "[secret]"]);
    expect(differencesIn(entries[1] ?? {})).toEqual({
      "oidc.clientSecret": ["[secret]", "[secret]"],
    });
    const { token } = (await rest(server, "POST", "/api_keys", {})).body;
    expect(JSON.stringify(await log({ last: 100, first: null }))).not.toContain(token);
  });

  it("has the differences of states: none when they are the same, and enough to lead from one to the other", () => {
    const row = {
      id: "x_1",
      createdAt: new Date(),
      updatedAt: new Date(),
      version: 1,
      description: "",
      metadata: "",
    };
    const leaf = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string(), { minLength: 1 }),
    );
    const key = fc.constantFrom("a", "b", "headers", "__proto__x");
    const state = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { minKeys: 1 })));
    fc.assert(
      fc.property(state, state, (one, other) => {
        expect(differencesOf({ ...row, ...one }, { ...row, ...one, version: 2 })).toEqual([]);
        const rebuilt: Fields = structuredClone(one);
        for (const { path, after } of differencesOf({ ...row, ...one }, { ...row, ...other })) {
          place(rebuilt, path, after);
        }
        expect(prune(rebuilt)).toEqual(other);
      }),
    );
  });
});

function place(target: Fields, [head = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = target[head];
  target[head] = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? inner : {};
  place(target[head], rest, value);
}

/** Without what is null or an object of nothing. */
function prune(fields: Fields): Fields {
  const kept = Object.entries(fields)
    .map(([name, value]) => [name, isMap(value) ? prune(value) : value] as const)
    .filter(([, value]) => value !== null && !(isMap(value) && Object.keys(value).length === 0));
  return Object.fromEntries(kept);
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("the log", () => {
  it("keeps the order of what one transaction changed", async () => {
    const own = await startServer();
    try {
      const edge = (await rest(own, "POST", "/edges/https", {})).body.id;
      const routes: string[] = [];
      // So many that the entries of the deletes are numbered from below 100 to above.
      for (let i = 0; i < 50; i++) {
        const route = { match_type: "path_prefix", match: `/${i}` };
        routes.push((await rest(own, "POST", `/edges/https/${edge}/routes`, route)).body.id);
      }
      const [{ id: after }] = (await graphql(own, QUERY, { last: 1 })).changes.nodes;
      await rest(own, "DELETE", `/edges/https/${edge}`);
      const deleted = (await graphql(own, QUERY, { first: 100, after })).changes.nodes;
      expect(deleted.map(({ resourceId }: Fields) => resourceId)).toEqual([...routes, edge]);
    } finally {
      await own.stop();
    }
  });

  it("is read page by page in both directions, and by type", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await rest(server, "POST", "/edges/tls", {})).body.id);
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const { changes } = await graphql(server, QUERY, { first: 2, after, types: ["TLS_EDGE"] });
      seen.push(...changes.nodes.map(({ resourceId }: Fields) => resourceId));
      after = changes.pageInfo.endCursor;
      if (!changes.pageInfo.hasNextPage) break;
    }
    expect(seen.slice(-5)).toEqual(ids);
    const { changes } = await graphql(server, QUERY, { last: 2, types: ["TLS_EDGE"] });
    expect(changes.nodes.map(({ resourceId }: Fields) => resourceId)).toEqual(ids.slice(-2));
    expect(changes.totalCount).toBe(seen.length);
    const before = await graphql(server, QUERY, {
      last: 2,
      before: changes.nodes[0].id,
      types: ["TLS_EDGE"],
    });
    expect(before.changes.nodes.map(({ resourceId }: Fields) => resourceId)).toEqual(
      ids.slice(-4, -2),
    );
  });

  it.each([
    [{ after: "chg_1" }, "after"],
    [{ before: "ipp_2" }, "before"],
    [{ first: 0 }, "first"],
    [{ ids: ["nothing"] }, "ids.0"],
    [{ ids: Array.from({ length: 101 }, () => "ipp_1") }, "ids"],
    [{ actorIds: [null, "ipp_1"] }, "actorIds.1"],
  ])("refuses %j", async (variables, path) => {
    await expect(graphql(server, QUERY, variables)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [path],
    });
  });

  it("is read by who made the changes, the key of the configuration included", async () => {
    const own = await startServer({ bootstrapKey: "key-of-the-configuration" });
    try {
      const policy = (key: string) =>
        rest(own, "POST", "/ip_policies", {}, { Authorization: `Bearer ${key}` });
      const { body: madeKey } = await rest(own, "POST", "/api_keys", {});
      const { body: mine } = await policy(own.writeKey);
      const { body: theirs } = await policy(madeKey.token);
      const { body: configured } = await policy("key-of-the-configuration");
      await rest(own, "DELETE", `/api_keys/${madeKey.id}`);
      const by = async (variables: Fields) => {
        const { changes } = await graphql(own, QUERY, { first: 100, ...variables });
        expect(changes.totalCount).toBe(changes.nodes.length);
        return changes.nodes.map(({ resourceId }: Fields) => resourceId);
      };
      expect(await by({ actorIds: [madeKey.id] })).toEqual([theirs.id]);
      const types = ["IP_POLICY"];
      expect(await by({ actorIds: [null], types })).toEqual([configured.id]);
      const both = await by({ actorIds: [null, madeKey.id, madeKey.id], types });
      expect(both).toEqual([theirs.id, configured.id]);
      expect(await by({ actorIds: [madeKey.id], types: ["API_KEY"] })).toEqual([]);
      expect(await by({ actorIds: [null], ids: [configured.id, mine.id] })).toEqual([
        configured.id,
      ]);
      expect(await by({ actorIds: [null, madeKey.id], ids: [mine.id, theirs.id] })).toEqual([
        theirs.id,
      ]);
      expect(await by({ actorIds: [], types })).toEqual([mine.id, theirs.id, configured.id]);
      const { changes } = await graphql(own, QUERY, { last: 1, actorIds: [null, madeKey.id] });
      expect(changes.nodes).toMatchObject([{ resourceId: configured.id, actorId: null }]);
      expect(changes.pageInfo.hasPreviousPage).toBe(true);
    } finally {
      await own.stop();
    }
  });

  it("finds the changes of a key by an index, whether it made none, few, most or all", async () => {
    const own = await startServer();
    try {
      await own.context.db.$executeRawUnsafe(`
        INSERT INTO changes (id, horizon, at, operation_id, actor_id, kind, resource_id, action, version, differences)
        SELECT -n, -n, now(), 'op_1', CASE WHEN n % 5000 = 0 THEN 'ak_rare' WHEN n % 3 = 0 THEN NULL ELSE 'ak_common' END,
          'ipPolicy', 'ipp_' || n, 'created', 1, '[]' FROM generate_series(1, 20000) AS n`);
      await own.context.db.$executeRawUnsafe("ANALYZE changes");
      for (const actorIds of [["ak_none"], ["ak_rare"], ["ak_common"], [null], [null, "ak_rare"]]) {
        for (const types of [[], ["IP_POLICY"]]) {
          const variables = { last: 20, actorIds, types };
          const query = QUERY.replace("totalCount", "");
          const queries = await own.queries(() => graphql(own, query, variables));
          const listing = queries.find(
            ({ text }) => text.includes("actor_id") && text.includes("LIMIT"),
          );
          if (!listing) throw new Error("The log was not listed.");
          expect([actorIds, problemOf(await explain(own, listing))]).toEqual([actorIds, null]);
        }
      }
    } finally {
      await own.stop();
    }
  });

  it("has nothing of a change that was rolled back, or of a dry run", async () => {
    const ids: string[] = [];
    const failing = inTransaction(server.context, async (context) => {
      ids.push((await createIpPolicy(context, {})).id);
      throw new Error("later");
    });
    await expect(failing).rejects.toThrow("later");
    ids.push((await inDryRun(server.context, (context) => createIpPolicy(context, {}))).id);
    expect(await log({ ids })).toEqual([]);
  });

  it("shows nothing behind a reader's back, however transactions overlap", async () => {
    const { context } = server;
    const policy = await createIpPolicy(context, {});
    const read: string[] = [];
    const seen: number[] = [];
    let after: string | undefined;
    const readOn = async () => {
      const { changes } = await graphql(server, QUERY, { first: 100, after, types: ["IP_POLICY"] });
      read.push(...changes.nodes.map(({ id }: Fields) => id));
      seen.push(
        ...changes.nodes
          .filter(({ resourceId }: Fields) => resourceId === policy.id)
          .map(({ version }: Fields) => version),
      );
      after = changes.pageInfo.endCursor ?? after;
    };
    // Each begins by writing something of its own, and comes to the common row later than others do.
    const write = (wait: number) =>
      inTransaction(context, async (inside) => {
        await createIpPolicy(inside, {});
        await new Promise((resolve) => setTimeout(resolve, wait));
        await updateIpPolicy(inside, policy.id, { metadata: `${wait}` });
      });
    const writes = [60, 5, 40, 0, 20, 10].map(write);
    const reads = Array.from({ length: 12 }, async (_, turn) => {
      await new Promise((resolve) => setTimeout(resolve, turn * 15));
    });
    for (const turn of reads) {
      await turn;
      await readOn();
    }
    await Promise.all(writes);
    await readOn();
    const all = await log({ types: ["IP_POLICY"] });
    expect(read).toEqual(all.map(({ id }) => id));
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("forgets what is older than it is kept for, and says so to who goes on from there", async () => {
    const own = await startServer();
    try {
      await rest(own, "POST", "/ip_policies", {});
      const [first] = (await graphql(own, QUERY, { first: 1 })).changes.nodes;
      const time = new Date(Date.now() + 60_000);
      await own.context.db
        .$executeRaw`UPDATE changes SET at = ${new Date(0)} WHERE kind = 'apiKey'`;
      expect(await pruneChanges(own.context, new Date(1))).toBe(2);
      expect((await graphql(own, QUERY, { first: 5 })).changes.nodes).toHaveLength(1);
      expect(await pruneChanges(own.context, time)).toBe(1);
      expect(first).toMatchObject({ type: "API_KEY" });
    } finally {
      await own.stop();
    }
  });
});

describe("the counts that changes keep", () => {
  it("are those of the rows, after any mixture of changes", async () => {
    const own = await startServer();
    try {
      const make = async (path: string, body: Fields) =>
        (await rest(own, "POST", path, body)).body.id as string;
      const backend = await make("/backends/static", { address: "a.internal:1" });
      const edges = await Promise.all(
        [1, 2, 3].map(() => make("/edges/https", { tls_termination: {} })),
      );
      const routes = await Promise.all(
        edges.map((edge, i) =>
          make(`/edges/https/${edge}/routes`, {
            match_type: "path_prefix",
            match: "/",
            compression: { enabled: i > 0 },
          }),
        ),
      );
      await rest(own, "PATCH", `/edges/https/${edges[1]}/routes/${routes[1]}`, {
        compression: { enabled: false },
      });
      await rest(own, "PUT", `/edges/https/${edges[2]}/routes/${routes[2]}/backend`, {
        backend_id: backend,
      });
      await rest(own, "DELETE", `/edges/https/${edges[0]}`);
      const counts = await readCounts(own.context);
      expect([counts.of("httpsEdge"), counts.of("httpsEdgeRoute"), counts.of("apiKey")]).toEqual([
        2, 2, 2,
      ]);
      expect(counts.modules("httpsEdgeRoute", "compression")).toEqual({ enabled: 1, disabled: 1 });
      expect(counts.modules("httpsEdgeRoute", "backend")).toEqual({ enabled: 1, disabled: 0 });
      expect(counts.modules("httpsEdge", "tlsTermination")).toEqual({ enabled: 2, disabled: 0 });
      expect(counts.of("staticBackend")).toBe(1);
    } finally {
      await own.stop();
    }
  });
});
