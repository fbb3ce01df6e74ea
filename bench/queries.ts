import type { LoadRequest } from "./load.js";

/** The edges and routes of one page of a list. */
export const PAGE = 20;

/** A GraphQL query in the two spellings in which it is asked, with the same variables. */
export interface Query {
  readonly operationName: string;
  /** As Edgeplane, the floor and the typical server name things. */
  readonly text: string;
  /** As PostGraphile names them. */
  readonly postgraphile: string;
  /** Those for the id of an edge. */
  variables(edgeId: string): object;
}

export function graphqlRequest(
  { operationName, variables }: Query,
  query: string,
  edgeId: string,
): LoadRequest {
  const body = JSON.stringify({ operationName, query, variables: variables(edgeId) });
  return { method: "POST", path: "/graphql", body };
}

const LEAN_ROUTE = `
fragment route on HttpsEdgeRoute {
  id matchType match
  backend { backend { id description } }
}`;
const LEAN_EDGE = `
fragment edge on HttpsEdge {
  id description hostports
  routes { nodes { ...route } }
}${LEAN_ROUTE}`;

const RICH_EDGE = `
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

// In PostGraphile a document is one field, and what the domain calls a module is a column or two.
const POSTGRAPHILE_LEAN_ROUTE = `
fragment route on HttpsEdgeRoute {
  id: rowId matchType match
  backend: backendByBackendId { id: rowId description }
}`;
const POSTGRAPHILE_LEAN_EDGE = `
fragment edge on HttpsEdge {
  id: rowId description hostports
  routes: httpsEdgeRoutesByEdgeId(first: ${PAGE}, orderBy: ROW_ID_DESC) { nodes { ...route } }
}${POSTGRAPHILE_LEAN_ROUTE}`;

const POSTGRAPHILE_RICH_EDGE = `
fragment edge on HttpsEdge {
  id: rowId createdAt description metadata hostports tlsTermination mutualTlsEnabled
  certificateAuthorities: httpsEdgeCertificateAuthoritiesByOwnerId { nodes { id: certificateAuthorityId } }
  routes: httpsEdgeRoutesByEdgeId(first: ${PAGE}, orderBy: ROW_ID_DESC) {
    nodes {
      id: rowId matchType match description
      compression circuitBreaker requestHeaders responseHeaders trafficPolicy
      webhookVerification: openedWebhookVerification
      ipRestrictionEnabled
      ipPolicies: httpsEdgeRouteIpPoliciesByOwnerId {
        nodes { ipPolicy: ipPolicyByIpPolicyId { id: rowId description } }
      }
      backendEnabled
      backend: backendByBackendId {
        kind id: rowId description address tlsEnabled
        children: backendChildrenByParentId { nodes { id: childId } }
      }
    }
  }
}`;

export const LEAN_ONE = oneEdge("LeanEdge", LEAN_EDGE, POSTGRAPHILE_LEAN_EDGE);
export const RICH_ONE = oneEdge("RichEdge", RICH_EDGE, POSTGRAPHILE_RICH_EDGE);
export const LEAN_PAGE = edges("LeanEdges", LEAN_EDGE, POSTGRAPHILE_LEAN_EDGE);
export const RICH_PAGE = edges("RichEdges", RICH_EDGE, POSTGRAPHILE_RICH_EDGE);
export const COMPRESSED_ROUTES: Query = {
  operationName: "CompressedRoutes",
  text: `query CompressedRoutes($after: String) {
  httpsEdgeRoutes(filter: { module: { kind: COMPRESSION } }, first: ${PAGE}, after: $after) {
    nodes { ...route }
  }
}${LEAN_ROUTE}`,
  postgraphile: `query CompressedRoutes($after: String) {
  httpsEdgeRoutes: allHttpsEdgeRoutes(
    condition: { hasCompression: true, olderThan: $after }, first: ${PAGE}, orderBy: ROW_ID_DESC
  ) {
    nodes { ...route }
  }
}${POSTGRAPHILE_LEAN_ROUTE}`,
  // A cursor says where to go on, and needs no row there.
  variables: (edgeId) => ({ after: edgeId.replace(/^edghts_/, "edghtsrt_") }),
};

function oneEdge(operationName: string, fields: string, postgraphileFields: string): Query {
  return {
    operationName,
    text: `query ${operationName}($id: ID!) { httpsEdge(id: $id) { ...edge } }${fields}`,
    postgraphile: `query ${operationName}($id: String!) {
  httpsEdge: httpsEdgeByRowId(rowId: $id) { ...edge }
}${postgraphileFields}`,
    variables: (id) => ({ id }),
  };
}

function edges(operationName: string, fields: string, postgraphileFields: string): Query {
  return {
    operationName,
    text: `query ${operationName}($after: String) {
  httpsEdges(first: ${PAGE}, after: $after) { nodes { ...edge } }
}${fields}`,
    postgraphile: `query ${operationName}($after: String) {
  httpsEdges: allHttpsEdges(condition: { olderThan: $after }, first: ${PAGE}, orderBy: ROW_ID_DESC) {
    nodes { ...edge }
  }
}${postgraphileFields}`,
    variables: (after) => ({ after }),
  };
}
