import type { HttpsEdgeRoute } from "../../domain/https-edge-routes.js";
import type { HttpsEdge } from "../../domain/https-edges.js";
import type { OauthClient } from "../../domain/modules/oauth.js";
import type { Saml } from "../../domain/modules/saml.js";
import type { TlsEdge } from "../../domain/tls-edges.js";
import type { Link } from "./contract.js";

/** The settings of a module of an owner, without "not set". */
type Set<Owner, Name extends keyof Owner> = NonNullable<Owner[Name]>;

export const backend = ({ enabled, backendId }: Set<TlsEdge, "backend">, link: Link) => ({
  enabled,
  backend: { id: backendId, uri: link(backendPath(backendId)) },
});

export const ipRestriction = (
  { enabled, ipPolicyIds }: Set<TlsEdge, "ipRestriction">,
  link: Link,
) => ({
  enabled,
  ip_policies: ipPolicyIds.map((id) => ({ id, uri: link(`/ip_policies/${id}`) })),
});

export const mutualTls = (
  { enabled, certificateAuthorityIds }: Set<HttpsEdge, "mutualTls">,
  link: Link,
) => ({
  enabled,
  certificate_authorities: certificateAuthorityIds.map((id) => ({
    id,
    uri: link(`/certificate_authorities/${id}`),
  })),
});

export const tlsTermination = (module: Set<HttpsEdge, "tlsTermination">) => ({
  enabled: module.enabled,
  terminate_at: module.terminateAt,
  min_version: module.minVersion,
});

export const trafficPolicy = ({ enabled, value }: Set<TlsEdge, "trafficPolicy">) => ({
  enabled,
  value,
});

export const circuitBreaker = (module: Set<HttpsEdgeRoute, "circuitBreaker">) => ({
  enabled: module.enabled,
  tripped_duration: module.trippedDuration,
  rolling_window: module.rollingWindow,
  num_buckets: module.numBuckets,
  volume_threshold: module.volumeThreshold,
  error_threshold_percentage: module.errorThresholdPercentage,
});

export const onOff = ({ enabled }: { readonly enabled: boolean }) => ({ enabled });

export const headers = ({ enabled, add, remove }: Set<HttpsEdgeRoute, "requestHeaders">) => ({
  enabled,
  add,
  remove,
});

export const webhookVerification = (module: Set<HttpsEdgeRoute, "webhookVerification">) => ({
  enabled: module.enabled,
  provider: module.provider,
  secret: module.secret,
});

export const userAgentFilter = ({
  enabled,
  allow,
  deny,
}: Set<HttpsEdgeRoute, "userAgentFilter">) => ({ enabled, allow, deny });

interface Session {
  readonly optionsPassthrough: boolean;
  readonly cookiePrefix: string;
  readonly inactivityTimeout: number;
  readonly maximumDuration: number;
}

const session = (module: Session) => ({
  options_passthrough: module.optionsPassthrough,
  cookie_prefix: module.cookiePrefix,
  inactivity_timeout: module.inactivityTimeout,
  maximum_duration: module.maximumDuration,
});

const oauthClient = (client: OauthClient | null) =>
  client && {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    scopes: client.scopes,
    email_addresses: client.emailAddresses,
    email_domains: client.emailDomains,
  };

export const oauth = (module: Set<HttpsEdgeRoute, "oauth">) => {
  const { github, ...others } = module.provider;
  return {
    enabled: module.enabled,
    provider: {
      github: github && {
        ...oauthClient(github),
        teams: github.teams,
        organizations: github.organizations,
      },
      facebook: oauthClient(others.facebook),
      microsoft: oauthClient(others.microsoft),
      google: oauthClient(others.google),
      linkedin: oauthClient(others.linkedin),
      gitlab: oauthClient(others.gitlab),
      twitch: oauthClient(others.twitch),
      amazon: oauthClient(others.amazon),
    },
    ...session(module),
    auth_check_interval: module.authCheckInterval,
  };
};

export const saml = (module: Saml) => ({
  enabled: module.enabled,
  ...session(module),
  idp_metadata: module.idpMetadata,
  force_authn: module.forceAuthn,
  allow_idp_initiated: module.allowIdpInitiated,
  authorized_groups: module.authorizedGroups,
  entity_id: module.entityId,
  assertion_consumer_service_url: module.assertionConsumerServiceUrl,
  single_logout_url: module.singleLogoutUrl,
  request_signing_certificate_pem: module.requestSigningCertificatePem,
  metadata_url: module.metadataUrl,
  nameid_format: module.nameidFormat,
});

export const oidc = (module: Set<HttpsEdgeRoute, "oidc">) => ({
  enabled: module.enabled,
  ...session(module),
  issuer: module.issuer,
  client_id: module.clientId,
  client_secret: module.clientSecret,
  scopes: module.scopes,
});

/** Where a backend is found: its kind is in the prefix of its id. */
const BACKEND_PATHS: Readonly<Record<string, string>> = {
  bkdfo: "/backends/failover",
  bkdhr: "/backends/http_response",
  bkdsc: "/backends/static",
  bkdtg: "/backends/tunnel_group",
  bkdwd: "/backends/weighted",
};

function backendPath(id: string): string {
  const [prefix = ""] = id.split("_", 1);
  return `${BACKEND_PATHS[prefix]}/${id}`;
}
