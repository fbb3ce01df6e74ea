import type { AnyVariables, Client, DocumentInput } from "@urql/core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Connection } from "../../examples/dashboard-data/changes.js";
import {
  ChangesDocument,
  DashboardDocument,
  DeleteEdgeDocument,
  EdgeDocument,
  ListsDocument,
  SaveEdgeDocument,
  TryEdgeDocument,
} from "../../examples/dashboard-data/generated.js";
import { createUrql } from "../../examples/dashboard-data/urql.js";
import { startServer, type TestServer } from "../harness/server.js";
import { graphql, rest } from "../harness/transports.js";
import { makeEdges, until } from "./edges.js";

// The data of a dashboard with the published urql and its normalised cache, as docs/frontends.md says it.

let server: TestServer;
let connection: Connection;
let ids: string[];
beforeAll(async () => {
  server = await startServer();
  connection = { url: server.url, apiKey: server.writeKey };
  ids = await makeEdges(server, 5);
});
afterAll(() => server.stop());

// The cache tells in the console what it cannot keep.
const complaints = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
afterEach(() => {
  for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
});

async function create(): Promise<Client> {
  const { changes } = await graphql(server, "{ changes(last: 1) { position } }");
  return createUrql(connection, changes.position);
}

/** What the cache has, without a request; null when something is missing. */
const cached = <Data, Variables extends AnyVariables>(
  client: Client,
  document: DocumentInput<Data, Variables>,
  variables: Variables,
) => client.readQuery(document, variables, { requestPolicy: "cache-only" })?.data;

describe("urql", () => {
  it("adds up pages, and has each resource once", async () => {
    const client = await create();
    const first = await client.query(DashboardDocument, { first: 2, after: null }).toPromise();
    const after = first.data?.httpsEdges?.pageInfo.endCursor ?? null;
    const second = await client.query(DashboardDocument, { first: 2, after }).toPromise();
    const edges = second.data?.httpsEdges?.edges ?? [];
    expect(edges.map((edge) => edge?.node?.id)).toEqual(ids.slice(0, 4));
    expect(edges[0]?.node?.routes?.edges?.[0]?.node?.backend?.backend).toMatchObject({
      description: "pair 4",
      backends: [{ description: "server 4" }],
    });
  });

  it("keeps what is stored while a change is tried, and saves it then", async () => {
    const client = await create();
    const [id = ""] = ids;
    const { data: before } = await client.query(EdgeDocument, { id }).toPromise();
    const input = { description: "tried", tlsTermination: { minVersion: "TLS1_3" as const } };
    const trial = await client.mutation(TryEdgeDocument, { id, input }).toPromise();
    expect(trial.data?.updateHttpsEdge?.changes).toMatchObject([
      { action: "UPDATED", typename: "HttpsEdge", resourceId: id },
    ]);
    expect(cached(client, EdgeDocument, { id })).toEqual(before);
    const variables = { id, version: before?.httpsEdge?.version ?? 0, input };
    expect((await client.mutation(SaveEdgeDocument, variables).toPromise()).error).toBeUndefined();
    expect(cached(client, EdgeDocument, { id })?.httpsEdge).toMatchObject({
      version: 2,
      description: "tried",
      tlsTermination: { minVersion: "TLS1_3" },
    });
    const stale = await client.mutation(SaveEdgeDocument, variables).toPromise();
    expect(stale.error?.graphQLErrors[0]?.extensions).toMatchObject({
      code: "CONFLICT",
      currentVersion: 2,
    });
  });

  it("forgets what a mutation deleted", async () => {
    const client = await create();
    const [id = ""] = await makeEdges(server, 1);
    await client.query(EdgeDocument, { id }).toPromise();
    expect(cached(client, EdgeDocument, { id })?.httpsEdge?.id).toBe(id);
    await client.mutation(DeleteEdgeDocument, { id }).toPromise();
    expect(cached(client, EdgeDocument, { id })?.httpsEdge ?? null).toBeNull();
  });

  it("has the lists that were not refused", async () => {
    const client = await create();
    const variables = { edges: { search: "" }, policies: { ids: ["no-id"] } };
    const { data, error } = await client.query(ListsDocument, variables).toPromise();
    expect(data).toMatchObject({ httpsEdges: { totalCount: 5 }, ipPolicies: null });
    expect(error?.graphQLErrors).toMatchObject([
      { path: ["ipPolicies"], extensions: { issues: [{ path: ["filter", "ids", 0] }] } },
    ]);
  });

  it("follows what others create, change and delete", async () => {
    const client = await create();
    const [, changed = "", deleted = ""] = await makeEdges(server, 3);
    for (const id of [changed, deleted]) await client.query(EdgeDocument, { id }).toPromise();
    await client.query(DashboardDocument, { first: 2, after: null }).toPromise();
    const seen: string[] = [];
    const { unsubscribe } = client.subscription(ChangesDocument, {}).subscribe(({ data }) => {
      if (data) seen.push(data.changes.resourceId);
    });
    await rest(server, "PATCH", `/edges/https/${changed}`, { description: "by another" });
    await rest(server, "DELETE", `/edges/https/${deleted}`);
    const { id: created } = (await rest(server, "POST", "/edges/https", {})).body;
    await until(() => seen.includes(created));
    unsubscribe();
    const page = await client.query(DashboardDocument, { first: 2, after: null }).toPromise();
    expect(page.data?.httpsEdges?.edges?.[0]?.node?.id).toBe(created);
    expect(cached(client, EdgeDocument, { id: changed })?.httpsEdge).toMatchObject({
      version: 2,
      description: "by another",
    });
    expect(cached(client, EdgeDocument, { id: deleted })?.httpsEdge ?? null).toBeNull();
  });
});
