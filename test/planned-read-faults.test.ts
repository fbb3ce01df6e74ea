import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whileLocked } from "./harness/locks.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// A read that the database does not finish has a coded error, and the next one is answered.

const KEY = "bootstrap-key-of-the-operator";
const QUERY =
  "{ httpsEdges { nodes { id routes { nodes { match backend { backend { id } } } } } } }";
const LISTS = ["/edges/https", "/backends/static"];

let database: Awaited<ReturnType<typeof freshDatabase>>;
let hasty: TestServer;
let patient: TestServer;
beforeAll(async () => {
  database = await freshDatabase();
  const connection = { connectionString: database.url, max: 4, connectionTimeoutMillis: 20_000 };
  // One whose statements end before its requests do, and one of which it is the other way round.
  hasty = await startServer({
    bootstrapKey: KEY,
    connection: { ...connection, statement_timeout: 300 },
  });
  patient = await startServer({ bootstrapKey: KEY, connection, graphql: { deadlineMs: 300 } });
  const { body } = await rest(patient, "POST", "/edges/https", {});
  await rest(patient, "POST", `/edges/https/${body.id}/routes`, {
    match_type: "exact_path",
    match: "/",
  });
});
afterAll(async () => {
  await hasty.stop();
  await patient.stop();
  await database.stop();
});

/** Runs `action` while nobody can read routes. */
function whileRoutesLocked<Result>(action: () => Promise<Result>): Promise<Result> {
  return whileLocked(
    patient.context,
    (tx) => tx.$executeRaw`LOCK TABLE https_edge_routes IN ACCESS EXCLUSIVE MODE`,
    action,
  );
}

async function ask({ url }: TestServer) {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: QUERY }),
  });
  const { data, errors } = (await response.json()) as Fields;
  return { status: response.status, data, code: errors?.[0].extensions.code };
}

async function overRest(server: TestServer, path: string) {
  const { status, body } = await rest(server, "GET", path, undefined, {
    Authorization: `Bearer ${KEY}`,
  });
  return { status, code: body.error_code };
}

/** Ends the connection of every statement that waits for a lock, until there was one. */
async function endWaiting(): Promise<void> {
  for (let ended = 0; ended === 0; ) {
    const rows = await patient.context.db.$queryRaw<{ ended: boolean }[]>`
      SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    ended = rows.length;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const works = async (server: TestServer) => {
  const { status, data } = await ask(server);
  expect(status).toBe(200);
  expect(data.httpsEdges.nodes[0].routes.nodes).toEqual([{ match: "/", backend: null }]);
  for (const path of LISTS) expect((await overRest(server, path)).status).toBe(200);
};

describe.each([1, 2, 3, 4])("a planned read, asked for the %i. time", () => {
  it("is UNAVAILABLE when the database ends its statement", async () => {
    await whileRoutesLocked(async () => {
      expect(await ask(hasty)).toMatchObject({ code: "UNAVAILABLE" });
      expect(await overRest(hasty, "/edges/https")).toEqual({
        status: 503,
        code: "ERR_UNAVAILABLE",
      });
    });
    await works(hasty);
  });

  it("is UNAVAILABLE when its connection breaks", async () => {
    await whileRoutesLocked(async () => {
      const [answer] = await Promise.all([overRest(patient, "/edges/https"), endWaiting()]);
      expect(answer).toEqual({ status: 503, code: "ERR_UNAVAILABLE" });
    });
    await works(patient);
  });

  it("ends at the deadline of the request", async () => {
    await whileRoutesLocked(async () => {
      expect(await ask(patient)).toEqual({
        status: 504,
        data: undefined,
        code: "DEADLINE_EXCEEDED",
      });
    });
    await works(patient);
  });
});
