import type { ApolloClient } from "@apollo/client";
import { CombinedGraphQLErrors } from "@apollo/client/errors";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  createApollo,
  endOfLog,
  followWithApollo,
  forget,
} from "../../examples/dashboard-data/apollo.js";
import type { Connection } from "../../examples/dashboard-data/changes.js";
import {
  DashboardDocument,
  DeleteEdgeDocument,
  EdgeDocument,
  ListsDocument,
  SaveEdgeDocument,
  TryEdgeDocument,
} from "../../examples/dashboard-data/generated.js";
import { startServer, type TestServer } from "../harness/server.js";
import { rest } from "../harness/transports.js";
import { makeEdges, until } from "./edges.js";

// The data of a dashboard with the published Apollo Client, as docs/frontends.md says it.

let server: TestServer;
let connection: Connection;
let ids: string[];
beforeAll(async () => {
  server = await startServer();
  connection = { url: server.url, apiKey: server.writeKey };
  ids = await makeEdges(server, 5);
});
afterAll(() => server.stop());

// Apollo tells in the console where a cache may lose what it knows.
const complaints = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
afterEach(() => {
  for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
});

async function read(client: ApolloClient, id: string) {
  const { data } = await client.query({ query: EdgeDocument, variables: { id } });
  return data?.httpsEdge;
}

/** What the cache has of an edge, without a request. */
const cached = (client: ApolloClient, id: string) =>
  client.cache.readQuery({ query: EdgeDocument, variables: { id } })?.httpsEdge;

describe("Apollo Client", () => {
  it("adds up pages, and has each resource once", async () => {
    const client = createApollo(connection);
    const query = client.watchQuery({ query: DashboardDocument, variables: { first: 2 } });
    const watching = query.subscribe(() => {});
    const first = await client.query({ query: DashboardDocument, variables: { first: 2 } });
    const after = first.data?.httpsEdges?.pageInfo.endCursor ?? null;
    await query.fetchMore({ variables: { after } });
    watching.unsubscribe();
    const pages = client.cache.readQuery({ query: DashboardDocument, variables: { first: 2 } });
    const edges = pages?.httpsEdges?.edges ?? [];
    expect(edges.map((edge) => edge?.node?.id)).toEqual(ids.slice(0, 4));
    const backend = edges[0]?.node?.routes?.edges?.[0]?.node?.backend?.backend;
    expect(backend).toMatchObject({
      __typename: "FailoverBackend",
      backends: [{ __typename: "StaticBackend", description: "server 4" }],
    });
  });

  it("keeps what is stored while a change is tried, and saves it then", async () => {
    const client = createApollo(connection);
    const [id = ""] = ids;
    const before = await read(client, id);
    const input = { description: "tried", tlsTermination: { minVersion: "TLS1_3" as const } };
    const trial = await client.mutate({ mutation: TryEdgeDocument, variables: { id, input } });
    expect(trial.data?.updateHttpsEdge?.changes).toMatchObject([
      {
        action: "UPDATED",
        typename: "HttpsEdge",
        resourceId: id,
        differences: [
          { path: ["description"], before: "edge 4", after: "tried" },
          { path: ["tlsTermination", "minVersion"], before: "TLS1_2", after: "TLS1_3" },
        ],
      },
    ]);
    expect(cached(client, id)).toEqual(before);
    const variables = { id, version: before?.version ?? 0, input };
    const saved = await client.mutate({ mutation: SaveEdgeDocument, variables });
    expect(saved.error).toBeUndefined();
    expect(cached(client, id)).toMatchObject({
      version: 2,
      description: "tried",
      tlsTermination: { minVersion: "TLS1_3" },
    });
    const stale = client.mutate({ mutation: SaveEdgeDocument, variables });
    const error = await stale.catch((error: unknown) => error);
    expect(CombinedGraphQLErrors.is(error) && error.errors[0]).toMatchObject({
      path: ["updateHttpsEdge"],
      extensions: { code: "CONFLICT", currentVersion: 2 },
    });
  });

  it("forgets what a mutation deleted, routes as well", async () => {
    const client = createApollo(connection);
    const [id = ""] = await makeEdges(server, 1);
    await client.query({ query: DashboardDocument, variables: { first: 3 } });
    const route = (await read(client, id))?.routes?.edges?.[0]?.node;
    await client.mutate({
      mutation: DeleteEdgeDocument,
      variables: { id },
      update: (cache, { data }) => forget(cache, data?.deleteHttpsEdge?.changes ?? []),
    });
    const kept = Object.keys(client.cache.extract() as object);
    expect(kept).toContain(`HttpsEdge:${ids[0]}`);
    expect(kept).not.toContain(`HttpsEdge:${id}`);
    expect(kept).not.toContain(`HttpsEdgeRoute:${route?.id}`);
    const page = client.cache.readQuery({ query: DashboardDocument, variables: { first: 3 } });
    expect(page?.httpsEdges?.edges?.map((edge) => edge?.node?.id)).toEqual(ids.slice(0, 2));
  });

  it("has the lists that were not refused", async () => {
    const { data, error } = await createApollo(connection).query({
      query: ListsDocument,
      errorPolicy: "all",
      variables: { edges: { search: "" }, policies: { ids: ["no-id"] } },
    });
    expect(data).toMatchObject({ httpsEdges: { totalCount: 5 }, ipPolicies: null });
    expect(CombinedGraphQLErrors.is(error) && error.errors).toMatchObject([
      {
        path: ["ipPolicies"],
        extensions: { code: "INVALID_REQUEST", issues: [{ path: ["filter", "ids", 0] }] },
      },
    ]);
  });

  it("follows what others create, change and delete", async () => {
    const client = createApollo(connection);
    const position = await endOfLog(client);
    const [, changed = "", deleted = ""] = await makeEdges(server, 3);
    for (const id of [changed, deleted]) await read(client, id);
    const query = client.watchQuery({ query: DashboardDocument, variables: { first: 2 } });
    let shown: (string | undefined)[] = [];
    const watching = query.subscribe(({ data }) => {
      shown = data?.httpsEdges?.edges?.map((edge) => edge?.node?.id) ?? [];
    });
    const seen: string[] = [];
    const stop = followWithApollo(client, connection, position, {
      onChange: ({ resourceId }) => seen.push(resourceId),
    });
    await rest(server, "PATCH", `/edges/https/${changed}`, { description: "by another" });
    await rest(server, "DELETE", `/edges/https/${deleted}`);
    const { id: created } = (await rest(server, "POST", "/edges/https", {})).body;
    await until(() => seen.includes(created) && shown[0] === created);
    watching.unsubscribe();
    stop();
    expect(cached(client, changed)).toMatchObject({ version: 2, description: "by another" });
    expect(cached(client, deleted)).toBeUndefined();
  });

  it.each([
    ["GONE", "chg_1Z1", () => server.readKey],
    ["REFUSED", "", () => "a-wrong-key-0123456789"],
  ])("is told when it can follow no more: %s", async (code, from, key) => {
    const client = createApollo(connection);
    const position = from || (await endOfLog(client));
    const end = await new Promise<string>((onEnd) => {
      followWithApollo(client, { ...connection, apiKey: key() }, position, { onEnd });
    });
    expect(end).toBe(code);
  });
});
