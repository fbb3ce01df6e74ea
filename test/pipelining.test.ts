import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { whileLocked } from "./harness/locks.js";
import { startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

// Requests that a client sends on one connection before it has the answers to those before them.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: unknown;
}

function bytesOf({ method = "GET", path, headers = [], body }: Sent): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: a",
    `Authorization: Bearer ${server.writeKey}`,
    "Service-Version: 2",
    ...(text === ""
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`]),
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

/** Sends everything at once, the last with `Connection: close`; returns all that comes until the connection ends. */
function sendAhead(requests: readonly Sent[]): Promise<string> {
  const [last = { path: "/livez" }, ...before] = requests.toReversed();
  const closing = { ...last, headers: [...(last.headers ?? []), "Connection: close"] };
  const bytes = [...before.reverse(), closing].map(bytesOf).join("");
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    socket.write(bytes);
  });
}

const statusesIn = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

it("are answered in their order, whatever serves them", async () => {
  const create = (n: number): Sent => ({
    method: "POST",
    path: "/ip_policies",
    body: { description: `policy ${n}` },
  });
  const mutate = (n: number): Sent => ({
    method: "POST",
    path: "/graphql",
    body: {
      query: `mutation { createIpPolicy(input: { description: "policy ${n}" }) { ipPolicy { description } } }`,
    },
  });
  const requests = Array.from({ length: 15 }, (_, n) => [
    create(3 * n),
    { path: "/livez" },
    mutate(3 * n + 1),
    { path: "/nowhere" },
    { path: "/openapi.json", method: "HEAD" },
    create(3 * n + 2),
  ]).flat();
  const answers = await sendAhead(requests);
  expect(statusesIn(answers)).toEqual(
    Array.from({ length: 15 }, () => [201, 200, 200, 404, 200, 201]).flat(),
  );
  const described = [...answers.matchAll(/"description":"policy (\d+)"/g)].map(([, n]) => n);
  expect(described).toEqual(Array.from({ length: 45 }, (_, n) => `${n}`));
});

it("are begun one after another, so that each sees what those before it have changed", async () => {
  const { id } = (await rest(server, "POST", "/ip_policies", { description: "before" })).body;
  const path = `/ip_policies/${id}`;
  const answers = await sendAhead([
    { method: "PATCH", path, body: { description: "one" } },
    { path },
    { method: "PATCH", path, body: { description: "two" } },
    { path },
    { method: "DELETE", path },
    { path },
  ]);
  expect(statusesIn(answers)).toEqual([200, 200, 200, 200, 204, 404]);
  const described = [...answers.matchAll(/"description":"(\w+)"/g)].map(([, text]) => text);
  expect(described).toEqual(["one", "one", "two", "two"]);
});

it("are not begun when their client has gone", async () => {
  const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
  const path = `/ip_policies/${id}`;
  const { hostname, port } = new URL(server.url);
  await whileLocked(
    server.context,
    (tx) => tx.$queryRaw`SELECT 1 FROM ip_policies WHERE id = ${id} FOR UPDATE`,
    async () => {
      const socket = connect(Number(port), hostname);
      const changes = [{ metadata: "first" }, { description: "second" }];
      socket.write(changes.map((body) => bytesOf({ method: "PATCH", path, body })).join(""));
      while ((await waiting()) === 0);
      socket.resetAndDestroy();
      // Until the server has seen it.
      for (let times = 0; times < 3; times++) await fetch(`${server.url}/livez`);
    },
  );
  // The first had begun. Its lock is gone when this one has it.
  await rest(server, "PATCH", path, { metadata: "last" });
  expect((await rest(server, "GET", path)).body.description).toBe("");
});

it("are not begun behind one that ends the connection", async () => {
  const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
  const path = `/ip_policies/${id}`;
  const answers = await sendAhead([
    { method: "PATCH", path, body: { description: "first" }, headers: ["Connection: close"] },
    { method: "PATCH", path, body: { description: "second" } },
  ]);
  expect(statusesIn(answers)).toEqual([200]);
  await rest(server, "PATCH", path, { metadata: "last" });
  expect((await rest(server, "GET", path)).body.description).toBe("first");
});

it("end the connection when more wait than anybody needs, and keep nobody else waiting", async () => {
  const requests = Array.from({ length: 5_000 }, () => ({ path: "/ip_policies" }));
  const flood = Promise.all(Array.from({ length: 4 }, () => sendAhead(requests)));
  expect((await rest(server, "GET", "/ip_policies")).status).toBe(200);
  for (const answers of await flood) {
    expect(statusesIn(answers).length).toBeLessThan(requests.length);
  }
  expect((await rest(server, "GET", "/ip_policies")).status).toBe(200);
  // As many as may wait behind the first.
  const most = await sendAhead(requests.slice(0, 101));
  expect(statusesIn(most)).toEqual(requests.slice(0, 101).map(() => 200));
});

/** Statements of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await server.context.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}
