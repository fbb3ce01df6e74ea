import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpsEdge, ipPolicy, routesOf, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// Many clients change one resource at the same time, over both transports: each change counts, once.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function create(resource: TestResource, fields: Fields = {}): Promise<string> {
  const [overRest] = transports;
  if (!overRest) throw new Error("There is no transport.");
  return (await overRest.drive(server, resource).create(fields)).id;
}

/** What came of one attempt: the status over REST, the code over GraphQL, "done" over both. */
type Attempt = () => Promise<string>;

describe("64 clients that read, change and write again when they were late", () => {
  const CLIENTS = 64;
  const PAUSE_MS = 400;
  const UPDATE = `mutation($id: ID!, $metadata: String!, $version: Int!) {
    updateIpPolicy(id: $id, input: { metadata: $metadata }, expectedVersion: $version) { ipPolicy { version } } }`;

  const addOverRest =
    (id: string): Attempt =>
    async () => {
      const path = `/ip_policies/${id}`;
      const { headers, body } = await rest(server, "GET", path);
      const input = { metadata: `${Number(body.metadata) + 1}` };
      const condition = { "If-Match": headers.get("etag") ?? "" };
      const { status } = await rest(server, "PATCH", path, input, condition);
      return status === 200 ? "done" : `${status}`;
    };
  const addOverGraphql =
    (id: string): Attempt =>
    async () => {
      const query = "query($id: ID!) { ipPolicy(id: $id) { metadata version } }";
      const { ipPolicy } = await graphql(server, query, { id });
      const metadata = `${Number(ipPolicy.metadata) + 1}`;
      try {
        await graphql(server, UPDATE, { id, metadata, version: ipPolicy.version });
        return "done";
      } catch (error) {
        return String(error instanceof Error && "code" in error ? error.code : error);
      }
    };

  it("add up to their number over both transports, and nobody meets a defect", async () => {
    const id = await create(ipPolicy, { metadata: "0" });
    const outcomes = new Map<string, number>();
    const client = async (add: Attempt) => {
      for (let outcome = ""; outcome !== "done"; ) {
        outcome = await add();
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        // As clients do, so that not all of them come again at once.
        if (outcome !== "done") await sleep(Math.random() * PAUSE_MS);
      }
    };
    await Promise.all(
      Array.from({ length: CLIENTS }, (_, n) =>
        client(n % 2 === 0 ? addOverRest(id) : addOverGraphql(id)),
      ),
    );
    const { body, headers } = await rest(server, "GET", `/ip_policies/${id}`);
    expect(body.metadata).toBe(`${CLIENTS}`);
    expect(headers.get("etag")).toBe(`"${CLIENTS + 1}"`);
    expect(outcomes.get("done")).toBe(CLIENTS);
    const late = [...outcomes.keys()].filter((outcome) => outcome !== "done").sort();
    expect(late).toEqual(["412", "CONFLICT"]);
    const { changes } = await graphql(
      server,
      "query($id: ID!) { changes(ids: [$id], first: 100) { nodes { version } } }",
      { id },
    );
    const versions = Array.from({ length: CLIENTS + 1 }, (_, index) => ({ version: index + 1 }));
    expect(changes.nodes).toEqual(versions);
  }, 120_000);
});

describe("two clients that set different modules of one route", () => {
  const ROUNDS = 20;
  /** How a client sets its module to what `round` has, and how it is shown. */
  const clients = (edge: string, route: string) => {
    const path = `/edges/https/${edge}/routes/${route}`;
    const put = (module: string, body: Fields) => async () => {
      expect((await rest(server, "PUT", `${path}/${module}`, body)).status).toBe(200);
    };
    const patch = (body: Fields) => async () => {
      expect((await rest(server, "PATCH", path, body)).status).toBe(200);
    };
    const mutate = (input: string) => () =>
      graphql(
        server,
        `mutation { updateHttpsEdgeRoute(id: "${route}", input: { ${input} }) { httpsEdgeRoute { version } } }`,
      );
    return {
      "PUT and PUT": (round: number) => [
        put("request_headers", { add: { "x-round": `${round}` } }),
        put("circuit_breaker", { tripped_duration: round }),
      ],
      "PUT and a mutation": (round: number) => [
        put("request_headers", { add: { "x-round": `${round}` } }),
        mutate(`circuitBreaker: { trippedDuration: ${round} }`),
      ],
      "PATCH and a mutation": (round: number) => [
        patch({ request_headers: { add: { "x-round": `${round}` } } }),
        mutate(`circuitBreaker: { trippedDuration: ${round} }`),
      ],
      "two mutations": (round: number) => [
        mutate(`requestHeaders: { add: [{ name: "x-round", value: "${round}" }] }`),
        mutate(`circuitBreaker: { trippedDuration: ${round} }`),
      ],
    };
  };
  type Way = keyof ReturnType<typeof clients>;
  const ways: readonly Way[] = [
    "PUT and PUT",
    "PUT and a mutation",
    "PATCH and a mutation",
    "two mutations",
  ];

  it.each(ways)("by %s never lose one", async (way) => {
    const edge = await create(httpsEdge);
    const match = { matchType: "path_prefix", match: "/" };
    const route = await create(routesOf(edge), match);
    const path = `/edges/https/${edge}/routes/${route}`;
    for (let round = 1; round <= ROUNDS; round++) {
      const both = clients(edge, route)[way](round);
      // Each goes first now and then.
      await Promise.all((round % 2 === 0 ? both : both.reverse()).map((set) => set()));
      const { body, headers } = await rest(server, "GET", path);
      expect(body).toMatchObject({
        request_headers: { add: { "x-round": `${round}` } },
        circuit_breaker: { tripped_duration: round },
      });
      expect(headers.get("etag")).toBe(`"${1 + 2 * round}"`);
    }
  });

  it("and one that takes them away leave what was done last, of each module by itself", async () => {
    const edge = await create(httpsEdge);
    const route = await create(routesOf(edge), { matchType: "path_prefix", match: "/" });
    const path = `/edges/https/${edge}/routes/${route}`;
    for (let round = 1; round <= ROUNDS; round++) {
      await rest(server, "PUT", `${path}/compression`, { enabled: true });
      const [gone, set] = await Promise.all([
        rest(server, "DELETE", `${path}/compression`),
        rest(server, "PUT", `${path}/circuit_breaker`, { tripped_duration: round }),
      ]);
      expect([gone.status, set.status]).toEqual([204, 200]);
      const { body } = await rest(server, "GET", path);
      expect(body.compression).toBeNull();
      expect(body.circuit_breaker.tripped_duration).toBe(round);
    }
  });
});
