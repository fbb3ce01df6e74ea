import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "graphql-sse";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { runServer, type ServerProcess, urlOf } from "./harness/processes.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What those who follow the change log get, with the published client of the graphql-sse protocol.

interface Target {
  readonly url: string;
  readonly writeKey: string;
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const DOCUMENT = `subscription($types: [ResourceType!], $ids: [ID!], $actorIds: [ID], $after: String) {
  changes(types: $types, ids: $ids, actorIds: $actorIds, after: $after) {
    id action type resourceId version differences { path before after } resource { id version description } } }`;

interface Followed {
  /** The next change; waits for it. Throws when the subscription ended. */
  next(): Promise<Fields>;
  /** The errors of the answer that ended the subscription. */
  errors(): Promise<Fields[]>;
  close(): void;
}

function follow({ url, writeKey }: Target, variables: Fields = {}, key = writeKey): Followed {
  const client = createClient({
    url: `${url}/graphql`,
    headers: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
  });
  const results = client.iterate<Fields>({ query: DOCUMENT, variables });
  open.push(() => client.dispose());
  return {
    async next() {
      const { value, done } = await results.next();
      if (done || !value.data) throw new Error(JSON.stringify(value ?? "complete"));
      return value.data.changes;
    },
    async errors() {
      const { value } = await results.next();
      return (value?.errors ?? []) as unknown as Fields[];
    },
    close: () => client.dispose(),
  };
}

/** Follows `target`, and resolves once what happens from now on is seen. */
async function followFromNow(target: Target, variables: Fields = {}): Promise<Followed> {
  const followed = follow(target, { ...variables, ...(await lastChange(target)) });
  return followed;
}

/** As variables: the end of the log. */
async function lastChange(target: Target): Promise<{ after: string }> {
  const { changes } = await query(target, "{ changes(last: 1) { nodes { id } } }");
  return { after: changes.nodes[0].id };
}

async function query(target: Target, document: string, variables: Fields = {}): Promise<Fields> {
  const response = await fetch(`${target.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${target.writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: document, variables }),
  });
  return ((await response.json()) as Fields).data;
}

async function createPolicy(target: Target, description = ""): Promise<string> {
  const response = await fetch(`${target.url}/ip_policies`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${target.writeKey}`,
      "Content-Type": "application/json",
      "Service-Version": "2",
    },
    body: JSON.stringify({ description }),
  });
  return ((await response.json()) as Fields).id;
}

describe("a subscription to changes", () => {
  it("delivers what is created, updated and deleted over both transports, in order", async () => {
    const followed = await followFromNow(server);
    const id = await createPolicy(server, "first");
    await graphql(
      server,
      'mutation($id: ID!) { updateIpPolicy(id: $id, input: { description: "second" }) { ipPolicy { id } } }',
      { id },
    );
    await rest(server, "DELETE", `/ip_policies/${id}`);
    const events = [await followed.next(), await followed.next(), await followed.next()];
    expect(events).toMatchObject([
      { action: "CREATED", type: "IP_POLICY", resourceId: id, version: 1 },
      {
        action: "UPDATED",
        version: 2,
        differences: [{ path: ["description"], before: "first", after: "second" }],
      },
      { action: "DELETED", version: 2, resource: null },
    ]);
  });

  it("begins with what happens after it began, when no place is given", async () => {
    const followed = follow(server);
    const next = followed.next();
    let delivered = false;
    void next.then(() => {
      delivered = true;
    });
    let marker = "";
    while (!delivered) {
      marker = await createPolicy(server, "marker");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(marker).not.toBe("");
    expect(await next).toMatchObject({ action: "CREATED", resource: { description: "marker" } });
  });

  it("lets through only the types, ids and keys that are asked for", async () => {
    const other = await createPolicy(server);
    const wanted = await createPolicy(server);
    const byId = await followFromNow(server, { ids: [wanted] });
    const byType = await followFromNow(server, { types: ["TLS_EDGE"] });
    const { body: key } = await rest(server, "POST", "/api_keys", {});
    const byKey = await followFromNow(server, { actorIds: [key.id] });
    await rest(server, "PATCH", `/ip_policies/${other}`, { metadata: "x" });
    const edge = (await rest(server, "POST", "/edges/tls", {})).body;
    await rest(server, "PATCH", `/ip_policies/${wanted}`, { metadata: "y" });
    expect(await byId.next()).toMatchObject({ resourceId: wanted, action: "UPDATED" });
    expect(await byType.next()).toMatchObject({ resourceId: edge.id, action: "CREATED" });
    const theirs = { Authorization: `Bearer ${key.token}` };
    await rest(server, "PATCH", `/ip_policies/${other}`, { metadata: "z" }, theirs);
    expect(await byKey.next()).toMatchObject({ resourceId: other, version: 3 });
  });

  it("goes on after the last event seen without a gap, though much happened meanwhile", async () => {
    const followed = await followFromNow(server, { types: ["IP_POLICY"] });
    const first = await createPolicy(server);
    const seen = await followed.next();
    expect(seen.resourceId).toBe(first);
    followed.close();
    const missed: string[] = [];
    for (let i = 0; i < 130; i++) missed.push(await createPolicy(server));
    const again = follow(server, { types: ["IP_POLICY"], after: seen.id });
    const got: string[] = [];
    for (let i = 0; i < missed.length; i++) got.push((await again.next()).resourceId);
    expect(got).toEqual(missed);
  });

  it("gives each event an id over SSE, and takes it back in Last-Event-ID", async () => {
    const { after } = await lastChange(server);
    const missed = await createPolicy(server);
    const abort = new AbortController();
    open.push(() => abort.abort());
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      signal: abort.signal,
      headers: {
        Authorization: `Bearer ${server.readKey}`,
        Accept: "text/event-stream",
        "Content-Type": "application/json",
        "Last-Event-ID": after,
      },
      body: JSON.stringify({ query: "subscription { changes { id resourceId } }" }),
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const text = await readUntil(response, /\ndata: .*\n\n/);
    const [, id, data = ""] = /event: next\nid: (\S+)\ndata: (.*)\n\n/.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      data: { changes: { id, resourceId: missed } },
      extensions: { eventId: id },
    });
  });

  it.each([
    [{ after: "chg_nothing" }, "INVALID_REQUEST"],
    [{ ids: ["nothing"] }, "INVALID_REQUEST"],
    [{ after: "chg_1Z1" }, "GONE"],
  ])("refuses %j with one coded answer", async (variables, code) => {
    expect(await follow(server, variables).errors()).toMatchObject([{ extensions: { code } }]);
  });

  it("ends when its key is revoked, without another change", async () => {
    const key = (await rest(server, "POST", "/api_keys", { scope: "read" })).body;
    const followed = follow(
      server,
      { types: ["IP_POLICY"], ...(await lastChange(server)) },
      key.token,
    );
    const id = await createPolicy(server);
    expect(await followed.next()).toMatchObject({ resourceId: id });
    await rest(server, "DELETE", `/api_keys/${key.id}`);
    await createPolicy(server, "unseen");
    expect(await followed.errors()).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
  });

  it("is served to many at once, each getting everything once", async () => {
    const variables = { types: ["RESERVED_ADDR"], ...(await lastChange(server)) };
    const followers = Array.from({ length: 20 }, () => follow(server, variables));
    const made: string[] = [];
    for (let i = 0; i < 5; i++)
      made.push((await rest(server, "POST", "/reserved_addrs", {})).body.id);
    const got = await Promise.all(
      followers.map(async (followed) => {
        const ids: string[] = [];
        for (let i = 0; i < made.length; i++) ids.push((await followed.next()).resourceId);
        return ids;
      }),
    );
    for (const ids of got) expect(ids).toEqual(made);
  });
});

describe("a client that goes", () => {
  it("takes its subscription along, also one that nothing passes", async () => {
    const clients = Array.from({ length: 5 }, () => follow(server, { types: ["API_KEY"] }));
    for (const client of clients) void client.next().catch(() => {});
    const following = async () => {
      const sent = await server.statements(async () => {
        await createPolicy(server);
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
      return sent.some((sql) => sql.includes("FROM changes"));
    };
    // Each is a change that wakes whoever still follows.
    while (!(await following()));
    for (const client of clients) client.close();
    while (await following());
    expect(await following()).toBe(false);
  });
});

async function readUntil(response: Response, end: RegExp): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (end.test(text)) break;
  }
  return text;
}

const API_KEY = "bootstrap-key-of-the-operator";

describe("a server that stops", () => {
  it("ends its subscriptions, and exits with 0", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "edgeplane-test-"));
    const running = runServer({ DATA_DIR: dataDir, API_KEY });
    try {
      const target = { url: await urlOf(running), writeKey: API_KEY };
      await createPolicy(target);
      const followed = await followFromNow(target);
      await createPolicy(target);
      await followed.next();
      const ended = followed.next().catch((error: Error) => error.message);
      running.child.kill("SIGTERM");
      expect(await ended).toBe('"complete"');
      expect(await running.exited).toBe(0);
    } finally {
      running.child.kill("SIGKILL");
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 60_000);
});

describe("two processes on one database", () => {
  let storage: Awaited<ReturnType<typeof freshDatabase>>;
  const processes: ServerProcess[] = [];
  const start = async (): Promise<ServerProcess & Target> => {
    const running = runServer({
      DATABASE_URL: storage.url,
      ENCRYPTION_KEY,
      API_KEY,
    });
    processes.push(running);
    return { ...running, url: await urlOf(running), writeKey: API_KEY };
  };
  const ENCRYPTION_KEY = randomBytes(32).toString("base64");
  beforeAll(async () => {
    storage = await freshDatabase();
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.map(({ exited }) => exited));
    await storage.stop();
  });

  it("wait for nothing that goes on in other databases of the same server", async () => {
    const target = await start();
    const elsewhere = new Client({ connectionString: inject("cluster").url });
    await elsewhere.connect();
    try {
      await elsewhere.query("BEGIN");
      await elsewhere.query("SELECT pg_current_xact_id()");
      const id = await createPolicy(target);
      const { changes } = await query(target, "{ changes(last: 1) { nodes { resourceId } } }");
      expect(changes.nodes).toEqual([{ resourceId: id }]);
    } finally {
      await elsewhere.end();
    }
  });

  it("each tell those who follow at the one what is changed at the other, and nothing is lost when one is killed", async () => {
    const [one, other] = [await start(), await start()];
    await createPolicy(one);
    const followed = await followFromNow(one, { types: ["IP_POLICY"] });
    const made: string[] = [];
    for (let i = 0; i < 10; i++) made.push(await createPolicy(i % 2 ? one : other, `${i}`));
    const seen: Fields[] = [];
    for (let i = 0; i < made.length; i++) seen.push(await followed.next());
    expect(seen.map(({ resourceId }) => resourceId)).toEqual(made);

    const acknowledged: string[] = [];
    const writing = (async () => {
      for (;;) acknowledged.push(await createPolicy(one, "before the end"));
    })().catch(() => "killed");
    for (let i = 0; i < 5; i++) seen.push(await followed.next());
    one.child.kill("SIGKILL");
    expect(await writing).toBe("killed");
    const last = seen.at(-1)?.id;
    const resumed = follow(other, { types: ["IP_POLICY"], after: last });
    const final = await createPolicy(other, "after the end");
    const rest: string[] = [];
    while (rest.at(-1) !== final) rest.push((await resumed.next()).resourceId);
    const delivered = [...seen.map(({ resourceId }) => resourceId), ...rest];
    expect(new Set(delivered).size).toBe(delivered.length);
    for (const id of acknowledged) expect(delivered).toContain(id);
  });
});
