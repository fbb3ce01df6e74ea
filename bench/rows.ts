import type { LoadRequest } from "./load.js";

/** One row of the table: the same requests go to every server. */
export interface Row {
  readonly name: string;
  /** What is to be reached on PostgreSQL, as a share of the floor's requests per second. */
  readonly goal: number;
  /** Creating answers with ids and times of its own; everything else answers the very same bytes. */
  readonly creates?: true;
  /** The requests for a sample of edge ids. */
  requests(edgeIds: readonly string[]): LoadRequest[];
}

/** The host in the URLs that answers contain. */
export const PUBLIC_URL = "http://edgeplane.example";

const PAGE = 20;

const EDGE_FIELDS = `
fragment edge on HttpsEdge {
  id createdAt description metadata hostports
  tlsTermination { enabled minVersion }
  mutualTls { enabled certificateAuthorities { id } }
  routes {
    nodes {
      id matchType match description
      compression { enabled }
      circuitBreaker {
        enabled trippedDuration rollingWindow numBuckets volumeThreshold errorThresholdPercentage
      }
      requestHeaders { enabled add { name value } remove }
      responseHeaders { enabled add { name value } remove }
      webhookVerification { enabled provider secret }
      trafficPolicy { enabled value }
      ipRestriction { enabled ipPolicies { id description } }
      backend {
        enabled
        backend {
          __typename id description
          ... on StaticBackend { address tls { enabled } }
          ... on FailoverBackend { backends { id } }
        }
      }
    }
  }
}`;

const ONE_EDGE = `query Edge($id: ID!) { httpsEdge(id: $id) { ...edge } }${EDGE_FIELDS}`;
const MANY_EDGES = `query Edges($after: String) {
  httpsEdges(first: ${PAGE}, after: $after) { nodes { ...edge } }
}${EDGE_FIELDS}`;

export const ROWS: readonly Row[] = [
  {
    name: "REST get, one edge with its routes",
    goal: 0.3,
    requests: (ids) => ids.map((id) => ({ method: "GET", path: `/edges/https/${id}` })),
  },
  {
    name: `REST list, ${PAGE} edges with their routes`,
    goal: 0.3,
    requests: (ids) =>
      ids.map((id) => ({ method: "GET", path: `/edges/https?limit=${PAGE}&before_id=${id}` })),
  },
  {
    name: "REST create, a static backend",
    goal: 0.5,
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
  {
    name: "GraphQL, one edge nested to the backends",
    goal: 0.15,
    requests: (ids) => ids.map((id) => graphql("Edge", ONE_EDGE, { id })),
  },
  {
    name: `GraphQL, ${PAGE} edges nested to the backends`,
    goal: 0.15,
    requests: (ids) => ids.map((id) => graphql("Edges", MANY_EDGES, { after: id })),
  },
];

function graphql(operationName: string, query: string, variables: object): LoadRequest {
  const body = JSON.stringify({ operationName, query, variables });
  return { method: "POST", path: "/graphql", body };
}
