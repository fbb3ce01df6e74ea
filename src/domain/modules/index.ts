import { circuitBreaker } from "./circuit-breaker.js";
import { compression } from "./compression.js";
import { requestHeaders, responseHeaders } from "./headers.js";
import { oauth } from "./oauth.js";
import { oidc } from "./oidc.js";
import { saml } from "./saml.js";
import { tlsTermination, tlsTerminationAtEdge } from "./tls-termination.js";
import { httpsRouteTrafficPolicy, tlsEdgeTrafficPolicy } from "./traffic-policy.js";
import { userAgentFilter } from "./user-agent-filter.js";
import { webhookVerification } from "./webhook-verification.js";
import { websocketTcpConverter } from "./websocket-tcp-converter.js";

// Which owner carries which modules. Those that refer to other resources (backend, IP restriction,
// mutual TLS) are columns and join rows of their own: see links.ts.

export const HTTPS_EDGE_MODULES = { tlsTermination: tlsTerminationAtEdge };

export const HTTPS_EDGE_ROUTE_MODULES = {
  circuitBreaker,
  compression,
  requestHeaders,
  responseHeaders,
  webhookVerification,
  oauth,
  saml,
  oidc,
  websocketTcpConverter,
  userAgentFilter,
  trafficPolicy: httpsRouteTrafficPolicy,
};

export const TLS_EDGE_MODULES = { tlsTermination, trafficPolicy: tlsEdgeTrafficPolicy };
