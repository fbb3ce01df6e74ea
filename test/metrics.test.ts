import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { followChanges } from "../src/domain/changes/following.js";
import { endOfLog, openEvents } from "./harness/event-streams.js";
import { ipPolicy } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { graphql, rest, transports } from "./harness/transports.js";

// The metrics that Prometheus reads.

const PERSISTED = "query Persisted { ipPolicies { totalCount } }";
const HASH = createHash("sha256").update(PERSISTED).digest("hex");

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    metrics: true,
    connections: 2,
    graphql: { persistedOperations: JSON.stringify({ [HASH]: PERSISTED }), deadlineMs: 30_000 },
    rateLimits: { requests: 500, seconds: 3_600, store: "memory" },
  });
});
afterAll(() => server.stop());

/** The values by name and labels, as in `name{a="b"}`. */
async function values(): Promise<Map<string, number>> {
  const lines = (await server.metrics()).split("\n").filter((line) => line && line[0] !== "#");
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
  );
}

let before: Map<string, number>;
beforeEach(async () => {
  // Requests of the test before may be counted a little later.
  const requests = async () => (await server.metrics()).match(/^edgeplane_http.*$/gm)?.join();
  let last: string | undefined;
  const isQuiet = async () => {
    const now = await requests();
    const isSame = now === last;
    last = now;
    return isSame;
  };
  await expect.poll(isQuiet).toBe(true);
  before = await values();
});

/** By how much each value of `metric` has grown in this test, by its labels; without those that have not. */
async function grown(metric: string): Promise<Record<string, number>> {
  const entries = [...(await values())].flatMap(([name, value]) => {
    const growth = value - (before.get(name) ?? 0);
    const labels = name.slice(metric.length);
    return name.startsWith(`${metric}{`) && growth > 0 ? [[labels, growth] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Requests are counted when their connection has all of the answer. */
function soon(metric: string, expected: Record<string, number>): Promise<void> {
  return expect.poll(() => grown(metric)).toEqual(expected);
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Content-Type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });

const REQUESTS = "edgeplane_http_requests_total";
const SECONDS = "edgeplane_http_request_duration_seconds_count";
const ERRORS = "edgeplane_errors_total";

describe("requests", () => {
  it("are counted by the template of their path, their method and their status", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", {});
    await rest(server, "GET", `/ip_policies/${body.id}`);
    await rest(server, "GET", `/ip_policies/${body.id}`);
    await rest(server, "GET", "/ip_policies/ipp_x");
    await soon(REQUESTS, {
      '{transport="rest",route="/ip_policies",method="POST",status="201"}': 1,
      '{transport="rest",route="/ip_policies/{id}",method="GET",status="200"}': 2,
      '{transport="rest",route="/ip_policies/{id}",method="GET",status="404"}': 1,
    });
    expect(await grown(SECONDS)).toEqual({
      '{transport="rest",route="/ip_policies",method="POST"}': 1,
      '{transport="rest",route="/ip_policies/{id}",method="GET"}': 3,
    });
    expect(await grown(ERRORS)).toEqual({ '{transport="rest",code="NOT_FOUND"}': 1 });
  });

  it("have few labels, whatever clients send", async () => {
    const { hostname, port } = new URL(server.url);
    for (let i = 0; i < 20; i++) {
      await rest(server, "GET", `/nothing-${i}`);
      await rest(server, "GET", `/ip_policies/${i}`);
      await (await fetch(`${server.url}/docs/assets/${i}.js`)).arrayBuffer();
      await (await fetch(`${server.url}/dashboard/edges/https/${i}`)).arrayBuffer();
      await graphql(server, `query Q${i} { a${i}: __typename }`);
      await expect(graphql(server, `query R${i} { a${i} }`)).rejects.toThrow();
    }
    for (const method of ["PROPFIND", "LINK"]) {
      await new Promise((resolve) => {
        httpRequest({ hostname, port, method, path: "/x" }, (answer) => {
          answer.resume().on("end", resolve);
        }).end();
      });
    }
    const socket = connect(Number(port), hostname).resume();
    await new Promise((resolve) => socket.on("close", resolve).end("NONSENSE\r\n\r\n"));
    await soon(REQUESTS, {
      '{transport="rest",route="unknown",method="GET",status="404"}': 20,
      '{transport="rest",route="/ip_policies/{id}",method="GET",status="404"}': 20,
      '{transport="page",route="/docs/assets/{file}",method="GET",status="404"}': 20,
      '{transport="page",route="/dashboard/{page}",method="GET",status="200"}': 20,
      '{transport="graphql",route="/graphql",method="POST",status="200"}': 40,
      '{transport="rest",route="unknown",method="OTHER",status="404"}': 2,
      '{transport="none",route="unknown",method="OTHER",status="400"}': 1,
    });
    expect(await grown("edgeplane_graphql_operations_total")).toEqual({
      '{type="query",name=""}': 40,
    });
  });

  it.each(["/livez", "/readyz"])("for probes are counted as such: %s", async (path) => {
    await (await fetch(server.url + path)).text();
    await soon(REQUESTS, {
      [`{transport="health",route="${path}",method="GET",status="200"}`]: 1,
    });
  });

  it("that are refused by limits of rates are counted by their sender", async () => {
    const limited = await startServer({
      metrics: true,
      rateLimits: { requests: 1, seconds: 3_600, store: "memory" },
    });
    try {
      for (const headers of [{}, { Authorization: "Bearer wrong" }]) {
        for (let i = 0; i < 3; i++) await rest(limited, "GET", "/self", undefined, headers);
      }
      await expect
        .poll(async () => (await limited.metrics()).match(/^edgeplane_rate_limited.*\{.*/gm))
        .toEqual([
          'edgeplane_rate_limited_requests_total{sender="key"} 2',
          'edgeplane_rate_limited_requests_total{sender="network"} 2',
        ]);
    } finally {
      await limited.stop();
    }
  });
});

describe("GraphQL operations", () => {
  it("are counted by type, and by name when the manifest has them", async () => {
    await (await post({ documentId: `sha256:${HASH}` })).text();
    await (await post({ query: PERSISTED })).text();
    const batch = ["query A { __typename }", "mutation B { createIpPolicy(input: {}) { dryRun } }"];
    await (await post(batch.map((query) => ({ query })))).text();
    await soon("edgeplane_graphql_operations_total", {
      '{type="query",name="Persisted"}': 1,
      '{type="query",name=""}': 2,
      '{type="mutation",name=""}': 1,
    });
  });

  it("have the codes of their errors, also with status 200", async () => {
    await (await post({ query: '{ ipPolicy(id: "ipp_x") { id } }' })).text();
    await (await post({ query: "{ nothing }" })).text();
    await soon(ERRORS, {
      '{transport="graphql",code="NOT_FOUND"}': 1,
      '{transport="graphql",code="GRAPHQL_VALIDATION_FAILED"}': 1,
    });
  });

  it("say whether one planned statement reads, or further ones do", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", {});
    const read = "query ($id: ID!) { ipPolicy(id: $id) { id rules { nodes { cidr } } } }";
    for (let i = 0; i < 6; i++) await graphql(server, read, { id: body.id });
    // It is made again when the operation is compiled.
    const reads = { '{plan="made"}': 2, '{plan="kept"}': 4 };
    expect(await grown("edgeplane_graphql_reads_total")).toEqual(reads);
    await graphql(server, "{ changes(last: 2) { nodes { actor { id } } } }");
    const further = { ...reads, '{plan="none"}': 1 };
    expect(await grown("edgeplane_graphql_reads_total")).toEqual(further);
  });
});

describe.each(transports)("changes over $name", (transport) => {
  it("are counted by kind and action once they are committed", async () => {
    const driver = transport.drive(server, ipPolicy);
    const { id } = await driver.create();
    await driver.update(id, { description: "a" });
    await driver.remove(id);
    await expect(driver.remove(id)).rejects.toThrow();
    expect(await grown("edgeplane_changes_total")).toEqual({
      '{kind="ipPolicy",action="created"}': 1,
      '{kind="ipPolicy",action="updated"}': 1,
      '{kind="ipPolicy",action="deleted"}': 1,
    });
  });
});

describe("the database", () => {
  it("has its statements counted and timed by kind, and those that fail", async () => {
    const sent = await server.statements(() => rest(server, "POST", "/edges/https", {}));
    const counted = await grown("edgeplane_database_statement_duration_seconds_count");
    const sum = Object.values(counted).reduce((total, count) => total + count, 0);
    expect(sum).toBeGreaterThanOrEqual(sent.length);
    expect(counted).toHaveProperty(['{kind="WITH"}']);
    expect(await grown("edgeplane_database_statement_errors_total")).toEqual({});
    const { db } = server.context;
    await db.$executeRaw`ALTER TABLE ip_policies RENAME TO gone`;
    await rest(server, "GET", "/ip_policies");
    await db.$executeRaw`ALTER TABLE gone RENAME TO ip_policies`;
    const failed = await grown("edgeplane_database_statement_errors_total");
    expect(Object.values(failed)).toEqual([1]);
  });

  it("tells of its pool, and who wait for it", async () => {
    const pool = async () => {
      const now = await values();
      const of = (name: string) => now.get(`edgeplane_database_pool_${name}`);
      return [of("max_connections"), of("used_connections"), of("waiting")];
    };
    const holder = new Client({ connectionString: server.databaseUrl });
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("LOCK TABLE ip_policies");
    // Each holds a connection until the lock is given back.
    const making = Array.from({ length: 4 }, () => rest(server, "POST", "/ip_policies", {}));
    await expect.poll(pool, { timeout: 10_000 }).toEqual([2, 2, expect.toSatisfy((n) => n >= 2)]);
    await holder.query("ROLLBACK");
    await holder.end();
    await Promise.all(making);
    expect(await pool()).toEqual([2, expect.any(Number), 0]);
    const waits = "edgeplane_database_pool_wait_seconds_count";
    expect((await values()).get(waits)).toBeGreaterThan(before.get(waits) ?? 0);
  });

  it("is ready", async () => {
    expect((await values()).get("edgeplane_ready")).toBe(1);
  });
});

describe("followers of the change log", () => {
  const state = async () => {
    const now = await values();
    const lag = now.get("edgeplane_follower_lag_seconds") ?? Number.NaN;
    return { followers: now.get("edgeplane_followers"), isBehind: lag > 0 };
  };
  const query = "subscription { changes { id resourceId } }";

  it("are counted, and behind while the log is held up", async () => {
    expect(await state()).toEqual({ followers: 0, isBehind: false });
    const { id: ofLog } = (await rest(server, "POST", "/ip_policies", {})).body;
    const events = await openEvents(server, server.writeKey, { query }, await endOfLog(server));
    await expect.poll(state).toEqual({ followers: 1, isBehind: false });
    const holder = new Client({ connectionString: server.databaseUrl });
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("UPDATE changes SET at = at WHERE resource_id = $1", [ofLog]);
    const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
    await expect.poll(state, { timeout: 20_000 }).toEqual({ followers: 1, isBehind: true });
    await holder.query("COMMIT");
    await holder.end();
    expect((await events.next())?.result).toMatchObject({ data: { changes: { resourceId: id } } });
    await expect.poll(state, { timeout: 20_000 }).toEqual({ followers: 1, isBehind: false });
    events.close();
    await expect.poll(state).toEqual({ followers: 0, isBehind: false });
  });

  it("are behind until they have taken all", async () => {
    const from = await endOfLog(server);
    await rest(server, "POST", "/ip_policies", {});
    const gone = new AbortController();
    const start = { cursor: from, name: "after" };
    const changes = await followChanges(server.context, {}, start, gone.signal);
    await changes.next();
    await expect.poll(state).toEqual({ followers: 1, isBehind: true });
    const next = changes.next();
    await expect.poll(state).toEqual({ followers: 1, isBehind: false });
    await rest(server, "POST", "/ip_policies", {});
    await next;
    await expect.poll(state).toEqual({ followers: 1, isBehind: true });
    gone.abort();
    await changes.return();
    expect(await state()).toEqual({ followers: 0, isBehind: false });
  });

  it("are no requests whose time is measured", async () => {
    const events = await openEvents(server, server.writeKey, { query }, await endOfLog(server));
    events.close();
    await soon(REQUESTS, {
      '{transport="graphql",route="/graphql",method="POST",status="200"}': 2,
    });
    expect(await grown(SECONDS)).toEqual({
      '{transport="graphql",route="/graphql",method="POST"}': 1,
    });
  });
});
