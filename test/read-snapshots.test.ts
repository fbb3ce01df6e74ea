import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Context } from "../src/domain/core/context.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What a field of the root brings is of one moment, whatever others change meanwhile.

type Database = Context["db"];

let server: TestServer;
let edge: string;
let backends: readonly [string, string];
beforeAll(async () => {
  server = await startServer({ graphql: { maxCost: 100_000 } });
  backends = [await create("/backends/static", A), await create("/backends/static", A)];
  edge = await create("/edges/https", {});
  for (let i = 0; i < 5; i++) {
    const matched = { match_type: "exact_path", match: `/${i}` };
    await create(`/edges/https/${edge}/routes`, {
      ...matched,
      backend: { backend_id: backends[0] },
    });
  }
});
afterAll(() => server.stop());

const A = { address: "a.internal:1" };

async function create(path: string, body: object): Promise<string> {
  const answer = await rest(server, "POST", path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

function inTransaction<Result>(work: (db: Database) => Promise<Result>) {
  const { db } = server.context;
  if (!("$transaction" in db)) throw new Error("The tests have the whole database.");
  return db.$transaction(work);
}

/** Everything that belongs together is changed in one transaction: what is read of one is to go with the rest. */
async function move(to: string): Promise<void> {
  await inTransaction(async (db) => {
    await db.$executeRaw`UPDATE https_edge_routes SET backend_id = ${to}, description = ${to}`;
    await db.$executeRaw`UPDATE backends SET description = ${to}`;
    await db.$executeRaw`UPDATE https_edges SET description = ${to}`;
  });
}

const EDGE = `description routes { totalCount nodes { description backend { backend { id description } } edge { description } } }
  some: routes(first: 2, filter: { search: "bkd" }, orderBy: { field: DESCRIPTION }) { nodes { description } }`;
const QUERY = `query($id: ID!) { httpsEdge(id: $id) { ${EDGE} } httpsEdges(filter: { search: "bkd" }) { nodes { ${EDGE} } }
  staticBackends { nodes { description used: httpsEdgeRoutes { totalCount nodes { description edge { description } } } } } }`;

/** All descriptions and backends below a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

it("an answer shows all of a change or nothing of it", async () => {
  await move(backends[0]);
  let reading = true;
  let changes = 0;
  const writer = (async () => {
    for (; reading; changes++) await move(backends[(changes + 1) % 2] ?? "");
  })();
  const seen = new Set<string>();
  const reader = async () => {
    for (let times = 0; times < 60; times++) {
      const data = await graphql(server, QUERY, { id: edge });
      // Each field of the root is a statement of its own, and may be of another moment.
      for (const [name, found] of Object.entries(data)) {
        const texts = new Set(textsIn(found));
        expect([...texts], `${name}: ${JSON.stringify(found)}`).toHaveLength(1);
        for (const text of texts) seen.add(text);
      }
      const counts = data.staticBackends.nodes.map(({ used }: Fields) => used.totalCount);
      expect(counts.sort()).toEqual([0, 5]);
      const lists = data.staticBackends.nodes.map(({ used }: Fields) => used.nodes.length);
      expect(lists.sort()).toEqual([0, 5]);
    }
  };
  try {
    await Promise.all([reader(), reader(), reader()]);
  } finally {
    reading = false;
    await writer;
  }
  // Both states were there to be mixed.
  expect(seen).toEqual(new Set(backends));
  expect(changes).toBeGreaterThan(2);
});

/** Holds a table until `release` is called. */
async function hold(table: string) {
  const gate = new EventEmitter();
  const [held, released] = [once(gate, "held"), once(gate, "released")];
  const done = inTransaction(async (db) => {
    await db.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    gate.emit("held");
    const [last] = await released;
    await last(db);
  });
  await held;
  return async (last: (db: Database) => Promise<unknown> = async () => {}) => {
    gate.emit("released", last);
    await done;
  };
}

async function untilWaiting(table: string): Promise<void> {
  for (;;) {
    const [row] = await server.context.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM pg_locks WHERE NOT granted AND relation = ${table}::regclass`;
    if (row && row.count > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it("what was deleted between two statements is left out, or is the error of its field alone", async () => {
  const leaf = await create("/backends/static", A);
  const weighted = await create("/backends/weighted", { backends: { [leaf]: 1 } });
  const matched = { match_type: "exact_path", match: "/deleted" };
  await create(`/edges/https/${edge}/routes`, { ...matched, backend: { backend_id: weighted } });
  // The statement for usage waits for the first lock, and that for the chains of backends for the second.
  const letUsage = await hold("backend_children");
  const query = `{ staticBackend(id: "${leaf}") { usedBy { nodes { module user { id } via { id } } } } }`;
  const answer = graphql(server, query);
  await untilWaiting("backend_children");
  const letBackends = await hold("backends");
  await letUsage();
  await untilWaiting("backends");
  await letBackends(async (db) => {
    await db.$executeRaw`UPDATE https_edge_routes SET backend_id = ${leaf} WHERE backend_id = ${weighted}`;
    await db.$executeRaw`DELETE FROM backends WHERE id = ${weighted}`;
  });
  const { usedBy } = (await answer).staticBackend;
  expect(usedBy.nodes).toMatchObject([{ module: "BACKEND", via: [] }]);
});
