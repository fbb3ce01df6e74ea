import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBudget,
  sizeUpTo,
  turnstile,
} from "../src/schema/transport/limits/large-operations.js";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

// Operations that are small in points and large in bytes.

const MIB = 1024 * 1024;
const POLICY = `on_http_request:\n${"  # what is said about it\n".repeat(2_000)}`;

let server: TestServer;
let edgeId: string;
beforeAll(async () => {
  server = await startServer({ graphql: { maxAnswerBytes: 4 * MIB } });
  const routes = Array.from({ length: 50 }, (_, index) => ({
    matchType: "EXACT_PATH",
    match: `/${index}`,
    trafficPolicy: { value: `${POLICY}  - actions:\n      - type: deny\n` },
  }));
  const create =
    "mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) { httpsEdge { id } } }";
  const ids: string[] = [];
  // Not more in one request than fits into its body.
  for (let first = 0; first < routes.length; first += 4) {
    if (first === 0) {
      const { data } = await send({
        query: create,
        variables: { input: { routes: routes.slice(0, 4) } },
      });
      ids.push(data.createHttpsEdge.httpsEdge.id);
      continue;
    }
    const fields = routes
      .slice(first, first + 4)
      .map((route, index) => ({ ...route, edgeId: ids[0], index }));
    await send({
      query: `mutation(${fields.map(({ index }) => `$i${index}: CreateHttpsEdgeRouteInput!`).join(" ")}) {
        ${fields.map(({ index }) => `r${index}: createHttpsEdgeRoute(input: $i${index}) { httpsEdgeRoute { id } }`).join(" ")} }`,
      variables: Object.fromEntries(fields.map(({ index, ...route }) => [`i${index}`, route])),
    });
  }
  edgeId = ids[0] ?? "";
});
afterAll(() => server.stop());

async function send(body: unknown): Promise<Fields> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Fields;
}

const routes = (first: number, selected: string) => ({
  query: `{ httpsEdge(id: "${edgeId}") { routes(first: ${first}) { nodes { ${selected} } } } }`,
});
const VALUE = "trafficPolicy { value }";
const TOO_LONG = {
  code: "LIMIT_EXCEEDED",
  issues: [{ path: ["answer"], message: expect.stringContaining(String(4 * MIB)), limit: 4 * MIB }],
};

describe("an answer", () => {
  it("is whole below the limit", async () => {
    const { data, errors } = await send(routes(50, VALUE));
    const { nodes } = data.httpsEdge.routes;
    expect(errors).toBeUndefined();
    expect(nodes).toHaveLength(50);
    expect(new Set(nodes.map((node: Fields) => node.trafficPolicy.value.length))).toEqual(
      new Set([POLICY.length + "  - actions:\n      - type: deny\n".length]),
    );
  });

  it.each([
    ["that repeats what was read once", () => routes(40, `a: ${VALUE} b: ${VALUE} c: ${VALUE}`)],
    [
      "that has it as nodes and as edges",
      () => ({
        query: `{ httpsEdge(id: "${edgeId}") { routes(first: 50) { nodes { ${VALUE} } edges { node { ${VALUE} } } } } }`,
      }),
    ],
  ])("%s is refused above it", async (_, request) => {
    const { data, errors } = await send(request());
    expect([data, errors.map(({ extensions }: Fields) => extensions)]).toEqual([
      undefined,
      [TOO_LONG],
    ]);
  });

  it("is refused by the database, however often the operation comes", async () => {
    const twice = `r0: httpsEdge(id: "${edgeId}") { routes(first: 50) { nodes { ${VALUE} } } }
      r1: httpsEdge(id: "${edgeId}") { routes(first: 50, orderBy: { direction: ASC }) { nodes { ${VALUE} edge { routes(first: 10) { nodes { ${VALUE} } } } } } }`;
    for (const _ of [1, 2, 3, 4]) {
      const { data, errors } = await send({ query: `{ ${twice} }` });
      expect([data.r1, errors.at(-1).path, errors.at(-1).extensions]).toEqual([
        null,
        ["r1"],
        TOO_LONG,
      ]);
    }
  });

  it("is counted in bytes, of whatever characters it is", async () => {
    const at = new Date();
    await server.context.db.ipPolicy.createMany({
      data: Array.from({ length: 100 }, (_, n) => ({
        id: `ipp_${String(n).padStart(27, "0")}`,
        createdAt: at,
        updatedAt: at,
        description: "",
        metadata: "€".repeat(1365),
      })),
    });
    const pages = (count: number) =>
      send({
        query: `{ ${Array.from({ length: count }, (_, n) => `p${n}: ipPolicies(first: 100) { nodes { metadata } }`).join(" ")} }`,
      });
    // 400 KiB each, and a third as many characters.
    expect((await pages(9)).errors).toBeUndefined();
    expect((await pages(11)).errors.map(({ extensions }: Fields) => extensions)).toEqual([
      TOO_LONG,
    ]);
  });

  it("of many points is read by one statement after the other, and no further one above the limit", async () => {
    const page = "ipPolicies(first: 100) { nodes { metadata rules(first: 2) { nodes { id } } } }";
    const query = `{ ${Array.from({ length: 20 }, (_, n) => `p${n}: ${page}`).join(" ")} }`;
    const answers: Fields[] = [];
    const statements = await server.statements(async () => {
      answers.push(await send({ query }));
    });
    expect(answers[0]?.extensions.cost.requested).toBeGreaterThan(5_000);
    expect(answers[0]?.errors[0].extensions).toEqual(TOO_LONG);
    // 10 of 400 KiB fit.
    expect(statements.filter((sql) => sql.includes("ip_policies"))).toHaveLength(11);
  });

  it("shares its limit with the others of a batch", async () => {
    const answers = (await send([routes(50, VALUE), routes(50, VALUE)])) as Fields[];
    const codes = answers.map(({ errors }) => errors?.[0].extensions.code ?? "served");
    expect(codes.filter((code) => code === "LIMIT_EXCEEDED").length).toBeGreaterThan(0);
  });

  it("is the same for those who wait for each other", async () => {
    const one = await send(routes(50, VALUE));
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => send(routes(50, VALUE))));
    expect(all).toEqual([one, one, one, one, one]);
  });
});

describe("a budget", () => {
  it("lets small answers through at once", () => {
    const budget = createBudget(10 * MIB, { read: 0, answered: 0 }, turnstile(1));
    budget.take(100);
    expect([budget.admit(), budget.turn(10_000), budget.left]).toEqual([
      null,
      null,
      10 * MIB - 100,
    ]);
  });

  it("throws above its limit, which its request shares", () => {
    const spent = { read: 0, answered: 0 };
    createBudget(1000, spent).take(600);
    const second = createBudget(1000, spent);
    expect(second.left).toBe(400);
    expect(() => second.take(401)).toThrow("more than 1000 bytes");
    expect(second.left).toBe(0);
  });

  it("sends statements at once, or one after the other", async () => {
    expect(createBudget(1000).place()).toBeNull();
    const budget = createBudget(1000, { read: 0, answered: 0 }, null, turnstile(1));
    const sent: string[] = [];
    const leave = await budget.place();
    const second = budget.place()?.then(() => sent.push("second"));
    await nextTurn();
    expect(sent).toEqual([]);
    leave?.();
    await second;
    expect(sent).toEqual(["second"]);
  });

  it("lets large answers through one after the other, also when one ends before its turn", async () => {
    const answering = turnstile(1);
    const made = [1, 2, 3].map(() => {
      const budget = createBudget(10 * MIB, { read: 0, answered: 0 }, answering);
      budget.take(2 * MIB);
      return budget;
    });
    const admitted: number[] = [];
    const waiting = made.map(async (budget, index) => {
      await budget.admit();
      admitted.push(index);
    });
    await nextTurn();
    expect(admitted).toEqual([0]);
    made[1]?.end();
    made[0]?.end();
    await Promise.all(waiting);
    expect(admitted).toEqual([0, 1, 2]);
    made[2]?.end();
    expect(typeof (await answering())).toBe("function");
  });

  it("shares out turns of the event loop, so many rows in each", async () => {
    const budget = createBudget(10 * MIB);
    budget.take(2 * MIB);
    let turn = 0;
    const done: number[] = [];
    let isOver = false;
    const counting = (async () => {
      while (!isOver) {
        await nextTurn();
        turn += 1;
      }
    })();
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await budget.turn(100);
        done.push(turn);
      }),
    );
    isOver = true;
    await counting;
    expect(new Set(done).size).toBe(5);
    expect(done.filter((at) => at === 0)).toHaveLength(2);
  });
});

describe("the size of an answer", () => {
  it.each([
    ["text", { a: "x".repeat(1000), b: [1, null, true, "ü"] }],
    ["objects in lists", { nodes: Array.from({ length: 100 }, (_, id) => ({ id, none: null })) }],
  ])("is about that of its JSON: %s", (_, value) => {
    const size = JSON.stringify(value).length;
    expect(sizeUpTo(Number.POSITIVE_INFINITY, value)).toBeGreaterThan(size * 0.9);
    expect(sizeUpTo(Number.POSITIVE_INFINITY, value)).toBeLessThan(size * 1.5);
  });

  it("is not counted further than the limit", () => {
    let looked = 0;
    const item = {
      get text() {
        looked += 1;
        return "x".repeat(100);
      },
    };
    expect(sizeUpTo(250, Array(1000).fill(item))).toBeGreaterThan(250);
    expect(looked).toBe(3);
  });
});
