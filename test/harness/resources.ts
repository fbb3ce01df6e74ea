import { authorityPem, serverPair } from "./certificates.js";
import type { Fields, ResourceNames } from "./transports.js";

/** A resource as the tests that hold for every resource need it. */
export interface TestResource extends ResourceNames {
  readonly title: string;
  readonly prefix: string;
  /** The least that creates one; may create what it refers to through `create`. */
  required?(create: (resource: TestResource) => Promise<Fields>): Promise<Fields> | Fields;
}

const backend = (title: string, one: string, path: string, prefix: string): TestResource => ({
  title,
  one,
  many: `${one}s`,
  path: `/backends/${path}`,
  listKey: "backends",
  prefix,
});

export const failoverBackend = backend("failover backends", "failoverBackend", "failover", "bkdfo");
export const httpResponseBackend = backend(
  "HTTP response backends",
  "httpResponseBackend",
  "http_response",
  "bkdhr",
);
export const staticBackend: TestResource = {
  ...backend("static backends", "staticBackend", "static", "bkdsc"),
  required: () => ({ address: "upstream.internal:8080" }),
};
export const tunnelGroupBackend = backend(
  "tunnel group backends",
  "tunnelGroupBackend",
  "tunnel_group",
  "bkdtg",
);
export const weightedBackend = backend("weighted backends", "weightedBackend", "weighted", "bkdwd");

let ingresses = 0;

export const agentIngress: TestResource = {
  title: "agent ingresses",
  one: "agentIngress",
  many: "agentIngresses",
  path: "/agent_ingresses",
  listKey: "ingresses",
  prefix: "agin",
  required: () => ({ domain: `agents-${ingresses++}.example.com` }),
};

export const apiKey: TestResource = {
  title: "API keys",
  one: "apiKey",
  many: "apiKeys",
  path: "/api_keys",
  listKey: "keys",
  prefix: "ak",
};

export const certificateAuthority: TestResource = {
  title: "certificate authorities",
  one: "certificateAuthority",
  many: "certificateAuthorities",
  path: "/certificate_authorities",
  listKey: "certificate_authorities",
  prefix: "ca",
  required: async () => ({ caPem: await authorityPem() }),
};

export const endpointConfiguration: TestResource = {
  title: "endpoint configurations",
  one: "endpointConfiguration",
  many: "endpointConfigurations",
  path: "/endpoint_configurations",
  listKey: "endpoint_configurations",
  wireNames: { ipRestriction: "ipPolicy", webhookVerification: "webhookValidation" },
  prefix: "ec",
  required: () => ({ type: "tcp" }),
};

export const ipPolicy: TestResource = {
  title: "IP policies",
  one: "ipPolicy",
  many: "ipPolicies",
  path: "/ip_policies",
  listKey: "ip_policies",
  prefix: "ipp",
};

export const ipPolicyRule: TestResource = {
  title: "IP policy rules",
  one: "ipPolicyRule",
  many: "ipPolicyRules",
  path: "/ip_policy_rules",
  listKey: "ip_policy_rules",
  prefix: "ipr",
  required: async (create) => ({
    cidr: "192.0.2.0/24",
    action: "allow",
    ipPolicyId: (await create(ipPolicy)).id,
  }),
};

export const ipRestriction: TestResource = {
  title: "IP restrictions",
  one: "ipRestriction",
  many: "ipRestrictions",
  path: "/ip_restrictions",
  listKey: "ip_restrictions",
  prefix: "ipx",
  required: async (create) => ({
    type: "endpoints",
    ipPolicyIds: [(await create(ipPolicy)).id],
  }),
};

export const reservedAddr: TestResource = {
  title: "reserved addresses",
  one: "reservedAddr",
  many: "reservedAddrs",
  path: "/reserved_addrs",
  listKey: "reserved_addrs",
  prefix: "ra",
};

let domains = 0;

export const reservedDomain: TestResource = {
  title: "reserved domains",
  one: "reservedDomain",
  many: "reservedDomains",
  path: "/reserved_domains",
  listKey: "reserved_domains",
  prefix: "rd",
  // Each is reserved once.
  required: () => ({ domain: `site-${++domains}.example.com` }),
};

export const sshCertificateAuthority: TestResource = {
  title: "SSH certificate authorities",
  one: "sshCertificateAuthority",
  many: "sshCertificateAuthorities",
  path: "/ssh_certificate_authorities",
  listKey: "ssh_certificate_authorities",
  prefix: "sshca",
};

/** A key to log in with, and one that certificates are made for. */
export const PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti user@host";

/** A key whose private half a hardware security key holds: to log in with, but not to make certificates for. */
export const SECURITY_KEY =
  "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqtiAAAABHNzaDo= user@token";

export const sshCredential: TestResource = {
  title: "SSH credentials",
  one: "sshCredential",
  many: "sshCredentials",
  path: "/ssh_credentials",
  listKey: "ssh_credentials",
  prefix: "sshcr",
  required: () => ({ publicKey: PUBLIC_KEY }),
};

export const sshHostCertificate: TestResource = {
  title: "SSH host certificates",
  one: "sshHostCertificate",
  many: "sshHostCertificates",
  path: "/ssh_host_certificates",
  listKey: "ssh_host_certificates",
  prefix: "shcrt",
  required: async (create) => ({
    sshCertificateAuthorityId: (await create(sshCertificateAuthority)).id,
    publicKey: PUBLIC_KEY,
  }),
};

export const sshUserCertificate: TestResource = {
  title: "SSH user certificates",
  one: "sshUserCertificate",
  many: "sshUserCertificates",
  path: "/ssh_user_certificates",
  listKey: "ssh_user_certificates",
  prefix: "sucrt",
  required: async (create) => ({
    sshCertificateAuthorityId: (await create(sshCertificateAuthority)).id,
    publicKey: PUBLIC_KEY,
  }),
};

export const tlsCertificate: TestResource = {
  title: "TLS certificates",
  one: "tlsCertificate",
  many: "tlsCertificates",
  path: "/tls_certificates",
  listKey: "tls_certificates",
  prefix: "cert",
  async required() {
    const { certificatePem, privateKeyPem } = await serverPair();
    return { certificatePem, privateKeyPem };
  },
};

export const httpsEdge: TestResource = {
  title: "HTTPS edges",
  one: "httpsEdge",
  many: "httpsEdges",
  path: "/edges/https",
  listKey: "https_edges",
  prefix: "edghts",
};

export const tlsEdge: TestResource = {
  title: "TLS edges",
  one: "tlsEdge",
  many: "tlsEdges",
  path: "/edges/tls",
  listKey: "tls_edges",
  prefix: "edgtls",
};

export const tcpEdge: TestResource = {
  title: "TCP edges",
  one: "tcpEdge",
  many: "tcpEdges",
  path: "/edges/tcp",
  listKey: "tcp_edges",
  prefix: "edgtcp",
};

/** The routes of one edge, as a resource: over REST they have a path of their own below each edge. */
export function routesOf(edgeId: string): TestResource {
  return {
    title: "HTTPS edge routes",
    one: "httpsEdgeRoute",
    many: "httpsEdgeRoutes",
    path: `/edges/https/${edgeId}/routes`,
    listKey: "routes",
    prefix: "edghtsrt",
  };
}

export const resources: readonly TestResource[] = [
  agentIngress,
  apiKey,
  certificateAuthority,
  endpointConfiguration,
  failoverBackend,
  httpResponseBackend,
  staticBackend,
  tunnelGroupBackend,
  weightedBackend,
  httpsEdge,
  tlsEdge,
  tcpEdge,
  ipPolicy,
  ipPolicyRule,
  ipRestriction,
  reservedAddr,
  reservedDomain,
  sshCertificateAuthority,
  sshCredential,
  sshHostCertificate,
  sshUserCertificate,
  tlsCertificate,
];
