import { z } from "zod";

// The answers as typed clients decode them: the fields of each resource and module, and how strict a client is with a
// key that is absent and with null. All clients pass over keys that they do not know.

type Kind = "text" | "time" | "uri" | "flag" | "whole" | "number" | "texts" | "map" | "weights";

/** A field. With `?` the type of the client may be without a value. */
type Field = Kind | `${Kind}?` | { readonly of: Shape } | { readonly listOf: Shape };
interface Shape {
  readonly [key: string]: Field;
}

const ROW = {
  id: "text",
  uri: "uri",
  created_at: "time",
  description: "text",
  metadata: "text",
} as const satisfies Shape;

const REF = { id: "text", uri: "uri" } as const satisfies Shape;
const SESSION = {
  enabled: "flag?",
  options_passthrough: "flag",
  cookie_prefix: "text",
  inactivity_timeout: "whole",
  maximum_duration: "whole",
} as const satisfies Shape;
const OAUTH_CLIENT = {
  client_id: "text",
  client_secret: "text",
  scopes: "texts",
  email_addresses: "texts",
  email_domains: "texts",
} as const satisfies Shape;

const SWITCH = { enabled: "flag?" } as const satisfies Shape;
const HEADERS = { enabled: "flag?", add: "map", remove: "texts" } as const satisfies Shape;

const MODULES = {
  backend: { enabled: "flag?", backend: { of: REF } },
  ip_restriction: { enabled: "flag?", ip_policies: { listOf: REF } },
  mutual_tls: { enabled: "flag?", certificate_authorities: { listOf: REF } },
  tls_termination: { enabled: "flag?", terminate_at: "text", min_version: "text?" },
  circuit_breaker: {
    enabled: "flag?",
    tripped_duration: "whole",
    rolling_window: "whole",
    num_buckets: "whole",
    volume_threshold: "whole",
    error_threshold_percentage: "number",
  },
  compression: SWITCH,
  request_headers: HEADERS,
  response_headers: HEADERS,
  webhook_verification: { enabled: "flag?", provider: "text", secret: "text" },
  oauth: {
    ...SESSION,
    provider: {
      of: {
        github: { of: { ...OAUTH_CLIENT, teams: "texts", organizations: "texts" } },
        facebook: { of: OAUTH_CLIENT },
        microsoft: { of: OAUTH_CLIENT },
        google: { of: OAUTH_CLIENT },
        linkedin: { of: OAUTH_CLIENT },
        gitlab: { of: OAUTH_CLIENT },
        twitch: { of: OAUTH_CLIENT },
        amazon: { of: OAUTH_CLIENT },
      },
    },
    auth_check_interval: "whole",
  },
  saml: {
    ...SESSION,
    idp_metadata: "text",
    force_authn: "flag",
    allow_idp_initiated: "flag?",
    authorized_groups: "texts",
    entity_id: "text",
    assertion_consumer_service_url: "text",
    single_logout_url: "text",
    request_signing_certificate_pem: "text",
    metadata_url: "text",
    nameid_format: "text",
  },
  oidc: {
    ...SESSION,
    issuer: "text",
    client_id: "text",
    client_secret: "text",
    scopes: "texts",
  },
  websocket_tcp_converter: SWITCH,
  user_agent_filter: { enabled: "flag?", allow: "texts", deny: "texts" },
  traffic_policy: { enabled: "flag?", value: "text" },
  logging: SWITCH,
} as const satisfies Readonly<Record<string, Shape>>;

const ROUTE_MODULES = {
  backend: { of: MODULES.backend },
  ip_restriction: { of: MODULES.ip_restriction },
  circuit_breaker: { of: MODULES.circuit_breaker },
  compression: { of: MODULES.compression },
  request_headers: { of: MODULES.request_headers },
  response_headers: { of: MODULES.response_headers },
  webhook_verification: { of: MODULES.webhook_verification },
  oauth: { of: MODULES.oauth },
  saml: { of: MODULES.saml },
  oidc: { of: MODULES.oidc },
  websocket_tcp_converter: { of: MODULES.websocket_tcp_converter },
  user_agent_filter: { of: MODULES.user_agent_filter },
  traffic_policy: { of: MODULES.traffic_policy },
} as const satisfies Shape;

const ROUTE = {
  ...ROW,
  edge_id: "text",
  match_type: "text",
  match: "text",
  ...ROUTE_MODULES,
} as const satisfies Shape;

const RESOURCES = {
  api_key: { ...ROW, token: "text?", owner_id: "text?" },
  failover_backend: { ...ROW, backends: "texts" },
  http_response_backend: { ...ROW, body: "text", headers: "map", status_code: "whole" },
  static_backend: { ...ROW, address: "text", tls: { of: { enabled: "flag" } } },
  tunnel_group_backend: { ...ROW, labels: "map", tunnels: { listOf: REF } },
  weighted_backend: { ...ROW, backends: "weights" },
  certificate_authority: {
    ...ROW,
    ca_pem: "text",
    subject_common_name: "text",
    not_before: "time",
    not_after: "time",
    key_usages: "texts",
    extended_key_usages: "texts",
  },
  endpoint_configuration: {
    ...ROW,
    type: "text",
    circuit_breaker: { of: MODULES.circuit_breaker },
    compression: { of: MODULES.compression },
    request_headers: { of: MODULES.request_headers },
    response_headers: { of: MODULES.response_headers },
    ip_policy: { of: MODULES.ip_restriction },
    mutual_tls: { of: MODULES.mutual_tls },
    tls_termination: { of: MODULES.tls_termination },
    webhook_validation: { of: MODULES.webhook_verification },
    oauth: { of: MODULES.oauth },
    logging: { of: MODULES.logging },
    saml: { of: MODULES.saml },
    oidc: { of: MODULES.oidc },
  },
  https_edge: {
    ...ROW,
    hostports: "texts?",
    mutual_tls: { of: MODULES.mutual_tls },
    tls_termination: { of: MODULES.tls_termination },
    routes: { listOf: ROUTE },
  },
  https_edge_route: ROUTE,
  tcp_edge: {
    ...ROW,
    hostports: "texts?",
    backend: { of: MODULES.backend },
    ip_restriction: { of: MODULES.ip_restriction },
    traffic_policy: { of: MODULES.traffic_policy },
  },
  tls_edge: {
    ...ROW,
    hostports: "texts?",
    backend: { of: MODULES.backend },
    ip_restriction: { of: MODULES.ip_restriction },
    mutual_tls: { of: MODULES.mutual_tls },
    tls_termination: { of: MODULES.tls_termination },
    traffic_policy: { of: MODULES.traffic_policy },
  },
  ip_policy: ROW,
  ip_policy_rule: { ...ROW, cidr: "text", ip_policy: { of: REF }, action: "text" },
  reserved_addr: { ...ROW, addr: "text", region: "text" },
  reserved_domain: {
    ...ROW,
    domain: "text",
    region: "text",
    cname_target: "text?",
    certificate: { of: { id: "text", uri: "uri" } },
    certificate_management_policy: { of: { authority: "text", private_key_type: "text" } },
    certificate_management_status: { of: {} },
    acme_challenge_cname_target: "text?",
    resolves_to: { listOf: { value: "text" } },
  },
  agent_ingress: {
    ...ROW,
    domain: "text",
    ns_targets: "texts",
    region_domains: "texts",
    certificate_management_policy: { of: { authority: "text", private_key_type: "text" } },
    certificate_management_status: { of: {} },
  },
  // A module has the whole name.
  restriction: { ...ROW, enforced: "flag", type: "text", ip_policies: { listOf: REF } },
  tls_certificate: {
    ...ROW,
    certificate_pem: "text",
    subject_common_name: "text",
    subject_alternative_names: { of: { dns_names: "texts", ips: "texts" } },
    issued_at: "time?",
    not_before: "time",
    not_after: "time",
    key_usages: "texts",
    extended_key_usages: "texts",
    private_key_type: "text",
    issuer_common_name: "text",
    serial_number: "text",
    subject_organization: "text",
    subject_organizational_unit: "text",
    subject_locality: "text",
    subject_province: "text",
    subject_country: "text",
  },
  ssh_credential: { ...ROW, public_key: "text", acl: "texts", owner_id: "text?" },
  ssh_host_certificate: {
    ...ROW,
    public_key: "text",
    key_type: "text",
    ssh_certificate_authority_id: "text",
    principals: "texts",
    valid_after: "time",
    valid_until: "time",
    certificate: "text",
  },
  ssh_certificate_authority: { ...ROW, public_key: "text", key_type: "text" },
  ssh_user_certificate: {
    ...ROW,
    public_key: "text",
    key_type: "text",
    ssh_certificate_authority_id: "text",
    principals: "texts",
    critical_options: "map",
    extensions: "map",
    valid_after: "time",
    valid_until: "time",
    certificate: "text",
  },
} as const satisfies Readonly<Record<string, Shape>>;

/** Of resources as their lists call them, one without an `s`, and of modules as their paths do. */
export const SHAPES = { ...MODULES, ...RESOURCES };
export type ShapeName = keyof typeof SHAPES;

/** What a client does not survive, besides values of other types. */
export interface Strictness {
  /** An absent key: of any field, of a field that has always a value, or of none. */
  readonly absent: "any" | "required" | "none";
  /** Null for a field that always has a value: of any kind, of flags and numbers, of lists, or of none. */
  readonly null: "any" | "numbers" | "lists" | "none";
}

const MAP = z.record(z.string(), z.string());

const KINDS: Readonly<Record<Kind, z.ZodType>> = {
  text: z.string(),
  time: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  uri: z.url({ protocol: /^https?$/ }),
  flag: z.boolean(),
  whole: z.int(),
  number: z.number(),
  texts: z.array(z.string()),
  map: MAP,
  weights: z.record(z.string(), z.int()),
};

const NUMBERS: ReadonlySet<Kind> = new Set<Kind>(["flag", "whole", "number"]);

function decoder(shape: Shape, strictness: Strictness): z.ZodType {
  const fields = Object.entries(shape).map(([key, field]) => [key, fieldOf(field, strictness)]);
  return z.looseObject(Object.fromEntries(fields));
}

function fieldOf(field: Field, strictness: Strictness): z.ZodType {
  const { type, isOptional, isNumber, isList } = typeOf(field, strictness);
  const refusesNull =
    !isOptional &&
    (strictness.null === "any" ||
      (strictness.null === "numbers" && isNumber) ||
      (strictness.null === "lists" && isList));
  const needsKey = strictness.absent === "any" || (strictness.absent === "required" && !isOptional);
  const nullable = refusesNull ? type : type.nullable();
  return needsKey ? nullable : nullable.optional();
}

function typeOf(field: Field, strictness: Strictness) {
  if (typeof field === "object") {
    const isList = "listOf" in field;
    const item = decoder(isList ? field.listOf : field.of, strictness);
    const isRef = !isList && field.of === REF;
    return {
      type: isList ? z.array(item) : item,
      isOptional: !isList && !isRef,
      isNumber: false,
      isList,
    };
  }
  const kind = withoutMark(field);
  const isOptional = kind !== field;
  return { type: KINDS[kind], isOptional, isNumber: NUMBERS.has(kind), isList: kind === "texts" };
}

function withoutMark(field: Kind | `${Kind}?`): Kind {
  return field.replace("?", "") as Kind;
}

/** What `name` is decoded by. */
export function decoderOf(name: ShapeName, strictness: Strictness): z.ZodType {
  return decoder(SHAPES[name], strictness);
}

/** What a list of `name` is decoded by; its items are the member `key`. */
export function listDecoderOf(name: ShapeName, key: string, strictness: Strictness): z.ZodType {
  return z.looseObject({
    [key]: z.array(decoderOf(name, strictness)),
    uri: KINDS.uri,
    next_page_uri: KINDS.uri.nullable(),
  });
}

/** What an error is decoded by: the strictest of all clients. */
export const ERROR = z.looseObject({
  error_code: z.string().regex(/^ERR_[A-Z_]+$/),
  status_code: z.int(),
  msg: z.string().min(1),
  details: MAP.and(z.looseObject({ operation_id: z.string().regex(/^op_[0-9A-Za-z]{27}$/) })),
});
