import type { ResourceType } from "../generated/operations.js";

// The kinds of resources, as the schema names them. Their pages have the paths that they have over REST.

export interface Kind {
  readonly type: ResourceType;
  readonly typename: string;
  /** The path of the list, below that of the dashboard. */
  readonly path: string;
  readonly singular: string;
  readonly plural: string;
}

/** The name of the type, the path, and what people call one of them; several, where that is not an `s` more. */
type Names = readonly [typename: string, path: string, singular: string, plural?: string];

// A kind that the schema gets does not compile before it has a line here.
const NAMES: Readonly<Record<ResourceType, Names>> = {
  HTTPS_EDGE: ["HttpsEdge", "edges/https", "HTTPS edge"],
  HTTPS_EDGE_ROUTE: ["HttpsEdgeRoute", "edges/https/routes", "HTTPS edge route"],
  TLS_EDGE: ["TlsEdge", "edges/tls", "TLS edge"],
  TCP_EDGE: ["TcpEdge", "edges/tcp", "TCP edge"],
  STATIC_BACKEND: ["StaticBackend", "backends/static", "static backend"],
  HTTP_RESPONSE_BACKEND: ["HttpResponseBackend", "backends/http_response", "HTTP response backend"],
  TUNNEL_GROUP_BACKEND: ["TunnelGroupBackend", "backends/tunnel_group", "tunnel group backend"],
  FAILOVER_BACKEND: ["FailoverBackend", "backends/failover", "failover backend"],
  WEIGHTED_BACKEND: ["WeightedBackend", "backends/weighted", "weighted backend"],
  IP_POLICY: ["IpPolicy", "ip_policies", "IP policy", "IP policies"],
  IP_POLICY_RULE: ["IpPolicyRule", "ip_policy_rules", "IP policy rule"],
  IP_RESTRICTION: ["IpRestriction", "ip_restrictions", "IP restriction"],
  CERTIFICATE_AUTHORITY: [
    "CertificateAuthority",
    "certificate_authorities",
    "certificate authority",
    "certificate authorities",
  ],
  TLS_CERTIFICATE: ["TlsCertificate", "tls_certificates", "TLS certificate"],
  RESERVED_ADDR: ["ReservedAddr", "reserved_addrs", "reserved address", "reserved addresses"],
  RESERVED_DOMAIN: ["ReservedDomain", "reserved_domains", "reserved domain"],
  ENDPOINT_CONFIGURATION: [
    "EndpointConfiguration",
    "endpoint_configurations",
    "endpoint configuration",
  ],
  AGENT_INGRESS: ["AgentIngress", "agent_ingresses", "agent ingress", "agent ingresses"],
  API_KEY: ["ApiKey", "api_keys", "API key"],
  SSH_CERTIFICATE_AUTHORITY: [
    "SshCertificateAuthority",
    "ssh_certificate_authorities",
    "SSH certificate authority",
    "SSH certificate authorities",
  ],
  SSH_USER_CERTIFICATE: ["SshUserCertificate", "ssh_user_certificates", "SSH user certificate"],
  SSH_HOST_CERTIFICATE: ["SshHostCertificate", "ssh_host_certificates", "SSH host certificate"],
  SSH_CREDENTIAL: ["SshCredential", "ssh_credentials", "SSH credential"],
};

const KINDS: readonly Kind[] = Object.entries(NAMES).map(
  ([type, [typename, path, singular, plural = `${singular}s`]]) => ({
    type: type as ResourceType,
    typename,
    path,
    singular,
    plural,
  }),
);

const byTypename = new Map(KINDS.map((each) => [each.typename, each]));
const byType = new Map(KINDS.map((each) => [each.type, each]));

/** The kind of a type of the schema, such as `HttpsEdge`. */
export function kindOf(typename: string): Kind {
  return found(byTypename.get(typename), typename);
}

/** The kind of a value of `ResourceType`, such as `HTTPS_EDGE`. */
export function kindOfType(type: ResourceType): Kind {
  return found(byType.get(type), type);
}

export function allKinds(): readonly Kind[] {
  return KINDS;
}

function found(value: Kind | undefined, name: string): Kind {
  if (!value) throw new Error(`The dashboard knows no ${name}.`);
  return value;
}
