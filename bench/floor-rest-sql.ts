import {
  array,
  boolean,
  changed,
  document,
  link,
  object,
  plain,
  respelled,
  sealed,
  text,
  time,
  unlessNull,
} from "./floor-text.js";

// What REST answers, as SQL for its text.

const BACKEND_PATH = `CASE split_part(r.backend_id, '_', 1)
  WHEN 'bkdfo' THEN '/backends/failover/' WHEN 'bkdhr' THEN '/backends/http_response/'
  WHEN 'bkdsc' THEN '/backends/static/' WHEN 'bkdtg' THEN '/backends/tunnel_group/'
  ELSE '/backends/weighted/' END`;

const SESSION_KEYS = "optionsPassthrough cookiePrefix inactivityTimeout maximumDuration";

// The stored order of the members is the one that is shown. No route of the seed has SAML, so its column
// is read, and is null.
const REST_ROUTE = object({
  edge_id: plain("r.edge_id"),
  id: plain("r.id"),
  created_at: time("r.created_at"),
  uri: link("'/edges/https/'", "r.edge_id", "'/routes/'", "r.id"),
  match_type: plain("r.match_type"),
  match: text("r.match"),
  description: text("r.description"),
  metadata: text("r.metadata"),
  backend: unlessNull(
    "r.backend_id",
    object({
      enabled: boolean("r.backend_enabled"),
      backend: object({ id: plain("r.backend_id"), uri: link(BACKEND_PATH, "r.backend_id") }),
    }),
  ),
  ip_restriction: unlessNull(
    "r.ip_restriction_enabled",
    object({
      enabled: boolean("r.ip_restriction_enabled"),
      ip_policies: array(
        object({ id: plain("l.ip_policy_id"), uri: link("'/ip_policies/'", "l.ip_policy_id") }),
        "https_edge_route_ip_policies l WHERE l.owner_id = r.id",
        "l.position",
      ),
    }),
  ),
  circuit_breaker: respelled(
    "r.circuit_breaker",
    "trippedDuration rollingWindow numBuckets volumeThreshold errorThresholdPercentage",
  ),
  compression: document("r.compression"),
  request_headers: document("r.request_headers"),
  response_headers: document("r.response_headers"),
  webhook_verification: changed("r.webhook_verification", {
    '"secret":"': sealed("secret", "webhookVerification.secret"),
  }),
  oauth: respelled(
    "r.oauth",
    `clientId emailAddresses emailDomains ${SESSION_KEYS} authCheckInterval`,
    { '"clientSecret":"': sealed("client_secret", "oauth.clientSecret") },
  ),
  saml: document("r.saml"),
  oidc: respelled("r.oidc", `clientId ${SESSION_KEYS}`, {
    '"clientSecret":"': sealed("client_secret", "oidc.clientSecret"),
  }),
  websocket_tcp_converter: document("r.websocket_tcp_converter"),
  user_agent_filter: document("r.user_agent_filter"),
  traffic_policy: document("r.traffic_policy"),
});

export const REST_EDGE = object({
  id: plain("e.id"),
  uri: link("'/edges/https/'", "e.id"),
  created_at: time("e.created_at"),
  description: text("e.description"),
  metadata: text("e.metadata"),
  hostports: "array_to_json(e.hostports)::text",
  mutual_tls: unlessNull(
    "e.mutual_tls_enabled",
    object({
      enabled: boolean("e.mutual_tls_enabled"),
      certificate_authorities: array(
        object({
          id: plain("l.certificate_authority_id"),
          uri: link("'/certificate_authorities/'", "l.certificate_authority_id"),
        }),
        "https_edge_certificate_authorities l WHERE l.owner_id = e.id",
        "l.position",
      ),
    }),
  ),
  tls_termination: changed("e.tls_termination", {
    '"minVersion":': `'"terminate_at":"edge","min_version":'`,
  }),
  routes: array(REST_ROUTE, "https_edge_routes r WHERE r.edge_id = e.id", "r.id"),
});
