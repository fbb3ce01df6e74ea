import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usedIds, wrongMarks } from "./harness/marks.js";
import {
  failoverBackend,
  httpsEdge,
  ipPolicy,
  routesOf,
  staticBackend,
  tcpEdge,
  tlsEdge,
  weightedBackend,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, transports } from "./harness/transports.js";

// What is unused is found by marks that changes keep: nothing unused may be without one, whatever happens at once.

const BACKENDS = 4;

let server: TestServer;
let backends: string[];
let policies: string[];
let edge: string;
beforeAll(async () => {
  server = await startServer();
  const made = async (resource: typeof ipPolicy, input: Fields = {}): Promise<string> =>
    (await driver(resource).create(input)).id;
  backends = [];
  policies = [];
  for (let i = 0; i < BACKENDS; i++) {
    backends.push(await made(staticBackend, { address: "upstream.internal:80" }));
    policies.push(await made(ipPolicy));
  }
  edge = await made(httpsEdge);
});
afterAll(() => server.stop());

let turns = 0;
const driver = (resource: typeof ipPolicy) => {
  const transport = transports[turns++ % transports.length];
  if (!transport) throw new Error("There are two transports.");
  return transport.drive(server, resource);
};

const step = fc.record({
  action: fc.constantFrom("add", "add", "change", "remove"),
  kind: fc.constantFrom("route", "tlsEdge", "tcpEdge", "failover", "weighted"),
  backend: fc.nat(BACKENDS - 1),
  pick: fc.nat(100),
  hostport: fc.constantFrom("a.example.com:443", "A.example.com:443", "b.example.com:443"),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface User {
  readonly resource: typeof ipPolicy;
  readonly id: string;
  input(step: Step): Fields;
}

let matches = 0;
const inputs: Record<Step["kind"], { resource(): typeof ipPolicy; input(step: Step): Fields }> = {
  route: {
    resource: () => routesOf(edge),
    input: ({ backend, pick }) => ({
      backend: pick % 5 === 0 ? null : { backendId: backends[backend] },
      ipRestriction: pick % 3 === 0 ? null : { ipPolicyIds: [policies[backend]] },
    }),
  },
  tlsEdge: {
    resource: () => tlsEdge,
    input: ({ backend, hostport, pick }) => ({
      backend: { backendId: backends[backend] },
      hostports: pick % 4 === 0 ? [] : [hostport],
    }),
  },
  tcpEdge: {
    resource: () => tcpEdge,
    input: ({ backend, hostport, pick }) => ({
      backend: pick % 5 === 0 ? null : { backendId: backends[backend] },
      ipRestriction: pick % 3 === 0 ? null : { ipPolicyIds: [policies[backend]] },
      hostports: pick % 4 === 0 ? [] : [hostport],
    }),
  },
  failover: {
    resource: () => failoverBackend,
    input: ({ backend }) => ({ backends: [backends[backend]] }),
  },
  weighted: {
    resource: () => weightedBackend,
    input: ({ backend, pick }) => ({ backends: { [backends[backend] ?? ""]: pick } }),
  },
};

async function run(each: Step, users: User[]): Promise<void> {
  const user = users[each.pick % Math.max(users.length, 1)];
  if (each.action === "add" || !user) {
    const { resource, input } = inputs[each.kind];
    const required =
      each.kind === "route"
        ? { edgeId: edge, matchType: "exact_path", match: `/${matches++}` }
        : {};
    const { id } = await driver(resource()).create({ ...required, ...input(each) });
    users.push({ resource: resource(), id, input });
    return;
  }
  if (each.action === "change") {
    // Others may have deleted it by now.
    await driver(user.resource).update(user.id, user.input(each)).catch(notFound);
    return;
  }
  users.splice(users.indexOf(user), 1);
  await driver(user.resource).remove(user.id).catch(notFound);
}

function notFound(error: unknown): void {
  expect(error).toMatchObject({ code: "NOT_FOUND" });
}

const LIST_TYPES = {
  backends: "Backend",
  staticBackends: "StaticBackend",
  failoverBackends: "FailoverBackend",
  ipPolicies: "IpPolicy",
};
const LISTS = ["backends", "staticBackends", "failoverBackends", "ipPolicies"] as const;

/** Each list of what is unused, and of what is used, has those and no others. */
async function expectTrueLists(): Promise<void> {
  const used = await usedIds(server);
  for (const list of LISTS) {
    const query = `query($filter: ${LIST_TYPES[list]}Filter) { ${list}(first: 100, filter: $filter) {
      totalCount nodes { id } } }`;
    const read = async (filter: Fields) => {
      const { totalCount, nodes } = (await graphql(server, query, { filter }))[list];
      expect(nodes).toHaveLength(totalCount);
      return nodes.map(({ id }: Fields) => id);
    };
    const all = await read({});
    expect(await read({ unused: true })).toEqual(all.filter((id: string) => !used.has(id)));
    expect(await read({ unused: false })).toEqual(all.filter((id: string) => used.has(id)));
  }
}

describe("what is unused", () => {
  it("is found, and nothing else, after any changes at once", async () => {
    const users: User[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          for (const steps of rounds) {
            await Promise.all(steps.map((each) => run(each, users)));
            expect(await wrongMarks(server)).toEqual([]);
          }
          await expectTrueLists();
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);

  it("is found when all who used it stop at once", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await driver(staticBackend).create({ address: "upstream.internal:80" });
      const made = await Promise.all(
        Array.from({ length: 6 }, () => driver(tlsEdge).create({ backend: { backendId: id } })),
      );
      await Promise.all(made.map((each) => driver(tlsEdge).remove(each.id)));
      const filter = `{ unused: true, ids: ["${id}"] }`;
      const query = `{ staticBackends(filter: ${filter}) { nodes { id } } }`;
      expect((await graphql(server, query)).staticBackends.nodes).toEqual([{ id }]);
      await driver(staticBackend).remove(id);
    }
    expect(await wrongMarks(server)).toEqual([]);
  });

  it("is told by rows of few tables, however many use one backend", async () => {
    const id = backends[0] ?? "";
    await driver(tlsEdge).create({ backend: { backendId: id } });
    const sent = await server.statements(() =>
      driver(tlsEdge).create({ backend: { backendId: id } }),
    );
    expect(sent.filter((text) => text.includes("possibly_"))).toHaveLength(1);
  });
});
