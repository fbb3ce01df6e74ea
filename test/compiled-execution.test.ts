import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// From the third time on a query is executed as compiled code, and nobody can tell.

let server: TestServer;
let edge: string;
beforeAll(async () => {
  server = await startServer();
  const leaf = (await rest(server, "POST", "/backends/static", { address: "a.internal:1" })).body
    .id;
  await rest(server, "POST", "/backends/failover", { backends: [leaf] });
  edge = (await rest(server, "POST", "/edges/https", { description: "the edge" })).body.id;
});
afterAll(() => server.stop());

async function textOf(query: string): Promise<string> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as Fields;
  return JSON.stringify(errors ?? data);
}

describe("an answer is the same each time, to the order of its fields", () => {
  const shown = { version: 1, description: "the edge", metadata: "" };
  it.each<[string, string, Fields]>([
    [
      "when a fragment is spread under a condition and again without one",
      "version @include(if: $yes) ...Texts @include(if: $no) ...Texts",
      shown,
    ],
    [
      "when a fragment is spread where it has no condition and in one whose condition does not hold",
      "version ... { ...Texts } ... { ...Outer @include(if: $no) @skip(if: $yes) }",
      shown,
    ],
    [
      "when a fragment comes before fields and other fragments",
      "...Texts ... on HttpsEdge { id } version ...Outer",
      { description: "the edge", metadata: "", id: "", version: 1 },
    ],
    [
      "when the same field is selected with other fields of its own",
      "routes { nodes { id } } version routes { totalCount pageInfo { hasNextPage } }",
      { routes: { nodes: [], totalCount: 0, pageInfo: { hasNextPage: false } }, version: 1 },
    ],
  ])("%s", async (_, selection, expected) => {
    const conditions = selection.includes("$")
      ? "($yes: Boolean = true, $no: Boolean = false)"
      : "";
    const outer = "fragment Outer on HttpsEdge { ...Texts version }";
    const texts = "fragment Texts on Node { description metadata }";
    const fragments = [
      ...(selection.includes("...") ? [texts] : []),
      ...(selection.includes("...Outer") ? [outer] : []),
    ];
    const query = `query${conditions} { httpsEdge(id: "${edge}") { ${selection} } } ${fragments.join(" ")}`;
    const whole = { ...expected, ...("id" in expected && { id: edge }) };
    for (let time = 0; time < 4; time++) {
      expect(await textOf(query), `time ${time}`).toBe(JSON.stringify({ httpsEdge: whole }));
    }
  });

  it("when it selects of interfaces, in fragments on each of their types and on others", async () => {
    const query = `{ backends { nodes { ...Named ... on StaticBackend { address } version ... on Node { metadata }
      ... on FailoverBackend { backends { ...Named ... on StaticBackend { tls { enabled } } } } __typename } } }
      fragment Named on Backend { ... on FailoverBackend { parents { totalCount } } description }`;
    const rest = { version: 1, metadata: "" };
    const nodes = [
      {
        parents: { totalCount: 0 },
        description: "",
        ...rest,
        backends: [{ description: "", tls: { enabled: false } }],
        __typename: "FailoverBackend",
      },
      { description: "", address: "a.internal:1", ...rest, __typename: "StaticBackend" },
    ];
    for (let time = 0; time < 4; time++) {
      expect(await textOf(query), `time ${time}`).toBe(JSON.stringify({ backends: { nodes } }));
    }
  });
});
