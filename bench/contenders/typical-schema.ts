/** The part of Edgeplane's schema that the queries of the benchmark ask for. */
export const typeDefs = `#graphql
  scalar DateTime

  enum MatchType { EXACT_PATH PATH_PREFIX }
  enum TlsVersion { TLS1_0 TLS1_1 TLS1_2 TLS1_3 }
  enum HttpsEdgeRouteModuleKind { COMPRESSION }

  input HttpsEdgeRouteModuleFilter { kind: HttpsEdgeRouteModuleKind! }
  input HttpsEdgeRouteFilter { module: HttpsEdgeRouteModuleFilter }

  type Query {
    httpsEdge(id: ID!): HttpsEdge
    httpsEdges(first: Int, after: String): HttpsEdgeConnection!
    httpsEdgeRoutes(filter: HttpsEdgeRouteFilter, first: Int, after: String): HttpsEdgeRouteConnection!
  }

  type HttpsEdgeConnection { nodes: [HttpsEdge!]! }
  type HttpsEdgeRouteConnection { nodes: [HttpsEdgeRoute!]! }

  type HttpsEdge {
    id: ID!
    createdAt: DateTime!
    description: String!
    metadata: String!
    hostports: [String!]!
    tlsTermination: TlsTerminationModule
    mutualTls: MutualTlsModule
    routes(first: Int): HttpsEdgeRouteConnection!
  }

  type HttpsEdgeRoute {
    id: ID!
    matchType: MatchType!
    match: String!
    description: String!
    compression: CompressionModule
    circuitBreaker: CircuitBreakerModule
    requestHeaders: HeadersModule
    responseHeaders: HeadersModule
    webhookVerification: WebhookVerificationModule
    trafficPolicy: TrafficPolicyModule
    ipRestriction: IpRestrictionModule
    backend: BackendModule
  }

  type TlsTerminationModule { enabled: Boolean! minVersion: TlsVersion! }
  type MutualTlsModule { enabled: Boolean! certificateAuthorities: [CertificateAuthority!]! }
  type CertificateAuthority { id: ID! description: String! }

  type CompressionModule { enabled: Boolean! }
  type CircuitBreakerModule {
    enabled: Boolean!
    trippedDuration: Int!
    rollingWindow: Int!
    numBuckets: Int!
    volumeThreshold: Int!
    errorThresholdPercentage: Float!
  }
  type HeadersModule { enabled: Boolean! add: [Header!]! remove: [String!]! }
  type Header { name: String! value: String! }
  type WebhookVerificationModule { enabled: Boolean! provider: String! secret: String! }
  type TrafficPolicyModule { enabled: Boolean! value: String! }
  type IpRestrictionModule { enabled: Boolean! ipPolicies: [IpPolicy!]! }
  type IpPolicy { id: ID! description: String! }
  type BackendModule { enabled: Boolean! backend: Backend! }

  interface Backend { id: ID! description: String! }
  type StaticBackend implements Backend { id: ID! description: String! address: String! tls: BackendTls! }
  type FailoverBackend implements Backend { id: ID! description: String! backends: [Backend!]! }
  type WeightedBackend implements Backend { id: ID! description: String! }
  type TunnelGroupBackend implements Backend { id: ID! description: String! }
  type HttpResponseBackend implements Backend { id: ID! description: String! }
  type BackendTls { enabled: Boolean! }
`;
