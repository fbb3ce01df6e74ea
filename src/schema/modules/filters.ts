import { builder } from "../builder/builder.js";

// Modules in filters: which kinds an owner can have.

export const ROUTE_MODULES = {
  BACKEND: { value: "backend", description: "Where traffic goes." },
  IP_RESTRICTION: { value: "ipRestriction", description: "Who may connect, by address." },
  CIRCUIT_BREAKER: { value: "circuitBreaker", description: "Spares a backend that fails." },
  COMPRESSION: { value: "compression", description: "Compresses responses." },
  REQUEST_HEADERS: { value: "requestHeaders", description: "Changes the headers of requests." },
  RESPONSE_HEADERS: { value: "responseHeaders", description: "Changes the headers of responses." },
  WEBHOOK_VERIFICATION: {
    value: "webhookVerification",
    description: "Lets only signed webhooks through.",
  },
  OAUTH: { value: "oauth", description: "Logs users in with OAuth." },
  SAML: { value: "saml", description: "Logs users in with SAML." },
  OIDC: { value: "oidc", description: "Logs users in with OpenID Connect." },
  WEBSOCKET_TCP_CONVERTER: {
    value: "websocketTcpConverter",
    description: "Turns WebSockets into TCP.",
  },
  USER_AGENT_FILTER: { value: "userAgentFilter", description: "Allows or denies user agents." },
  TRAFFIC_POLICY: { value: "trafficPolicy", description: "Rules in a language of their own." },
} as const;

export const MUTUAL_TLS = {
  MUTUAL_TLS: { value: "mutualTls", description: "Whose client certificates are accepted." },
} as const;

export const TLS_TERMINATION = {
  TLS_TERMINATION: {
    value: "tlsTermination",
    description: "Where TLS ends, and from which version on.",
  },
} as const;

const HttpsEdgeRouteModuleKind = builder.enumType("HttpsEdgeRouteModuleKind", {
  description: "A kind of module that a route of an HTTPS edge can have.",
  values: ROUTE_MODULES,
});

const HttpsEdgeModuleKind = builder.enumType("HttpsEdgeModuleKind", {
  description: "A kind of module that an HTTPS edge or one of its routes can have.",
  values: { ...MUTUAL_TLS, ...TLS_TERMINATION, ...ROUTE_MODULES },
});

const TlsEdgeModuleKind = builder.enumType("TlsEdgeModuleKind", {
  description: "A kind of module that a TLS edge can have.",
  values: {
    BACKEND: ROUTE_MODULES.BACKEND,
    IP_RESTRICTION: ROUTE_MODULES.IP_RESTRICTION,
    ...MUTUAL_TLS,
    ...TLS_TERMINATION,
    TRAFFIC_POLICY: ROUTE_MODULES.TRAFFIC_POLICY,
  },
});

const ABOUT_MODULE = "A module that is set, whether it is enabled or not.";
const ABOUT_KIND = "Which module.";
const ABOUT_ENABLED =
  "True: only where it is enabled. False: only where it is set but disabled. Default: both.";

export const HttpsEdgeRouteModuleFilter = builder.inputType("HttpsEdgeRouteModuleFilter", {
  description: ABOUT_MODULE,
  fields: (t) => ({
    kind: t.field({ type: HttpsEdgeRouteModuleKind, required: true, description: ABOUT_KIND }),
    enabled: t.boolean({ description: ABOUT_ENABLED }),
  }),
});

export const HttpsEdgeModuleFilter = builder.inputType("HttpsEdgeModuleFilter", {
  description: ABOUT_MODULE,
  fields: (t) => ({
    kind: t.field({ type: HttpsEdgeModuleKind, required: true, description: ABOUT_KIND }),
    enabled: t.boolean({ description: ABOUT_ENABLED }),
  }),
});

export const TlsEdgeModuleFilter = builder.inputType("TlsEdgeModuleFilter", {
  description: ABOUT_MODULE,
  fields: (t) => ({
    kind: t.field({ type: TlsEdgeModuleKind, required: true, description: ABOUT_KIND }),
    enabled: t.boolean({ description: ABOUT_ENABLED }),
  }),
});
