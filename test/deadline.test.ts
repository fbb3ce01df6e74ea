import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { whileLocked } from "./harness/locks.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// A request ends at its deadline, and what it was doing to the database ends with it.

const KEY = "bootstrap-key-of-the-operator";

let server: TestServer;
beforeAll(async () => {
  // This key is checked without the database, whose only connection may be taken here.
  server = await startServer({ bootstrapKey: KEY, graphql: { deadlineMs: 500 } });
});
afterAll(() => server.stop());

const UPDATE = `mutation($id: ID!) {
  first: createIpPolicy(input: { metadata: "first" }) { ipPolicy { id } }
  updateStaticBackend(id: $id, input: { description: "too late" }) { staticBackend { id } }
  last: createIpPolicy(input: { metadata: "last" }) { ipPolicy { id } } }`;

/** Runs `action` while another transaction holds the row. */
function whileRowLocked<Result>(id: string, action: () => Promise<Result>): Promise<Result> {
  return whileLocked(
    server.context,
    (tx) => tx.$queryRaw`SELECT 1 FROM backends WHERE id = ${id} FOR UPDATE`,
    action,
  );
}

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await server.context.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function staticBackend(): Promise<string> {
  return (await rest(server, "POST", "/backends/static", { address: "a.internal:1" })).body.id;
}

function post(body: unknown) {
  return fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

const metadataOfPolicies = async () =>
  (await rest(server, "GET", "/ip_policies")).body.ip_policies.map(
    ({ metadata }: Fields) => metadata,
  );

/** Whatever was sent before has reached the server. */
const seen = () => fetch(`${server.url}/livez`);

it("a change that waits for a lock is cancelled at the deadline, and nothing after it is begun", async () => {
  const id = await staticBackend();
  await whileRowLocked(id, async () => {
    const answer = await post({ query: UPDATE, variables: { id } });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({
      errors: [{ message: expect.any(String), extensions: { code: "DEADLINE_EXCEEDED" } }],
      extensions: { cost: { requested: 36, limit: 300_000 } },
    });
    // Still held: what waited for it does so no more.
    await until(async () => (await waiting()) === 0);
  });
  const { body } = await rest(server, "GET", `/backends/static/${id}`);
  expect(body.description).toBe("");
  expect(await metadataOfPolicies()).not.toContain("last");
  expect(await graphql(server, "{ ipPolicies { totalCount } }")).toBeDefined();
});

it("a change is taken back when its client goes", async () => {
  const id = await staticBackend();
  await whileRowLocked(id, async () => {
    const sent = request(`${server.url}/graphql`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    });
    sent.on("error", () => {});
    sent.end(JSON.stringify({ query: UPDATE, variables: { id } }));
    await seen();
    await until(async () => (await waiting()) > 0);
    sent.destroy();
    await seen();
    await until(async () => (await waiting()) === 0);
  });
  const { body } = await rest(server, "GET", `/backends/static/${id}`);
  expect(body.description).toBe("");
  expect(await metadataOfPolicies()).not.toContain("last");
});

it("each operation of a batch has the deadline of its request", async () => {
  const id = await staticBackend();
  await whileRowLocked(id, async () => {
    const update = { query: UPDATE, variables: { id } };
    const answers = (await (await post([update, { query: "{ __typename }" }])).json()) as Fields[];
    expect(answers[0]?.errors[0].extensions.code).toBe("DEADLINE_EXCEEDED");
    expect(answers[1]?.data).toEqual({ __typename: "Query" });
  });
});
