import type { ModuleName, ModuleValues } from "../../domain/modules/index.js";
import { backend } from "./backend.js";
import { circuitBreaker } from "./circuit-breaker.js";
import { compression } from "./compression.js";
import { requestHeaders, responseHeaders } from "./headers.js";
import { ipRestriction } from "./ip-restriction.js";
import { logging } from "./logging.js";
import type { ModuleType } from "./module.js";
import { mutualTls } from "./mutual-tls.js";
import { oauth } from "./oauth.js";
import { oidc } from "./oidc.js";
import { saml } from "./saml.js";
import { tlsTermination } from "./tls-termination.js";
import { trafficPolicy } from "./traffic-policy.js";
import { userAgentFilter } from "./user-agent-filter.js";
import { webhookVerification } from "./webhook-verification.js";
import { websocketTcpConverter } from "./websocket-tcp-converter.js";

/** Every module in GraphQL. */
export const MODULE_TYPES: { readonly [Name in ModuleName]: ModuleType<ModuleValues[Name]> } = {
  backend,
  circuitBreaker,
  compression,
  ipRestriction,
  logging,
  mutualTls,
  oauth,
  oidc,
  requestHeaders,
  responseHeaders,
  saml,
  tlsTermination,
  trafficPolicy,
  userAgentFilter,
  webhookVerification,
  websocketTcpConverter,
};
