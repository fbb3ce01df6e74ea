import { z } from "zod";
import { Prisma } from "../../database/index.js";
import type { ApiKey } from "../api-keys.js";
import type {
  Backend,
  FailoverBackend,
  HttpResponseBackend,
  StaticBackend,
  TunnelGroupBackend,
  WeightedBackend,
} from "../backends.js";
import type { CertificateAuthority } from "../certificate-authorities.js";
import * as enumerations from "../core/enumerations.js";
import type { RESOURCES, ResourceKind } from "../core/ids.js";
import type { EndpointConfiguration } from "../endpoint-configurations.js";
import type { HttpsEdgeRoute } from "../https-edge-routes.js";
import type { HttpsEdge } from "../https-edges.js";
import type { IpPolicy } from "../ip-policies.js";
import type { IpPolicyRule } from "../ip-policy-rules.js";
import {
  HTTPS_EDGE_MODULES,
  HTTPS_EDGE_ROUTE_MODULES,
  TLS_EDGE_MODULES,
} from "../modules/index.js";
import type { ReservedAddr } from "../reserved-addrs.js";
import type { SshCertificateAuthority } from "../ssh-certificate-authorities.js";
import type { SshUserCertificate } from "../ssh-user-certificates.js";
import { identifier, REFERENCES, type Table } from "../storage/graph.js";
import type { TlsEdge } from "../tls-edges.js";
import {
  document,
  type Field,
  type FieldsOf,
  id,
  idOrNull,
  idsOf,
  integer,
  json,
  nullable,
  oneOf,
  referringModule,
  text,
  texts,
  time,
} from "./fields.js";

/** What each kind of resource is to the domain. */
export interface Resources {
  readonly apiKey: ApiKey;
  readonly failoverBackend: FailoverBackend;
  readonly httpResponseBackend: HttpResponseBackend;
  readonly staticBackend: StaticBackend;
  readonly tunnelGroupBackend: TunnelGroupBackend;
  readonly weightedBackend: WeightedBackend;
  readonly certificateAuthority: CertificateAuthority;
  readonly endpointConfiguration: EndpointConfiguration;
  readonly httpsEdge: HttpsEdge;
  readonly httpsEdgeRoute: HttpsEdgeRoute;
  readonly tlsEdge: TlsEdge;
  readonly ipPolicy: IpPolicy;
  readonly ipPolicyRule: IpPolicyRule;
  readonly reservedAddr: ReservedAddr;
  readonly sshCertificateAuthority: SshCertificateAuthority;
  readonly sshUserCertificate: SshUserCertificate;
}

/** A row of the table of `kind` of which as much was read as whoever gets it looks at. */
export function resource<Kind extends ResourceKind>(row: unknown): Resources[Kind] {
  return row as Resources[Kind];
}

/** What the rows of a table are. */
export type ResourceIn<Of extends Table> = {
  [Kind in ResourceKind]: (typeof RESOURCES)[Kind]["table"] extends Of ? Resources[Kind] : never;
}[ResourceKind];

const row = {
  id: id("id"),
  createdAt: time("created_at"),
  updatedAt: time("updated_at"),
  version: integer("version"),
  description: text("description"),
  metadata: text("metadata"),
};

const stringMap = z.record(z.string(), z.string());
const parseStringMap = (json: unknown) => stringMap.parse(json);

const CHILDREN = REFERENCES.childrenOfBackend;

/** The children of a failover backend in order; of a weighted one their weights. */
const backends: Field<readonly string[] | Readonly<Record<string, number>>> = {
  reference: CHILDREN,
  text: (row) => Prisma.sql`CASE ${row}.kind WHEN 'failover' THEN ${idsOf(CHILDREN, row)}
    WHEN 'weighted' THEN (SELECT '{' || coalesce(string_agg(
      '"' || link.${identifier(CHILDREN.column)} || '":' || coalesce(link.weight, 0), ',' ORDER BY link.position), '') || '}'
      FROM ${identifier(CHILDREN.table)} AS link WHERE link.${identifier(CHILDREN.owner)} = ${row}.id)
    ELSE 'null' END`,
};

/** The members of all kinds of backends; each row has those of its kind, and null for the others. */
type AnyBackend = { readonly [Name in MemberOf<Backend>]: unknown };
type MemberOf<Value> = Value extends unknown ? keyof Value : never;

/** How the fields of each table are read: every member of what its rows are to the domain. */
export const FIELDS = {
  api_keys: {
    ...row,
    ownerId: text("owner_id"),
    scope: oneOf("scope", enumerations.apiKeyScope),
    // Only a hash of it is kept.
    token: { text: () => Prisma.sql`'null'` },
  } satisfies FieldsOf<ApiKey>,
  backends: {
    ...row,
    kind: oneOf("kind", enumerations.backendKind),
    backends,
    statusCode: nullable(integer("status_code")),
    headers: json("headers", parseStringMap),
    body: nullable(text("body")),
    address: nullable(text("address")),
    tls: {
      text: (row) => Prisma.sql`coalesce('{"enabled":' || ${row}.tls_enabled::text || '}', 'null')`,
    },
    labels: json("labels", parseStringMap),
  } satisfies FieldsOf<AnyBackend>,
  certificate_authorities: {
    ...row,
    caPem: text("ca_pem"),
    subjectCommonName: text("subject_common_name"),
    notBefore: time("not_before"),
    notAfter: time("not_after"),
    keyUsages: texts("key_usages"),
    extendedKeyUsages: texts("extended_key_usages"),
  } satisfies FieldsOf<CertificateAuthority>,
  endpoint_configurations: {
    ...row,
    type: oneOf("type", enumerations.endpointConfigurationType),
  } satisfies FieldsOf<EndpointConfiguration>,
  https_edges: {
    ...row,
    hostports: texts("hostports"),
    mutualTls: referringModule(
      REFERENCES.certificateAuthoritiesOfHttpsEdge,
      "certificateAuthorityIds",
    ),
    tlsTermination: document("tls_termination", HTTPS_EDGE_MODULES.tlsTermination),
  } satisfies FieldsOf<HttpsEdge>,
  https_edge_routes: {
    ...row,
    edgeId: { ...id("edge_id"), reference: REFERENCES.edgeOfRoute },
    matchType: oneOf("match_type", enumerations.matchType),
    match: text("match"),
    backend: referringModule(REFERENCES.backendOfRoute, "backendId"),
    ipRestriction: referringModule(REFERENCES.ipPoliciesOfRoute, "ipPolicyIds"),
    circuitBreaker: document("circuit_breaker", HTTPS_EDGE_ROUTE_MODULES.circuitBreaker),
    compression: document("compression", HTTPS_EDGE_ROUTE_MODULES.compression),
    requestHeaders: document("request_headers", HTTPS_EDGE_ROUTE_MODULES.requestHeaders),
    responseHeaders: document("response_headers", HTTPS_EDGE_ROUTE_MODULES.responseHeaders),
    webhookVerification: document(
      "webhook_verification",
      HTTPS_EDGE_ROUTE_MODULES.webhookVerification,
    ),
    oauth: document("oauth", HTTPS_EDGE_ROUTE_MODULES.oauth),
    saml: document("saml", HTTPS_EDGE_ROUTE_MODULES.saml),
    oidc: document("oidc", HTTPS_EDGE_ROUTE_MODULES.oidc),
    websocketTcpConverter: document(
      "websocket_tcp_converter",
      HTTPS_EDGE_ROUTE_MODULES.websocketTcpConverter,
    ),
    userAgentFilter: document("user_agent_filter", HTTPS_EDGE_ROUTE_MODULES.userAgentFilter),
    trafficPolicy: document("traffic_policy", HTTPS_EDGE_ROUTE_MODULES.trafficPolicy),
  } satisfies FieldsOf<HttpsEdgeRoute>,
  ip_policies: row satisfies FieldsOf<IpPolicy>,
  ip_policy_rules: {
    ...row,
    cidr: text("cidr"),
    action: oneOf("action", enumerations.ipPolicyRuleAction),
    ipPolicyId: { ...id("ip_policy_id"), reference: REFERENCES.policyOfRule },
  } satisfies FieldsOf<IpPolicyRule>,
  reserved_addrs: {
    ...row,
    addr: text("addr"),
    region: oneOf("region", enumerations.region),
    endpointConfigurationId: {
      ...idOrNull("endpoint_configuration_id"),
      reference: REFERENCES.configurationOfAddr,
    },
  } satisfies FieldsOf<ReservedAddr>,
  ssh_certificate_authorities: {
    ...row,
    publicKey: text("public_key"),
    keyType: oneOf("key_type", enumerations.sshKeyType),
  } satisfies FieldsOf<SshCertificateAuthority>,
  ssh_user_certificates: {
    ...row,
    publicKey: text("public_key"),
    keyType: oneOf("key_type", enumerations.sshKeyType),
    sshCertificateAuthorityId: {
      ...id("ssh_certificate_authority_id"),
      reference: REFERENCES.authorityOfCertificate,
    },
    principals: texts("principals"),
    criticalOptions: json("critical_options", parseStringMap),
    extensions: json("extensions", parseStringMap),
    validAfter: time("valid_after"),
    validUntil: time("valid_until"),
    certificate: text("certificate"),
  } satisfies FieldsOf<SshUserCertificate>,
  tls_edges: {
    ...row,
    hostports: texts("hostports"),
    backend: referringModule(REFERENCES.backendOfTlsEdge, "backendId"),
    ipRestriction: referringModule(REFERENCES.ipPoliciesOfTlsEdge, "ipPolicyIds"),
    mutualTls: referringModule(
      REFERENCES.certificateAuthoritiesOfTlsEdge,
      "certificateAuthorityIds",
    ),
    tlsTermination: document("tls_termination", TLS_EDGE_MODULES.tlsTermination),
    trafficPolicy: document("traffic_policy", TLS_EDGE_MODULES.trafficPolicy),
  } satisfies FieldsOf<TlsEdge>,
} satisfies Record<Table, Readonly<Record<string, Field>>>;

/** The fields of a table by their names. */
export function fieldsOf(table: Table): Readonly<Record<string, Field>> {
  return FIELDS[table];
}
