import { PUBLIC_URL } from "./rows.js";

// Each statement puts the bytes of an answer together in the database, as text: several times cheaper
// than its functions for JSON. A document is copied as it was stored; in compact JSON `"name":` is always a
// key, so keys are respelled by replacing text. What is sealed is marked, for the server to open.

/** A JSON object; `members` are SQL for JSON texts, none of them null. */
function object(members: Readonly<Record<string, string>>): string {
  const written = Object.entries(members).map(([name, sql]) => `"${name}":' || ${sql} || '`);
  return `'{${written.join(",")}}'`;
}

/** A JSON array of the texts that `element` gives for each row of `from`. */
function array(element: string, from: string, order: string): string {
  return `(SELECT '[' || coalesce(string_agg(${element}, ',' ORDER BY ${order}), '') || ']' FROM ${from})`;
}

function unlessNull(column: string, text: string): string {
  return `CASE WHEN ${column} IS NULL THEN 'null' ELSE ${text} END`;
}

/** For texts that need no escapes. */
function plain(sql: string): string {
  return `'"' || ${sql} || '"'`;
}

function text(column: string): string {
  return `to_json(${column})::text`;
}

function boolean(column: string): string {
  return `${column}::text`;
}

function document(column: string): string {
  return `coalesce(${column}::text, 'null')`;
}

/** A document with some texts replaced. */
function changed(column: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce(
    (sql, [from, to]) => `replace(${sql}, '${from}', ${to})`,
    document(column),
  );
}

/** A document with its keys in snake_case, but for those in `others`, which say what replaces them. */
function respelled(
  column: string,
  keys: string,
  others: Readonly<Record<string, string>> = {},
): string {
  const changes = keys.split(" ").map((key) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [`"${key}":`, `'"${name}":'`];
  });
  return changed(column, { ...Object.fromEntries(changes), ...others });
}

/** The key and the start of a sealed text, marked with what it is sealed for. */
function sealed(key: string, purpose: string): string {
  return `'"${key}":"sealed:' || r.id || '.${purpose}:'`;
}

function time(column: string): string {
  return plain(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`);
}

function link(...path: readonly string[]): string {
  return plain([`'${PUBLIC_URL}'`, ...path].join(" || "));
}

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

const REST_EDGE = object({
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

function headers(column: string): string {
  return unlessNull(
    column,
    object({
      enabled: `(${column}->>'enabled')`,
      add: array(
        object({ name: text("h.key"), value: "h.value::text" }),
        `json_each(${column}->'add') WITH ORDINALITY h`,
        "h.ordinality",
      ),
      remove: `(${column}->'remove')::text`,
    }),
  );
}

function backend(type: string, more: Readonly<Record<string, string>> = {}): string {
  return object({
    __typename: `'"${type}"'`,
    id: plain("b.id"),
    description: text("b.description"),
    ...more,
  });
}

const GRAPHQL_BACKEND = `(SELECT CASE b.kind
  WHEN 'static' THEN ${backend("StaticBackend", {
    address: text("b.address"),
    tls: object({ enabled: boolean("b.tls_enabled") }),
  })}
  WHEN 'failover' THEN ${backend("FailoverBackend", {
    backends: array(
      object({ id: plain("c.child_id") }),
      "backend_children c WHERE c.parent_id = b.id",
      "c.position",
    ),
  })}
  WHEN 'weighted' THEN ${backend("WeightedBackend")}
  WHEN 'tunnel_group' THEN ${backend("TunnelGroupBackend")}
  ELSE ${backend("HttpResponseBackend")} END
  FROM backends b WHERE b.id = r.backend_id)`;

const GRAPHQL_ROUTE = object({
  id: plain("r.id"),
  matchType: plain("upper(r.match_type)"),
  match: text("r.match"),
  description: text("r.description"),
  compression: document("r.compression"),
  circuitBreaker: document("r.circuit_breaker"),
  requestHeaders: headers("r.request_headers"),
  responseHeaders: headers("r.response_headers"),
  webhookVerification: changed("r.webhook_verification", {
    '"secret":"': sealed("secret", "webhookVerification.secret"),
  }),
  trafficPolicy: document("r.traffic_policy"),
  ipRestriction: unlessNull(
    "r.ip_restriction_enabled",
    object({
      enabled: boolean("r.ip_restriction_enabled"),
      ipPolicies: array(
        object({ id: plain("p.id"), description: text("p.description") }),
        `https_edge_route_ip_policies l JOIN ip_policies p ON p.id = l.ip_policy_id
          WHERE l.owner_id = r.id`,
        "l.position",
      ),
    }),
  ),
  backend: unlessNull(
    "r.backend_id",
    object({ enabled: boolean("r.backend_enabled"), backend: GRAPHQL_BACKEND }),
  ),
});

const GRAPHQL_EDGE = object({
  id: plain("e.id"),
  createdAt: time("e.created_at"),
  description: text("e.description"),
  metadata: text("e.metadata"),
  hostports: "array_to_json(e.hostports)::text",
  tlsTermination: changed("e.tls_termination", { '"minVersion":"1.': `'"minVersion":"TLS1_'` }),
  mutualTls: unlessNull(
    "e.mutual_tls_enabled",
    object({
      enabled: boolean("e.mutual_tls_enabled"),
      certificateAuthorities: array(
        object({ id: plain("l.certificate_authority_id") }),
        "https_edge_certificate_authorities l WHERE l.owner_id = e.id",
        "l.position",
      ),
    }),
  ),
  routes: object({
    nodes: array(
      GRAPHQL_ROUTE,
      `(SELECT * FROM https_edge_routes WHERE edge_id = e.id ORDER BY id DESC LIMIT 20) r`,
      "r.id DESC",
    ),
  }),
});

/** `$1`: the id. */
const one = (edge: string) => `SELECT ${edge} AS json FROM https_edges e WHERE e.id = $1`;

/** `$1`: the id before which to start; `$2`: how many. One row more, without its JSON, when there are more. */
const page = (edge: string) => `
  SELECT e.id, CASE WHEN row_number() OVER (ORDER BY e.id DESC) <= $2 THEN ${edge} END AS json
  FROM (SELECT * FROM https_edges WHERE id < $1 ORDER BY id DESC LIMIT $2 + 1) e ORDER BY e.id DESC`;

export const FLOOR_SQL = {
  restEdge: one(REST_EDGE),
  restEdges: page(REST_EDGE),
  graphqlEdge: one(GRAPHQL_EDGE),
  graphqlEdges: page(GRAPHQL_EDGE),
  /** `$1`: id; `$2`: description; `$3`: metadata; `$4`: address; `$5`: whether TLS is used. */
  createStaticBackend: `
    WITH b AS (
      INSERT INTO backends (id, created_at, updated_at, description, metadata, kind, address, tls_enabled)
      VALUES ($1, now(), now(), $2, $3, 'static', $4, $5)
      RETURNING *
    ), logged AS (
      INSERT INTO changes (horizon, at, operation_id, kind, resource_id, action, version, differences)
      SELECT greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint),
        now(), $1, 'staticBackend', id, 'created', 1, json_build_array(
          json_build_object('path', json_build_array('description'), 'before', NULL, 'after', description),
          json_build_object('path', json_build_array('metadata'), 'before', NULL, 'after', metadata),
          json_build_object('path', json_build_array('address'), 'before', NULL, 'after', address),
          json_build_object('path', json_build_array('tls', 'enabled'), 'before', NULL, 'after', tls_enabled))
      FROM b
    ), counted AS (
      INSERT INTO tallies (name, slot, count) VALUES ('staticBackend', pg_backend_pid() % 32, 1)
      ON CONFLICT (name, slot) DO UPDATE SET count = tallies.count + 1
    )
    SELECT ${object({
      id: plain("b.id"),
      uri: link("'/backends/static/'", "b.id"),
      created_at: time("b.created_at"),
      description: text("b.description"),
      metadata: text("b.metadata"),
      address: text("b.address"),
      tls: object({ enabled: boolean("b.tls_enabled") }),
    })} AS json FROM b`,
} as const;
