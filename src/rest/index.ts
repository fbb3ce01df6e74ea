import { agentIngresses } from "./agent-ingresses.js";
import { apiKeys } from "./api-keys.js";
import { certificateAuthorities } from "./certificate-authorities.js";
import type { Endpoint } from "./contract/contract.js";
import { endpointConfigurations } from "./endpoint-configurations.js";
import { failoverBackends } from "./failover-backends.js";
import { httpResponseBackends } from "./http-response-backends.js";
import { httpsEdgeRoutes } from "./https-edge-routes.js";
import { httpsEdges } from "./https-edges.js";
import { ipPolicies } from "./ip-policies.js";
import { ipPolicyRules } from "./ip-policy-rules.js";
import { ipRestrictions } from "./ip-restrictions.js";
import { reservedAddrs } from "./reserved-addrs.js";
import { reservedDomains } from "./reserved-domains.js";
import { rootEndpoints } from "./root.js";
import { sshCertificateAuthorities } from "./ssh-certificate-authorities.js";
import { sshCredentials } from "./ssh-credentials.js";
import { sshHostCertificates } from "./ssh-host-certificates.js";
import { sshUserCertificates } from "./ssh-user-certificates.js";
import { staticBackends } from "./static-backends.js";
import { tcpEdges } from "./tcp-edges.js";
import { tlsCertificates } from "./tls-certificates.js";
import { tlsEdges } from "./tls-edges.js";
import { tunnelGroupBackends } from "./tunnel-group-backends.js";
import { weightedBackends } from "./weighted-backends.js";

const resources: readonly Endpoint[] = [
  ...agentIngresses,
  ...apiKeys,
  ...certificateAuthorities,
  ...endpointConfigurations,
  ...failoverBackends,
  ...httpResponseBackends,
  ...httpsEdgeRoutes,
  ...httpsEdges,
  ...ipPolicies,
  ...ipPolicyRules,
  ...ipRestrictions,
  ...reservedAddrs,
  ...reservedDomains,
  ...sshCertificateAuthorities,
  ...sshCredentials,
  ...sshHostCertificates,
  ...sshUserCertificates,
  ...staticBackends,
  ...tcpEdges,
  ...tlsCertificates,
  ...tlsEdges,
  ...tunnelGroupBackends,
  ...weightedBackends,
];

/** The whole contract of the REST transport. */
export const contract: readonly Endpoint[] = [...rootEndpoints(resources), ...resources];
