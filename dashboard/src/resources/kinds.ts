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

const KINDS: readonly Kind[] = [
  kind("HTTPS_EDGE", "HttpsEdge", "edges/https", "HTTPS edge"),
  kind("HTTPS_EDGE_ROUTE", "HttpsEdgeRoute", "edges/https/routes", "HTTPS edge route"),
  kind("TLS_EDGE", "TlsEdge", "edges/tls", "TLS edge"),
  kind("TCP_EDGE", "TcpEdge", "edges/tcp", "TCP edge"),
  kind("STATIC_BACKEND", "StaticBackend", "backends/static", "static backend"),
  kind(
    "HTTP_RESPONSE_BACKEND",
    "HttpResponseBackend",
    "backends/http_response",
    "HTTP response backend",
  ),
  kind(
    "TUNNEL_GROUP_BACKEND",
    "TunnelGroupBackend",
    "backends/tunnel_group",
    "tunnel group backend",
  ),
  kind("FAILOVER_BACKEND", "FailoverBackend", "backends/failover", "failover backend"),
  kind("WEIGHTED_BACKEND", "WeightedBackend", "backends/weighted", "weighted backend"),
  kind("IP_POLICY", "IpPolicy", "ip_policies", "IP policy", "IP policies"),
  kind("IP_POLICY_RULE", "IpPolicyRule", "ip_policy_rules", "IP policy rule"),
  kind("IP_RESTRICTION", "IpRestriction", "ip_restrictions", "IP restriction"),
  kind(
    "CERTIFICATE_AUTHORITY",
    "CertificateAuthority",
    "certificate_authorities",
    "certificate authority",
    "certificate authorities",
  ),
  kind("TLS_CERTIFICATE", "TlsCertificate", "tls_certificates", "TLS certificate"),
  kind("RESERVED_ADDR", "ReservedAddr", "reserved_addrs", "reserved address", "reserved addresses"),
  kind("RESERVED_DOMAIN", "ReservedDomain", "reserved_domains", "reserved domain"),
  kind(
    "ENDPOINT_CONFIGURATION",
    "EndpointConfiguration",
    "endpoint_configurations",
    "endpoint configuration",
  ),
  kind("AGENT_INGRESS", "AgentIngress", "agent_ingresses", "agent ingress", "agent ingresses"),
  kind("API_KEY", "ApiKey", "api_keys", "API key"),
  kind(
    "SSH_CERTIFICATE_AUTHORITY",
    "SshCertificateAuthority",
    "ssh_certificate_authorities",
    "SSH certificate authority",
    "SSH certificate authorities",
  ),
  kind(
    "SSH_USER_CERTIFICATE",
    "SshUserCertificate",
    "ssh_user_certificates",
    "SSH user certificate",
  ),
  kind(
    "SSH_HOST_CERTIFICATE",
    "SshHostCertificate",
    "ssh_host_certificates",
    "SSH host certificate",
  ),
  kind("SSH_CREDENTIAL", "SshCredential", "ssh_credentials", "SSH credential"),
];

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

function kind(
  type: ResourceType,
  typename: string,
  path: string,
  singular: string,
  plural = `${singular}s`,
): Kind {
  return { type, typename, path, singular, plural };
}

function found(value: Kind | undefined, name: string): Kind {
  if (!value) throw new Error(`The dashboard knows no ${name}.`);
  return value;
}
