import {
  array,
  boolean,
  changed,
  document,
  object,
  plain,
  sealed,
  text,
  time,
  unlessNull,
} from "./floor-text.js";

// What the GraphQL queries answer, as SQL for its text.

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

const RICH_BACKEND = `(SELECT CASE b.kind
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

const RICH_ROUTE = object({
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
    object({ enabled: boolean("r.backend_enabled"), backend: RICH_BACKEND }),
  ),
});

/** The default page of an edge's routes. */
const NEWEST_ROUTES =
  "(SELECT * FROM https_edge_routes WHERE edge_id = e.id ORDER BY id DESC LIMIT 20) r";

export const RICH_EDGE = object({
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
    nodes: array(RICH_ROUTE, NEWEST_ROUTES, "r.id DESC"),
  }),
});

export const LEAN_ROUTE = object({
  id: plain("r.id"),
  matchType: plain("upper(r.match_type)"),
  match: text("r.match"),
  backend: unlessNull(
    "r.backend_id",
    object({
      backend: `(SELECT ${object({ id: plain("b.id"), description: text("b.description") })}
        FROM backends b WHERE b.id = r.backend_id)`,
    }),
  ),
});

export const LEAN_EDGE = object({
  id: plain("e.id"),
  description: text("e.description"),
  hostports: "array_to_json(e.hostports)::text",
  routes: object({ nodes: array(LEAN_ROUTE, NEWEST_ROUTES, "r.id DESC") }),
});
