import type { ErrorCode } from "../../domain/core/errors.js";

// The numbers that the original service gives to problems (wire facts, 1.4), as far as our own rules tell these apart.

/** A number, and the problem that has it: the refusals of `code` at the endpoints `at` with a message for a field. */
export interface ErrorNumber {
  readonly number: number;
  readonly code: ErrorCode | "UNSUPPORTED_MEDIA_TYPE";
  /** The path of the endpoints, and of all below it; "" for all endpoints. One of several, separated by `|`. */
  readonly at: string;
  /**
   * The path of the problem, as the body of a resource has it, also where a module is sent by itself: "" for a refusal
   * as a whole, `*` for any one name, `**` for any path. One of several, separated by `|`.
   */
  readonly field: string;
  /** What the message begins with: one of these. None for any message. */
  readonly says: readonly string[];
}

/** That of a refusal of several fields below this path, whatever their problems are. */
export const SEVERAL_PROBLEMS = { number: 7028, code: "INVALID_REQUEST", at: "/edges" } as const;

type Row = readonly [number: number, field: string, ...says: string[]];

function rows(code: ErrorNumber["code"], at: string, table: readonly Row[]): ErrorNumber[] {
  return table.map(([number, field, ...says]) => ({ number, code, at, field, says }));
}

const NO_ID = ["must be an id of the kind", "is the id of"];
const ANY_TYPE = ["a string", "a number", "true or false", "an array", "an object", "a map"];

/** Every number once. A problem has the first that fits, so numbers that say more come first. */
export const ERROR_NUMBERS: readonly ErrorNumber[] = [
  ...rows("RATE_LIMITED", "", [[226, ""]]),
  ...rows("UNAUTHENTICATED", "", [
    [200, "Authorization", "is missing"],
    [201, "Authorization", "is not Bearer"],
    [208, "Authorization", "is the id of a key"],
    [202, "Authorization", "is not a key"],
    [203, "Authorization", "is unknown"],
  ]),
  ...rows("FORBIDDEN", "", [[635, "**"]]),
  ...rows("UNSUPPORTED_MEDIA_TYPE", "", [
    [216, "Content-Type", "is missing"],
    [210, "Content-Type", "is not JSON"],
  ]),

  ...rows("INVALID_REQUEST", "/reserved_addrs", [
    [500, "region", "must be one of"],
    [504, "description", "must have at most"],
    [505, "metadata", "must have at most"],
    [507, "endpoint_configuration_id", "must be an endpoint configuration of type tcp"],
  ]),
  ...rows("CONFLICT", "/reserved_addrs", [[503, "", "No free address"]]),

  ...rows("INVALID_REQUEST", "/backends/weighted", [
    [6511, "backends", "must have at most"],
    [6512, "backends.*", "must be a whole number"],
    [6524, "backends.*", "is the id of a failover backend", "is the id of a weighted backend"],
  ]),
  ...rows("INVALID_REQUEST", "/backends/failover", [
    [6525, "backends.*", "is the id of a failover backend"],
  ]),
  ...rows("INVALID_REQUEST", "/backends/http_response", [
    [6516, "body", "must have at most"],
    [6517, "status_code", "must be a whole number"],
    [6522, "headers.*", "must be a header name of at most"],
    [6523, "headers.*", "must have at most"],
  ]),
  ...rows("INVALID_REQUEST", "/backends", [
    [6503, "description", "must have at most"],
    [6504, "metadata", "must have at most"],
    [6526, "backends.*", ...NO_ID],
  ]),
  ...rows("INVALID_REQUEST", "", [[6501, "backends.*|backend.backend_id", "refers to"]]),
  ...rows("NOT_FOUND", "/backends", [[6514, "", "There is no "]]),
  ...rows("IN_USE", "/backends", [[6502, "used_by.*", "failover backend", "weighted backend"]]),

  ...rows("INVALID_REQUEST", "/ssh_certificate_authorities", [
    [1936, "private_key_type", "must be one of"],
    [1939, "key_size", "must be one of"],
    [1940, "key_size", "can only be given"],
    [1941, "elliptic_curve", "must be one of"],
    [1942, "elliptic_curve", "can only be given"],
  ]),
  ...rows("IN_USE", "/ssh_certificate_authorities", [[1964, "used_by.*"]]),
  ...rows("INVALID_REQUEST", "/ssh_user_certificates|/ssh_host_certificates", [
    [1950, "public_key", "is refused: DSA keys", "is refused: Keys of hardware security keys"],
    [1952, "public_key", "is required", "is refused: A public key is required"],
    [1934, "public_key", "is refused"],
    [241, "valid_after|valid_until", "must be a timestamp in RFC 3339"],
  ]),

  ...rows("INVALID_REQUEST", "/certificate_authorities", [
    [1911, "ca_pem", "must have a PEM block of the type CERTIFICATE"],
    [1912, "ca_pem", "must have exactly one certificate"],
    [1913, "ca_pem", "must have a certificate whose basic constraints"],
  ]),

  ...rows("INVALID_REQUEST", "/endpoint_configurations", [
    [1620, "type", "is required"],
    [1622, "type", "must be one of"],
    [1694, "mutual_tls|tls_termination.terminate_at", "needs TLS", 'cannot be "upstream"'],
  ]),
  ...rows("NOT_FOUND", "/endpoint_configurations", [[1600, "", "There is no endpoint"]]),
  ...rows("IN_USE", "/endpoint_configurations", [[1619, "used_by.*"]]),

  ...rows("NOT_FOUND", "/ip_policies", [[1402, "", "There is no IP policy"]]),
  ...rows("NOT_FOUND", "/ip_policy_rules", [[1404, "", "There is no IP policy rule"]]),
  ...rows("INVALID_REQUEST", "/ip_policy_rules", [
    [1405, "cidr|ip_policy_id|action", "is required"],
    [1413, "cidr", "must end with a prefix length, such as"],
    [1409, "cidr", "must begin with the lowest address"],
    [1406, "cidr", "must be an IPv4 or IPv6 network", "must end with a prefix length from"],
    [1414, "ip_policy_id", ...NO_ID],
    [1422, "action", "must be one of"],
  ]),
  ...rows("IN_USE", "/ip_policies", [[1420, "used_by.*", "IP restriction"]]),
  ...rows("CONFLICT", "/ip_policy_rules", [[1408, "cidr", "is the network of another rule"]]),

  ...rows("NOT_FOUND", "/edges", [
    [7124, "", "There is no HTTPS edge route"],
    [7000, "", 'There is no HTTPS edge "', 'There is no TCP edge "', 'There is no TLS edge "'],
  ]),
  ...rows("INVALID_REQUEST", "/edges", [
    [7073, "description", "must have at most"],
    [7074, "metadata", "must have at most"],
    [7129, "hostports", "must have at most"],
    [7112, "hostports.*", "must end with a port"],
    [7104, "hostports.*", "must be a host", "must begin with a DNS name"],
    [7110, "edge_id", "must be the same as in the path"],
    [7128, "edge_id", "would give the edge"],
    [7123, "match", "is required", "must not be empty"],
    [7131, "match", "must be a path"],
    [7130, "match_type", "must be one of"],
    [7007, "ip_restriction.ip_policy_ids.*", "refers to"],
    [7013, "ip_restriction.ip_policy_ids", "must have at most"],
    [7025, "ip_restriction.ip_policy_ids", "must have at least"],
    [7072, "mutual_tls.certificate_authority_ids.*", "refers to"],
    [7075, "mutual_tls.certificate_authority_ids", "must have at most"],
    [7062, "mutual_tls|tls_termination.terminate_at", "needs TLS", 'cannot be "upstream"'],
    [7032, "tls_termination.min_version", "must be null"],
    [7109, "tls_termination.terminate_at", "cannot be set on an HTTPS edge"],
    [7011, "circuit_breaker.error_threshold_percentage", "must be between"],
    [7018, "circuit_breaker.num_buckets", "must be at most"],
    [7015, "*.add|*.remove", "must have at most"],
    [7069, "*.add.*", "is given twice"],
    [7023, "*.add.*|*.remove.*", "must be a header name, which"],
    [7024, "*.add.*", "must have printable ASCII", "must not begin or end with a space"],
    [7026, "webhook_verification.secret", "must not be set"],
    [7027, "webhook_verification.secret", "is required"],
    [7029, "webhook_verification.provider", "is required"],
    [7030, "webhook_verification.provider", "must be a supported provider"],
    [7079, "oauth|oidc|saml", "cannot be enabled together"],
    [7037, "oauth.provider", "is required", "must have exactly one provider, and has 0"],
    [7036, "oauth.provider", "must have exactly one provider"],
    [7034, "oauth.provider.*.scopes", "may only be set together"],
    [7067, "oauth.provider.*.email_addresses.*", "must be in lower case"],
    [7068, "oauth.provider.*.email_domains.*", "must be in lower case"],
    [7040, "oauth.provider.github.teams.*", "must be a team"],
    [7042, "*.cookie_prefix", "must have ASCII letters"],
    [7088, "oidc.issuer", "is required", "must not be empty"],
    [7087, "oidc.issuer", "must have at most"],
    [7089, "oidc.client_id", "is required", "must not be empty"],
    [7090, "oidc.client_secret", "is required", "must not be empty"],
    [7091, "saml.idp_metadata", "is required", "must not be empty"],
    [7080, "saml.idp_metadata", "must have at most 65536 bytes"],
    [7083, "saml.idp_metadata", "must be well-formed XML", "must have", "must not have"],
    [2090, "user_agent_filter.*.*", "must be a regular expression"],
  ]),
  ...rows("INVALID_REQUEST", "/edges/https", [
    [2248, "traffic_policy.value", 'must not have "on_tcp_connect"'],
  ]),

  ...rows("INVALID_REQUEST", "", [
    [1693, "saml.nameid_format", "must be one of"],
    [219, "tls_termination.min_version", "must be one of"],
    [224, "tls_termination.terminate_at", "must be one of"],
    [228, "mutual_tls.certificate_authority_ids.*", ...NO_ID],
    [229, "*.ip_policy_ids.*", ...NO_ID],
    [242, "backend.backend_id", ...NO_ID],
    [223, "**", "must be an id of the kind"],
    [227, "**", "is the id of"],
    [244, "limit", "is not a number"],
    [233, "limit", "must be a whole number"],
    [231, "**", "is not a supported query parameter"],
    [232, "**", "is given more than once"],
    [250, "filter"],
    [218, "**", "is missing: send the header"],
    [217, "**", "must be 2: send the header"],
    [213, "**", "is not valid JSON", "must be a JSON object"],
    [214, "**", "is not a supported field"],
    [215, "**", ...ANY_TYPE.map((type) => `must be ${type}`)],
  ]),
];
