import type { z } from "zod";
import { snakeCase } from "../../domain/core/names.js";
import {
  type ModuleName,
  type ModuleOwner,
  type ModuleValues,
  moduleNamesOf,
} from "../../domain/modules/index.js";
import type { OauthClient, OauthProvider } from "../../domain/modules/oauth.js";
import type { Shown } from "./answers.js";
import { type Link, ref } from "./contract.js";
import { MODULE_ANSWERS } from "./module-answers.js";
import type { Spelling } from "./wire.js";

type Views = {
  readonly [Name in ModuleName]: (
    module: ModuleValues[Name],
    link: Link,
  ) => Shown<(typeof MODULE_ANSWERS)[Name]>;
};

/** The JSON of each module in REST, when it is set. */
const VIEWS: Views = {
  backend: ({ enabled, backendId }, link) => ({
    enabled,
    backend: { id: backendId, uri: link(backendPath(backendId)) },
  }),
  ipRestriction: ({ enabled, ipPolicyIds }, link) => ({
    enabled,
    ip_policies: ipPolicyIds.map((id) => ref(link, "/ip_policies", id)),
  }),
  mutualTls: ({ enabled, certificateAuthorityIds }, link) => ({
    enabled,
    certificate_authorities: certificateAuthorityIds.map((id) =>
      ref(link, "/certificate_authorities", id),
    ),
  }),
  tlsTermination: (module) => ({
    enabled: module.enabled,
    terminate_at: module.terminateAt,
    min_version: module.minVersion,
  }),
  circuitBreaker: (module) => ({
    enabled: module.enabled,
    tripped_duration: module.trippedDuration,
    rolling_window: module.rollingWindow,
    num_buckets: module.numBuckets,
    volume_threshold: module.volumeThreshold,
    error_threshold_percentage: module.errorThresholdPercentage,
  }),
  compression: ({ enabled }) => ({ enabled }),
  requestHeaders: ({ enabled, add, remove }) => ({ enabled, add, remove }),
  responseHeaders: ({ enabled, add, remove }) => ({ enabled, add, remove }),
  webhookVerification: ({ enabled, provider, secret }) => ({ enabled, provider, secret }),
  oauth: (module) => ({
    enabled: module.enabled,
    provider: oauthProvider(module.provider),
    ...session(module),
    auth_check_interval: module.authCheckInterval,
  }),
  saml: (module) => ({
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
  }),
  oidc: (module) => ({
    enabled: module.enabled,
    ...session(module),
    issuer: module.issuer,
    client_id: module.clientId,
    client_secret: module.clientSecret,
    scopes: module.scopes,
  }),
  websocketTcpConverter: ({ enabled }) => ({ enabled }),
  userAgentFilter: ({ enabled, allow, deny }) => ({ enabled, allow, deny }),
  trafficPolicy: ({ enabled, value }) => ({ enabled, value }),
  logging: ({ enabled }) => ({ enabled, event_streams: [] }),
};

/** An owner with some of the modules. */
export type Carrier<Name extends ModuleName = ModuleName> = {
  readonly [Each in Name]?: ModuleValues[Each] | null;
};

/** A module of a kind of owner on the wire. */
interface ModuleView {
  /** The name in the JSON of the owner, and in the path of the module. */
  readonly name: string;
  /** The field of inputs. */
  readonly field: ModuleName;
  /** The schema of the JSON of a module that is set. */
  readonly answer: z.ZodObject;
  /** The JSON; null for a module that is not set. */
  readonly view: (owner: Carrier, link: Link) => Readonly<Record<string, unknown>> | null;
}

/** Those of one kind of owner, in their order. */
export type ModuleViews = readonly ModuleView[];

export function moduleViews(owner: ModuleOwner, spelling: Spelling = {}): ModuleViews {
  return moduleNamesOf(owner).map((field) => {
    const name = snakeCase(spelling[field] ?? field);
    return { name, field, answer: MODULE_ANSWERS[field], view: viewOf(field) };
  });
}

function viewOf<Name extends ModuleName>(name: Name) {
  return (owner: Carrier<Name>, link: Link) => {
    const module = owner[name];
    return module ? VIEWS[name](module, link) : null;
  };
}

/** The schemas of all modules of an owner, as it shows them. */
export function moduleAnswers(views: ModuleViews): Record<string, z.ZodNullable<z.ZodObject>> {
  return Object.fromEntries(views.map(({ name, answer }) => [name, answer.nullable()]));
}

/** All modules of an owner. */
export function showModules(views: ModuleViews, owner: Carrier, link: Link) {
  const shown: Record<string, Readonly<Record<string, unknown>> | null> = {};
  for (const { name, view } of views) shown[name] = view(owner, link);
  return shown;
}

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

const oauthClient = (client: OauthClient) => ({
  client_id: client.clientId,
  client_secret: client.clientSecret,
  scopes: client.scopes,
  email_addresses: client.emailAddresses,
  email_domains: client.emailDomains,
});

const oauthProvider = ({ github, ...others }: OauthProvider) => ({
  github: github && {
    ...oauthClient(github),
    teams: github.teams,
    organizations: github.organizations,
  },
  facebook: others.facebook && oauthClient(others.facebook),
  microsoft: others.microsoft && oauthClient(others.microsoft),
  google: others.google && oauthClient(others.google),
  linkedin: others.linkedin && oauthClient(others.linkedin),
  gitlab: others.gitlab && oauthClient(others.gitlab),
  twitch: others.twitch && oauthClient(others.twitch),
  amazon: others.amazon && oauthClient(others.amazon),
});

/** The path of a backend: its kind is in the prefix of its id. */
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
