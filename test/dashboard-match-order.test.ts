import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byMatchOrder, type Matching, mismatchOf } from "../dashboard/src/edges/match-order.js";
import { startServer, type TestServer } from "./harness/server.js";
import { graphql } from "./harness/transports.js";

// The dashboard shows the routes of an edge in the order in which they are tried. The server decides what that is.

const RUNS = 40;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const hosts = fc.constantFrom("a.b.test", "b.test", "x.b.test", "x.a.b.test", "other.test");
const paths = fc
  .array(fc.constantFrom("a", "b", "/", "é", "😀"), { maxLength: 4 })
  .map((parts) => `/${parts.join("")}`);
const matches = fc
  .tuple(
    fc.oneof(
      fc.constant(""),
      hosts,
      fc.constantFrom("A.b.Test", "*.b.test", "*.a.b.test", "*.B.TEST", "*.test"),
    ),
    fc.oneof(fc.constant(""), paths),
  )
  .map(([host, path]) => (host + path === "" ? "/" : host + path));
const routes = fc.uniqueArray(
  fc.record({
    match: matches,
    matchType: fc.constantFrom<Matching["matchType"]>("EXACT_PATH", "PATH_PREFIX"),
  }),
  { minLength: 1, maxLength: 12, selector: ({ match, matchType }) => `${matchType} ${match}` },
);
const requests = fc.array(fc.record({ host: hosts, path: paths }), {
  minLength: 1,
  maxLength: 8,
});

describe("the order of routes in the dashboard", () => {
  it("has the route that serves a request before all others that match it", async () => {
    let port = 1000;
    const served = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(routes, requests, async (given, asked) => {
        port += 1;
        const hostports = [`b.test:${port}`, `*.b.test:${port}`, `other.test:${port}`];
        const { createHttpsEdge } = await graphql(
          server,
          `mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) {
            httpsEdge { id routes(first: 100) { nodes { id match matchType } } } } }`,
          { input: { hostports, routes: given } },
        );
        const { id, routes: made } = createHttpsEdge.httpsEdge;
        const ordered: Matching[] = made.nodes.sort(byMatchOrder);
        const urls = asked.map(({ host, path }) => `https://${host}:${port}${path}`);
        const fields = urls.map(
          (url, index) =>
            `r${index}: resolveRoute(url: ${JSON.stringify(url)}) { edge { id } route { id } }`,
        );
        const answers = await graphql(server, `{ ${fields.join("\n")} }`);
        for (const [index, target] of asked.entries()) {
          const { edge, route } = answers[`r${index}`];
          const first = ordered.find((each) => mismatchOf(each, target) === null);
          served.add(route !== null);
          expect([edge.id, urls[index], first?.id]).toEqual([id, urls[index], route?.id]);
        }
      }),
      { numRuns: RUNS },
    );
    expect(served).toEqual(new Set([true, false]));
  });

  it("says why a route does not match", () => {
    const reason = (match: string, matchType: Matching["matchType"], path = "/a") =>
      mismatchOf({ id: "1", match, matchType }, { host: "shop.test", path });
    expect(reason("/b", "PATH_PREFIX")).toBe("the path does not begin with /b");
    expect(reason("/", "EXACT_PATH")).toBe("the path is not /");
    expect(reason("x.test/a", "PATH_PREFIX")).toBe("the host is not x.test");
    expect(reason("*.shop.test", "PATH_PREFIX")).toBe("the host does not end with .shop.test");
    expect(reason("SHOP.test", "EXACT_PATH")).toBeNull();
    expect(reason("/a", "EXACT_PATH")).toBeNull();
  });
});
