import type { ModuleName } from "../../domain/modules/index.js";
import { exampleId } from "./examples.js";
import type { Body } from "./tolerances.js";

/** A module as a request gives it, in the domain's spelling, as an example. */
export const MODULE_EXAMPLES: Readonly<Record<ModuleName, Body>> = {
  backend: { backendId: exampleId("staticBackend") },
  ipRestriction: { ipPolicyIds: [exampleId("ipPolicy")] },
  mutualTls: { certificateAuthorityIds: [exampleId("certificateAuthority")] },
  tlsTermination: { minVersion: "1.2" },
  circuitBreaker: { errorThresholdPercentage: 0.25, trippedDuration: 30 },
  compression: { enabled: true },
  requestHeaders: { add: { "X-Zone": "eu-1" }, remove: ["Cookie"] },
  responseHeaders: { add: { "Strict-Transport-Security": "max-age=31536000" } },
  webhookVerification: { provider: "stripe", secret: "whsec_example" },
  oauth: { provider: { github: { organizations: ["example"] } }, maximumDuration: 3600 },
  saml: {
    idpMetadata: `<?xml version="1.0"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`,
    authorizedGroups: ["staff"],
  },
  oidc: {
    issuer: "https://id.example.com",
    clientId: "shop",
    clientSecret: "secret",
    scopes: ["profile"],
  },
  websocketTcpConverter: { enabled: true },
  userAgentFilter: { deny: ["(?i)badbot"] },
  trafficPolicy: {
    value: '{"inbound":[{"actions":[{"type":"deny","config":{"status_code":403}}]}]}',
  },
  logging: { enabled: true },
};
