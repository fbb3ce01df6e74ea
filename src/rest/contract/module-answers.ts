import { z } from "zod";
import { BACKENDS } from "../../domain/core/ids.js";
import type { ModuleName } from "../../domain/modules/index.js";
import { TERMINATION_POINTS, TLS_VERSIONS } from "../../domain/modules/tls-termination.js";
import { count, refTo, stringMap, uri } from "./answers.js";

// The JSON of each module in REST, when it is set (specification, section 2).

const enabled = z.boolean();
const texts = z.array(z.string());

const session = {
  options_passthrough: z.boolean(),
  cookie_prefix: z.string(),
  inactivity_timeout: count,
  maximum_duration: count,
};

const headers = { enabled, add: stringMap, remove: texts };

const oauthClient = {
  client_id: z.string(),
  client_secret: z.string(),
  scopes: texts,
  email_addresses: texts,
  email_domains: texts,
};

const oauthProvider = z.strictObject(oauthClient).nullable();

export const MODULE_ANSWERS = {
  backend: z.strictObject({ enabled, backend: refTo(...BACKENDS) }),
  ipRestriction: z.strictObject({ enabled, ip_policies: z.array(refTo("ipPolicy")) }),
  mutualTls: z.strictObject({
    enabled,
    certificate_authorities: z.array(refTo("certificateAuthority")),
  }),
  tlsTermination: z.strictObject({
    enabled,
    terminate_at: z.enum(TERMINATION_POINTS),
    min_version: z.enum(TLS_VERSIONS).nullable(),
  }),
  circuitBreaker: z.strictObject({
    enabled,
    tripped_duration: count,
    rolling_window: count,
    num_buckets: count,
    volume_threshold: count,
    error_threshold_percentage: z.number().min(0).max(1),
  }),
  compression: z.strictObject({ enabled }),
  requestHeaders: z.strictObject(headers),
  responseHeaders: z.strictObject(headers),
  webhookVerification: z.strictObject({ enabled, provider: z.string(), secret: z.string() }),
  oauth: z.strictObject({
    enabled,
    provider: z.strictObject({
      github: z.strictObject({ ...oauthClient, teams: texts, organizations: texts }).nullable(),
      facebook: oauthProvider,
      microsoft: oauthProvider,
      google: oauthProvider,
      linkedin: oauthProvider,
      gitlab: oauthProvider,
      twitch: oauthProvider,
      amazon: oauthProvider,
    }),
    ...session,
    auth_check_interval: count,
  }),
  saml: z.strictObject({
    enabled,
    ...session,
    idp_metadata: z.string(),
    force_authn: z.boolean(),
    allow_idp_initiated: z.boolean(),
    authorized_groups: texts,
    entity_id: z.string(),
    assertion_consumer_service_url: uri,
    single_logout_url: uri,
    request_signing_certificate_pem: z.string(),
    metadata_url: uri,
    nameid_format: z.string(),
  }),
  oidc: z.strictObject({
    enabled,
    ...session,
    issuer: z.string(),
    client_id: z.string(),
    client_secret: z.string(),
    scopes: texts,
  }),
  websocketTcpConverter: z.strictObject({ enabled }),
  userAgentFilter: z.strictObject({ enabled, allow: texts, deny: texts }),
  trafficPolicy: z.strictObject({ enabled, value: z.string() }),
  logging: z.strictObject({
    enabled,
    event_streams: z.array(z.strictObject({ id: z.string(), uri })).max(0),
  }),
} as const satisfies Readonly<Record<ModuleName, z.ZodObject>>;
