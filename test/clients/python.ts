import type { Client } from "./replay.js";

// Python: what is None is left out, texts and lists that nobody gave are "" and []; an empty payload is not sent at all,
// and then there is no `Content-Type`. Each key of an answer is looked up, so that all of them have to be there.

export const python: readonly Client[] = [
  {
    name: "Python",
    headers: ({ hasBody }) => ({
      "User-Agent": "ngrok-api-python/0.12.0",
      "ngrok-version": "2",
      ...(hasBody && { "Content-Type": "application/json" }),
    }),
    strictness: { absent: "any", null: "lists" },
    steps: [
      ["POST /backends/http_response", 201, "http_response_backend", { status_code: 200 }],
      ['key = POST /api_keys {"description":"","metadata":""}', 201, "api_key"],
      ["PATCH /api_keys/<key>", 200, "api_key"],
      ['policy = POST /ip_policies {"description":"","metadata":""}', 201, "ip_policy"],
      ["PATCH /ip_policies/<policy>", 200, "ip_policy"],
      ['PATCH /ip_policies/<policy> {"description":"d"}', 200, "ip_policy", { description: "d" }],
      [
        'rule = POST /ip_policy_rules {"description":"","metadata":"","cidr":"192.0.2.0/24","ip_policy_id":"<policy>","action":"deny"}',
        201,
        "ip_policy_rule",
      ],
      ["PATCH /ip_policy_rules/<rule>", 200, "ip_policy_rule", { cidr: "192.0.2.0/24" }],
      [
        'static = POST /backends/static {"description":"","metadata":"","address":"a.example:80","tls":{"enabled":true}}',
        201,
        "static_backend",
      ],
      [
        'PATCH /backends/static/<static> {"address":"","tls":{}}',
        200,
        "static_backend",
        { address: "a.example:80", tls: { enabled: true } },
      ],
      [
        'response = POST /backends/http_response {"description":"","metadata":"","body":"","headers":{},"status_code":503}',
        201,
        "http_response_backend",
      ],
      [
        'group = POST /backends/tunnel_group {"description":"","metadata":"","labels":{"a":"b"}}',
        201,
        "tunnel_group_backend",
      ],
      [
        'failover = POST /backends/failover {"description":"","metadata":"","backends":["<static>","<group>"]}',
        201,
        "failover_backend",
      ],
      // Its own fault: a change sends an empty list where none was given.
      [
        'PATCH /backends/failover/<failover> {"backends":[]}',
        200,
        "failover_backend",
        { backends: [] },
      ],
      [
        'weighted = POST /backends/weighted {"description":"","metadata":"","backends":{"<static>":0}}',
        201,
        "weighted_backend",
      ],
      [
        'edge = POST /edges/https {"description":"","metadata":"","hostports":[]}',
        201,
        "https_edge",
        { hostports: [], mutual_tls: null, tls_termination: null, routes: [] },
      ],
      ["PUT /edges/https/<edge>/tls_termination", 200, "tls_termination", { min_version: null }],
      [
        'ca = POST /certificate_authorities {"description":"","metadata":"","ca_pem":"<pem>"}',
        201,
        "certificate_authority",
      ],
      [
        'PUT /edges/https/<edge>/mutual_tls {"certificate_authority_ids":["<ca>"]}',
        200,
        "mutual_tls",
      ],
      [
        'route = POST /edges/https/<edge>/routes {"match_type":"path_prefix","match":"/","description":"keep","metadata":"this","compression":{"enabled":true}}',
        201,
        "https_edge_route",
      ],
      [
        'PATCH /edges/https/<edge>/routes/<route> {"match_type":"","match":"","description":"","metadata":"","compression":{"enabled":false}}',
        200,
        "https_edge_route",
        { match: "/", description: "keep", metadata: "this", compression: { enabled: false } },
      ],
      [
        'PATCH /edges/https/<edge>/routes/<route> {"description":""}',
        200,
        "https_edge_route",
        { description: "" },
      ],
      ["PUT /edges/https/<edge>/routes/<route>/compression", 200, "compression", { enabled: true }],
      [
        'PUT /edges/https/<edge>/routes/<route>/circuit_breaker {"tripped_duration":0,"rolling_window":0,"num_buckets":0,"volume_threshold":0,"error_threshold_percentage":0.1}',
        200,
        "circuit_breaker",
        { tripped_duration: 10, num_buckets: 10, volume_threshold: 20 },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oidc {"options_passthrough":false,"cookie_prefix":"","inactivity_timeout":0,"maximum_duration":0,"issuer":"https://id.example","client_id":"i","client_secret":"s","scopes":[]}',
        200,
        "oidc",
        { enabled: true, cookie_prefix: "ngrok." },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/webhook_verification {"provider":"stripe","secret":"s"}',
        200,
        "webhook_verification",
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/ip_restriction {"ip_policy_ids":[]}',
        400,
        null,
        { details: { ip_policy_ids: "must have at least 1 item" } },
      ],
      ["GET /edges/https", 200, "https_edge"],
      [
        'tls = POST /edges/tls {"description":"","metadata":"","hostports":["a:1"]}',
        201,
        "tls_edge",
      ],
      [
        'PUT /edges/tls/<tls>/tls_termination {"terminate_at":"","min_version":""}',
        200,
        "tls_termination",
        { terminate_at: "edge", min_version: null },
      ],
      ["DELETE /edges/tls/<tls>/tls_termination", 204],
      [
        'tcp = POST /edges/tcp {"description":"","metadata":"","hostports":["a:1"]}',
        201,
        "tcp_edge",
      ],
      ['PATCH /edges/tcp/<tcp> {"hostports":[]}', 200, "tcp_edge", { hostports: [] }],
      [
        'addr = POST /reserved_addrs {"description":"","metadata":"","region":""}',
        201,
        "reserved_addr",
        { region: "us" },
      ],
      [
        'authority = POST /ssh_certificate_authorities {"description":"","metadata":"","private_key_type":"","elliptic_curve":"","key_size":0}',
        201,
        "ssh_certificate_authority",
        { key_type: "ed25519" },
      ],
      [
        'POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":[],"critical_options":{},"extensions":{},"description":"","metadata":""}',
        201,
        "ssh_user_certificate",
        { principals: [], extensions: { "permit-pty": "" } },
      ],
      [
        'configuration = POST /endpoint_configurations {"type":"https","description":"","metadata":""}',
        201,
        "endpoint_configuration",
        { circuit_breaker: null, saml: null },
      ],
      ["GET /endpoint_configurations", 200, "endpoint_configuration"],
      ["GET /ip_policies?limit=1", 200, "ip_policy"],
      ['POST /reserved_addrs {"region":"moon"}', 400],
      ['POST /backends/failover {"backends":"<static>"}', 400],
      ["DELETE /ip_policies/<policy>", 204],
    ],
  },
];
