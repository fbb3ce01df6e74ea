import type { LoadRequest } from "./load.js";
import {
  COMPRESSED_ROUTES,
  graphqlRequest,
  LEAN_ONE,
  LEAN_PAGE,
  PAGE,
  type Query,
  RICH_ONE,
  RICH_PAGE,
} from "./queries.js";

/** One row of the table: the same is asked of every server that can answer it. */
export interface Row {
  readonly name: string;
  /** What Edgeplane is to reach, as a multiple of the requests per second of another, by its name. */
  readonly goals: Readonly<Record<string, number>>;
  /** Creating answers with ids and times of its own; everything else answers the very same bytes. */
  readonly creates?: true;
  /** The requests for a sample of edge ids. */
  requests(edgeIds: readonly string[]): LoadRequest[];
  /** The query behind `requests`, of a row of GraphQL. */
  readonly query?: Query;
}

/** The host in the URLs that answers contain. */
export const PUBLIC_URL = "http://edgeplane.example";

export const ROWS: readonly Row[] = [
  {
    name: "REST get, one edge with its routes",
    goals: { floor: 0.65 },
    requests: (ids) => ids.map((id) => ({ method: "GET", path: `/edges/https/${id}` })),
  },
  {
    name: `REST list, ${PAGE} edges with their routes`,
    goals: { floor: 0.6 },
    requests: (ids) =>
      ids.map((id) => ({ method: "GET", path: `/edges/https?limit=${PAGE}&before_id=${id}` })),
  },
  {
    name: "REST create, a static backend",
    goals: { floor: 0.5 },
    creates: true,
    requests: () => [
      {
        method: "POST",
        path: "/backends/static",
        body: JSON.stringify({
          description: "Made under load",
          metadata: '{"team":"bench"}',
          address: "api.internal.example.com:8443",
          tls: { enabled: true },
        }),
      },
    ],
  },
  graphql("GraphQL, one edge, lean", LEAN_ONE, { floor: 0.5, typical: 2, PostGraphile: 1.2 }),
  graphql("GraphQL, one edge, rich", RICH_ONE, { floor: 0.5, typical: 2, PostGraphile: 1.2 }),
  graphql(`GraphQL, ${PAGE} edges, lean`, LEAN_PAGE, { floor: 0.6, typical: 3, PostGraphile: 2.5 }),
  graphql(`GraphQL, ${PAGE} edges, rich`, RICH_PAGE, { floor: 0.4, typical: 2.5, PostGraphile: 3 }),
  graphql(`GraphQL, ${PAGE} routes with a filter, lean`, COMPRESSED_ROUTES, { floor: 0.5 }),
];

function graphql(name: string, query: Query, goals: Row["goals"]): Row {
  const requests = (ids: readonly string[]) =>
    ids.map((id) => graphqlRequest(query, query.text, id));
  return { name, goals, requests, query };
}
