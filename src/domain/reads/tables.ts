import * as enumerations from "../core/enumerations.js";
import type { RESOURCES, ResourceKind } from "../core/ids.js";
import { certificateManagementPolicy } from "../formats/certificate-management.js";
import { storedResolutionTargets } from "../formats/resolution-targets.js";
import type { SubjectAlternativeNames } from "../formats/server-certificates.js";
import { REFERENCES, type Reference, type Table } from "../storage/graph.js";
import type { Resource } from "../storage/rows.js";
import { BACKEND_FIELDS, type Backends } from "./backends.js";
import {
  boolean,
  documentOf,
  documentOrNull,
  type Field,
  type FieldsOf,
  id,
  idOrNull,
  integer,
  linkedIds,
  never,
  nullable,
  object,
  oneOf,
  stringMap,
  text,
  texts,
  time,
  type ValuesOf,
} from "./fields.js";
import { moduleFields } from "./modules.js";

/** Of every resource. */
const row = {
  id: id("id"),
  createdAt: time("created_at"),
  updatedAt: time("updated_at"),
  version: integer("version"),
  description: text("description"),
  metadata: text("metadata"),
} satisfies FieldsOf<Resource>;

/** Of SSH certificates of both kinds. */
function certificate(authority: Reference) {
  return {
    ...row,
    /** One line of the authorized_keys format, as given. */
    publicKey: text("public_key"),
    keyType: oneOf("key_type", enumerations.sshKeyType),
    sshCertificateAuthorityId: { ...id("ssh_certificate_authority_id"), reference: authority },
    /** Users or hosts, in the order given. */
    principals: texts("principals"),
    /** The first second of validity. */
    validAfter: time("valid_after"),
    /** The first second after the validity. */
    validUntil: time("valid_until"),
    /** One line of the authorized_keys format; its key id is the id of this resource. */
    certificate: text("certificate"),
  };
}

/** The way in which the fields of each table are read: one entry for each member that its rows have in the domain. */
export const FIELDS = {
  agent_ingresses: {
    ...row,
    /** As given; unique without regard to case, never changes. */
    domain: text("domain"),
    certificateManagementPolicy: documentOrNull(
      "certificate_management_policy",
      certificateManagementPolicy,
    ),
  },
  api_keys: {
    ...row,
    /** The owner of the key, as given; "" when not set. */
    ownerId: text("owner_id"),
    /** `write` (default) may change things, `read` may not. */
    scope: oneOf("scope", enumerations.apiKeyScope),
    /** Shown once, in the answer that creates the key; null ever after, since only a hash of it is kept. */
    token: never<string>(),
  },
  backends: { ...row, ...BACKEND_FIELDS },
  certificate_authorities: {
    ...row,
    /** Its certificate in PEM, as given. */
    caPem: text("ca_pem"),
    /** "" when the subject has none. */
    subjectCommonName: text("subject_common_name"),
    notBefore: time("not_before"),
    notAfter: time("not_after"),
    /** Such as "cert_sign"; empty when the certificate does not limit them. */
    keyUsages: texts("key_usages"),
    /** Such as "client_auth", or an object identifier; empty when the certificate does not limit them. */
    extendedKeyUsages: texts("extended_key_usages"),
  },
  endpoint_configurations: {
    ...row,
    /** The protocol that it is for; never changes. */
    type: oneOf("type", enumerations.endpointConfigurationType),
    ...moduleFields("endpointConfiguration"),
  },
  https_edges: {
    ...row,
    /** `host:port`, in the order given. */
    hostports: texts("hostports"),
    ...moduleFields("httpsEdge"),
  },
  https_edge_routes: {
    ...row,
    edgeId: { ...id("edge_id"), reference: REFERENCES.edgeOfRoute },
    matchType: oneOf("match_type", enumerations.matchType),
    match: text("match"),
    ...moduleFields("httpsEdgeRoute"),
  },
  ip_policies: row,
  ip_policy_rules: {
    ...row,
    /** The network, as given; unique in its policy. */
    cidr: text("cidr"),
    /** Never changes. */
    action: oneOf("action", enumerations.ipPolicyRuleAction),
    /** Never changes. */
    ipPolicyId: { ...id("ip_policy_id"), reference: REFERENCES.policyOfRule },
  },
  ip_restrictions: {
    ...row,
    /** What it restricts; never changes. */
    type: oneOf("type", enumerations.ipRestrictionType),
    /** False while it is only prepared. */
    enforced: boolean("enforced"),
    /** In the order given; at least one. */
    ipPolicyIds: linkedIds(REFERENCES.ipPoliciesOfRestriction),
  },
  reserved_addrs: {
    ...row,
    /** `host:port`; unique, chosen by the service, never changes. */
    addr: text("addr"),
    /** Never changes. */
    region: oneOf("region", enumerations.region),
    endpointConfigurationId: {
      ...idOrNull("endpoint_configuration_id"),
      reference: REFERENCES.configurationOfAddr,
    },
  },
  reserved_domains: {
    ...row,
    /** A DNS name, which may start with `*.`, as given; unique without regard to case, never changes. */
    domain: text("domain"),
    /** Null when it was not given; never changes. */
    region: nullable(oneOf("region", enumerations.region)),
    /** "" when not set. */
    errorRedirectUrl: text("error_redirect_url"),
    resolvesTo: documentOf("resolves_to", storedResolutionTargets),
    /** Excludes a certificate. */
    certificateManagementPolicy: documentOrNull(
      "certificate_management_policy",
      certificateManagementPolicy,
    ),
    certificateId: {
      ...idOrNull("certificate_id"),
      reference: REFERENCES.certificateOfDomain,
    },
    httpEndpointConfigurationId: {
      ...idOrNull("http_endpoint_configuration_id"),
      reference: REFERENCES.httpConfigurationOfDomain,
    },
    httpsEndpointConfigurationId: {
      ...idOrNull("https_endpoint_configuration_id"),
      reference: REFERENCES.httpsConfigurationOfDomain,
    },
  },
  ssh_certificate_authorities: {
    ...row,
    /** For `TrustedUserCAKeys` of sshd: one line of the authorized_keys format. */
    publicKey: text("public_key"),
    keyType: oneOf("key_type", enumerations.sshKeyType),
  },
  ssh_credentials: {
    ...row,
    /** One line of the authorized_keys format, as given. Never changes. */
    publicKey: text("public_key"),
    keyType: oneOf("key_type", enumerations.sshCredentialKeyType),
    /** What it may do, in the order given; everything when empty. */
    acl: texts("acl"),
    /** The owner of the credential, as given; "" when not set. Never changes. */
    ownerId: text("owner_id"),
  },
  ssh_host_certificates: certificate(REFERENCES.authorityOfHostCertificate),
  ssh_user_certificates: {
    ...certificate(REFERENCES.authorityOfUserCertificate),
    criticalOptions: stringMap("critical_options"),
    extensions: stringMap("extensions"),
  },
  tls_certificates: {
    ...row,
    /** The certificate and its chain in PEM, as given. */
    certificatePem: text("certificate_pem"),
    privateKeyType: oneOf("private_key_type", enumerations.privateKeyType),
    /** A text of the subject or the issuer is "" when it has none. */
    subjectCommonName: text("subject_common_name"),
    subjectOrganization: text("subject_organization"),
    subjectOrganizationalUnit: text("subject_organizational_unit"),
    subjectLocality: text("subject_locality"),
    subjectProvince: text("subject_province"),
    subjectCountry: text("subject_country"),
    subjectAlternativeNames: object<SubjectAlternativeNames>({
      dnsNames: texts("dns_names"),
      ips: texts("ips"),
    }),
    issuerCommonName: text("issuer_common_name"),
    /** In lower-case hex. */
    serialNumber: text("serial_number"),
    /** When the service had it issued; null, since its owner uploaded it. */
    issuedAt: never<Date>(),
    notBefore: time("not_before"),
    notAfter: time("not_after"),
    /** Such as "digital_signature"; empty when the certificate does not limit them. */
    keyUsages: texts("key_usages"),
    /** Such as "server_auth", or an object identifier; empty when the certificate does not limit them. */
    extendedKeyUsages: texts("extended_key_usages"),
  },
  tls_edges: {
    ...row,
    /** `host:port`, in the order given. */
    hostports: texts("hostports"),
    ...moduleFields("tlsEdge"),
  },
  tcp_edges: {
    ...row,
    /** `host:port`, in the order given. */
    hostports: texts("hostports"),
    ...moduleFields("tcpEdge"),
  },
} satisfies Record<Table, Readonly<Record<string, Field>>>;

/** The fields of a table by their names. */
export function fieldsOf(table: Table): Readonly<Record<string, Field>> {
  return FIELDS[table];
}

/** The type of the values that are read of the rows of a table. */
type Rows<Of extends Exclude<Table, "backends">> = ValuesOf<(typeof FIELDS)[Of]>;

/** The type of each kind of resource in the domain. */
export interface Resources extends Backends {
  readonly agentIngress: Rows<"agent_ingresses">;
  readonly apiKey: Rows<"api_keys">;
  readonly certificateAuthority: Rows<"certificate_authorities">;
  readonly endpointConfiguration: Rows<"endpoint_configurations">;
  readonly httpsEdge: Rows<"https_edges">;
  readonly httpsEdgeRoute: Rows<"https_edge_routes">;
  readonly tlsEdge: Rows<"tls_edges">;
  readonly tcpEdge: Rows<"tcp_edges">;
  readonly ipPolicy: Rows<"ip_policies">;
  readonly ipPolicyRule: Rows<"ip_policy_rules">;
  readonly ipRestriction: Rows<"ip_restrictions">;
  readonly reservedAddr: Rows<"reserved_addrs">;
  readonly reservedDomain: Rows<"reserved_domains">;
  readonly sshCertificateAuthority: Rows<"ssh_certificate_authorities">;
  readonly sshCredential: Rows<"ssh_credentials">;
  readonly sshHostCertificate: Rows<"ssh_host_certificates">;
  readonly sshUserCertificate: Rows<"ssh_user_certificates">;
  readonly tlsCertificate: Rows<"tls_certificates">;
}

/** A row of the table of `kind`. It has all members that its reader uses. */
export function resource<Kind extends ResourceKind>(row: unknown): Resources[Kind] {
  return row as Resources[Kind];
}

/** The type of the rows of a table. */
export type ResourceIn<Of extends Table> = {
  [Kind in ResourceKind]: (typeof RESOURCES)[Kind]["table"] extends Of ? Resources[Kind] : never;
}[ResourceKind];
