import type { Fields } from "./transports.js";

/** Metadata of a SAML identity provider. */
export const SAML_METADATA = `<?xml version="1.0"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`;

export const TRAFFIC_POLICY = `on_http_request:
  - expressions:
      - req.url.path.startsWith('/admin')
    actions:
      - type: deny
`;

const NAMEID = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/** All thirteen modules of a route, as a caller gives them, each with something in it. */
export function everyRouteModule(backendId: string, ipPolicyId: string): Fields {
  return {
    backend: { backendId },
    ipRestriction: { enabled: false, ipPolicyIds: [ipPolicyId] },
    circuitBreaker: { trippedDuration: 4_294_967_295, errorThresholdPercentage: 0.25 },
    compression: {},
    requestHeaders: { add: { "X-Zone": "b", "x-10": "a", "2": "c" }, remove: ["Cookie"] },
    responseHeaders: { add: { Server: "edge" } },
    webhookVerification: { provider: "Stripe", secret: "whsec_1" },
    oauth: {
      provider: {
        github: {
          clientId: "id",
          clientSecret: "secret",
          scopes: ["read:org"],
          emailDomains: ["example.com"],
          teams: ["example/ops"],
        },
      },
      authCheckInterval: 60,
    },
    saml: { enabled: false, idpMetadata: SAML_METADATA, nameidFormat: NAMEID },
    oidc: {
      enabled: false,
      issuer: "https://id.example.com",
      clientId: "id",
      clientSecret: "secret",
      maximumDuration: 3600,
    },
    websocketTcpConverter: { enabled: false },
    userAgentFilter: { allow: ["(?i)firefox"], deny: ["bot/\\d+"] },
    trafficPolicy: { value: TRAFFIC_POLICY },
  };
}

/** All modules of an endpoint configuration but mutual TLS, which needs an authority. */
export function everyConfigurationModule(ipPolicyId: string): Fields {
  const {
    backend: _,
    websocketTcpConverter: __,
    userAgentFilter: ___,
    trafficPolicy: ____,
    ...shared
  } = everyRouteModule("", ipPolicyId);
  return { ...shared, tlsTermination: { minVersion: "1.2" }, logging: {} };
}

const SESSION = {
  optionsPassthrough: false,
  cookiePrefix: "ngrok.",
  inactivityTimeout: 0,
  maximumDuration: 0,
};

/** What a route shows of `everyRouteModule`. */
export function shownRouteModules(routeId: string, backend: string, ipPolicy: string): Fields {
  const entityId = `https://idp.edgeplane.test/saml/${routeId}`;
  return {
    backend: { enabled: true, backend },
    ipRestriction: { enabled: false, ipPolicies: [ipPolicy] },
    circuitBreaker: {
      enabled: true,
      trippedDuration: 4_294_967_295,
      rollingWindow: 10,
      numBuckets: 10,
      volumeThreshold: 20,
      errorThresholdPercentage: 0.25,
    },
    compression: { enabled: true },
    requestHeaders: {
      enabled: true,
      add: { "X-Zone": "b", "x-10": "a", "2": "c" },
      remove: ["Cookie"],
    },
    responseHeaders: { enabled: true, add: { Server: "edge" }, remove: [] },
    webhookVerification: { enabled: true, provider: "Stripe", secret: "whsec_1" },
    oauth: {
      enabled: true,
      ...SESSION,
      provider: {
        github: {
          clientId: "id",
          clientSecret: "secret",
          scopes: ["read:org"],
          emailAddresses: [],
          emailDomains: ["example.com"],
          teams: ["example/ops"],
          organizations: [],
        },
        facebook: null,
        microsoft: null,
        google: null,
        linkedin: null,
        gitlab: null,
        twitch: null,
        amazon: null,
      },
      authCheckInterval: 60,
    },
    saml: {
      enabled: false,
      ...SESSION,
      idpMetadata: SAML_METADATA,
      forceAuthn: false,
      allowIdpInitiated: true,
      authorizedGroups: [],
      entityId,
      assertionConsumerServiceUrl: `${entityId}/acs`,
      singleLogoutUrl: `${entityId}/slo`,
      metadataUrl: entityId,
      nameidFormat: NAMEID,
    },
    oidc: {
      enabled: false,
      ...SESSION,
      maximumDuration: 3600,
      issuer: "https://id.example.com",
      clientId: "id",
      clientSecret: "secret",
      scopes: [],
    },
    websocketTcpConverter: { enabled: false },
    userAgentFilter: { enabled: true, allow: ["(?i)firefox"], deny: ["bot/\\d+"] },
    trafficPolicy: { enabled: true, value: TRAFFIC_POLICY },
  };
}
