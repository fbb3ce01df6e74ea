import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  type Variables,
} from "relay-runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRelay } from "../../examples/dashboard-data/relay.js";
import { startServer, type TestServer } from "../harness/server.js";
import type { Fields } from "../harness/transports.js";
import { makeEdges } from "./edges.js";

// The published compiler and runtime of Relay: the schema is as they expect, and the store stays true.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = `import { graphql } from "relay-runtime";
export const edges = graphql\`
  query pageEdgesQuery($first: Int!, $after: String) {
    httpsEdges(first: $first, after: $after) @connection(key: "page_httpsEdges") {
      edges { node { id ...pageEdge @relay(mask: false) } }
    }
  }\`;
export const edge = graphql\`
  fragment pageEdge on HttpsEdge {
    version
    description
    tlsTermination { minVersion }
    routes(first: 10) { edges { node { match backend { backend { id __typename description } } } } }
  }\`;
export const refetch = graphql\`
  query pageNodeQuery($id: ID!) {
    node(id: $id) {
      id
      version
      description
      ... on HttpsEdge {
        tlsTermination { minVersion }
        routes(first: 10) { edges { node { backend { backend { __typename description } } } } }
      }
    }
  }\`;
export const trial = graphql\`
  mutation pageTryMutation($id: ID!, $input: UpdateHttpsEdgeInput!) {
    updateHttpsEdge(id: $id, input: $input, dryRun: true) {
      httpsEdge { ...pageEdge @relay(mask: false) }
      changes { typename resourceId differences { path after } }
    }
  }\`;
export const save = graphql\`
  mutation pageSaveMutation($id: ID!, $version: Int!, $input: UpdateHttpsEdgeInput!) {
    updateHttpsEdge(id: $id, expectedVersion: $version, input: $input) {
      httpsEdge { ...pageEdge @relay(mask: false) }
    }
  }\`;
`;

let folder: string;
let server: TestServer;
let environment: Environment;
let ids: string[];
beforeAll(async () => {
  server = await startServer();
  environment = createRelay({ url: server.url, apiKey: server.writeKey });
  ids = await makeEdges(server, 4);
  folder = await mkdtemp(join(tmpdir(), "relay-"));
  const config = {
    src: ".",
    schema: "schema.graphql",
    language: "javascript",
    eagerEsModules: true,
  };
  await copyFile(join(ROOT, "schema.graphql"), join(folder, "schema.graphql"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "relay.config.json"), JSON.stringify(config));
  await writeFile(join(folder, "page.js"), SOURCE);
  const compiler = join(ROOT, "node_modules", "relay-compiler", "cli.js");
  await promisify(execFile)(process.execPath, [compiler], { cwd: folder });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function compiled(name: string): Promise<ConcreteRequest> {
  const file = join(folder, "__generated__", `${name}.graphql.js`);
  return (await import(pathToFileURL(file).href)).default;
}

async function query(name: string, variables: Variables): Promise<Fields> {
  const request = await compiled(name);
  await fetchQuery(environment, request, variables).toPromise();
  return stored(request, variables);
}

/** What the store has, without a request. */
function stored(request: ConcreteRequest, variables: Variables): Fields {
  const operation = createOperationDescriptor(request, variables);
  environment.retain(operation);
  return environment.lookup(operation.fragment).data as Fields;
}

async function mutate(name: string, variables: Variables): Promise<Fields> {
  const mutation = await compiled(name);
  return new Promise((resolve, reject) => {
    commitMutation(environment, {
      mutation,
      variables,
      onCompleted: (data, errors) => resolve({ data, errors }),
      onError: reject,
    });
  });
}

describe("Relay", () => {
  it("adds up the pages of a connection", async () => {
    await query("pageEdgesQuery", { first: 2 });
    const after = ids[1];
    await query("pageEdgesQuery", { first: 2, after });
    const { edges } = (await query("pageEdgesQuery", { first: 2, after })).httpsEdges;
    expect(edges.map(({ node }: Fields) => node.id)).toEqual(ids);
  });

  it("reads a resource of any kind again by its id", async () => {
    const { node } = await query("pageNodeQuery", { id: ids[0] });
    expect(node).toMatchObject({ id: ids[0], version: 1, description: "edge 3" });
    expect(node.routes.edges[0].node.backend.backend).toMatchObject({
      __typename: "FailoverBackend",
    });
  });

  it("keeps what is stored while a change is tried, and saves it then", async () => {
    const request = await compiled("pageNodeQuery");
    const [id] = ids;
    const before = await query("pageNodeQuery", { id });
    const input = { description: "tried", tlsTermination: { minVersion: "TLS1_3" } };
    const trial = await mutate("pageTryMutation", { id, input });
    expect(trial.data.updateHttpsEdge.changes).toMatchObject([
      { typename: "HttpsEdge", resourceId: id },
    ]);
    expect(stored(request, { id })).toEqual(before);
    expect((await mutate("pageSaveMutation", { id, version: 1, input })).errors).toBeNull();
    expect(stored(request, { id }).node).toMatchObject({
      version: 2,
      description: "tried",
      tlsTermination: { minVersion: "TLS1_3" },
    });
    const stale = await mutate("pageSaveMutation", { id, version: 1, input });
    expect(stale.errors[0].extensions).toMatchObject({ code: "CONFLICT", currentVersion: 2 });
  });
});
