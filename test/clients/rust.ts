import type { Client } from "./replay.js";

// Rust: whole structs, "" for texts, null for what is an Option, [] and {}; modules in a wrapper with the ids; ids in
// bodies. Every key has to be there, and null only where its type is an Option.

export const rust: readonly Client[] = [
  {
    name: "Rust 0.12",
    headers: ({ hasBody }) => ({
      "Ngrok-Version": "2",
      accept: "*/*",
      ...(hasBody && { "content-type": "application/json" }),
    }),
    strictness: { absent: "required", null: "any" },
    steps: [
      ['key = POST /api_keys {"description":"","metadata":"","owner_id":null}', 201, "api_key"],
      [
        'PATCH /api_keys/<key> {"id":"<key>","description":"a","metadata":null}',
        200,
        "api_key",
        { description: "a" },
      ],
      ['policy = POST /ip_policies {"description":"","metadata":""}', 201, "ip_policy"],
      [
        'PATCH /ip_policies/<policy> {"id":"<policy>","description":null,"metadata":"m"}',
        200,
        "ip_policy",
      ],
      [
        'rule = POST /ip_policy_rules {"description":"","metadata":"","cidr":"10.0.0.0/8","ip_policy_id":"<policy>","action":"deny"}',
        201,
        "ip_policy_rule",
      ],
      [
        'PATCH /ip_policy_rules/<rule> {"id":"<rule>","description":null,"metadata":null,"cidr":null}',
        200,
        "ip_policy_rule",
        { cidr: "10.0.0.0/8" },
      ],
      [
        'static = POST /backends/static {"description":"","metadata":"","address":"a.example:80","tls":{"enabled":true}}',
        201,
        "static_backend",
      ],
      // Its own fault: a change sends the default of `tls` where nobody gave it.
      [
        'PATCH /backends/static/<static> {"id":"<static>","description":null,"metadata":null,"address":"","tls":{"enabled":false}}',
        200,
        "static_backend",
        { address: "a.example:80", tls: { enabled: false } },
      ],
      [
        'response = POST /backends/http_response {"description":"","metadata":"","body":"","headers":{},"status_code":null}',
        201,
        "http_response_backend",
      ],
      [
        'PATCH /backends/http_response/<response> {"id":"<response>","description":null,"metadata":null,"body":null,"headers":null,"status_code":null}',
        200,
        "http_response_backend",
      ],
      [
        'group = POST /backends/tunnel_group {"description":"","metadata":"","labels":{"a":"b"}}',
        201,
        "tunnel_group_backend",
      ],
      [
        'weighted = POST /backends/weighted {"description":"","metadata":"","backends":{}}',
        201,
        "weighted_backend",
      ],
      [
        'failover = POST /backends/failover {"description":"","metadata":"","backends":["<group>"]}',
        201,
        "failover_backend",
      ],
      [
        'edge = POST /edges/https {"description":"","metadata":"","hostports":null,"mutual_tls":null,"tls_termination":null}',
        201,
        "https_edge",
        { hostports: [], routes: [] },
      ],
      [
        'PUT /edges/https/<edge>/tls_termination {"id":"<edge>","module":{"enabled":null,"min_version":null}}',
        200,
        "tls_termination",
      ],
      [
        'route = POST /edges/https/<edge>/routes {"edge_id":"<edge>","match_type":"path_prefix","match":"/","description":"keep","metadata":"","backend":{"enabled":null,"backend_id":"<failover>"},"ip_restriction":null,"circuit_breaker":null,"compression":null,"request_headers":null,"response_headers":null,"webhook_verification":null,"oauth":null,"saml":null,"oidc":null,"websocket_tcp_converter":null,"user_agent_filter":null,"traffic_policy":null}',
        201,
        "https_edge_route",
        { backend: { enabled: true, backend: { id: "<failover>" } } },
      ],
      [
        'PATCH /edges/https/<edge>/routes/<route> {"edge_id":"<edge>","id":"<route>","match_type":"","match":"","description":"","metadata":"","backend":null,"ip_restriction":null,"circuit_breaker":null,"compression":{"enabled":true},"request_headers":null,"response_headers":null,"webhook_verification":null,"oauth":null,"saml":null,"oidc":null,"websocket_tcp_converter":null,"user_agent_filter":null,"traffic_policy":null}',
        200,
        "https_edge_route",
        { match: "/", description: "keep", compression: { enabled: true } },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/circuit_breaker {"edge_id":"<edge>","id":"<route>","module":{"enabled":null,"tripped_duration":0,"rolling_window":0,"num_buckets":0,"volume_threshold":0,"error_threshold_percentage":0.25}}',
        200,
        "circuit_breaker",
        { rolling_window: 10, error_threshold_percentage: 0.25 },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oauth {"edge_id":"<edge>","id":"<route>","module":{"enabled":null,"provider":{"github":{"client_id":null,"client_secret":null,"scopes":[],"email_addresses":[],"email_domains":[],"teams":[],"organizations":[]},"facebook":null,"microsoft":null,"google":null,"linkedin":null,"gitlab":null,"twitch":null,"amazon":null},"options_passthrough":false,"cookie_prefix":"","inactivity_timeout":0,"maximum_duration":0,"auth_check_interval":0}}',
        200,
        "oauth",
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/webhook_verification {"edge_id":"<edge>","id":"<route>","module":{"enabled":true,"provider":"slack","secret":"s"}}',
        200,
        "webhook_verification",
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/response_headers {"edge_id":"<edge>","id":"<route>","module":{"enabled":null,"add":{},"remove":[]}}',
        200,
        "response_headers",
      ],
      ["DELETE /edges/https/<edge>/routes/<route>/webhook_verification", 204],
      ["GET /edges/https?before_id=&limit=2", 200, "https_edge"],
      [
        'tls = POST /edges/tls {"description":"","metadata":"","hostports":[],"backend":null,"ip_restriction":null,"mutual_tls":null,"tls_termination":{"enabled":null,"terminate_at":null,"min_version":null},"traffic_policy":null}',
        201,
        "tls_edge",
        { tls_termination: { terminate_at: "edge" } },
      ],
      [
        'PUT /edges/tls/<tls>/traffic_policy {"id":"<tls>","module":{"enabled":null,"value":"on_tcp_connect: []"}}',
        200,
        "traffic_policy",
      ],
      [
        'tcp = POST /edges/tcp {"description":"","metadata":"","hostports":null,"backend":null,"ip_restriction":null,"traffic_policy":null}',
        201,
        "tcp_edge",
      ],
      [
        'PUT /edges/tcp/<tcp>/backend {"id":"<tcp>","module":{"enabled":null,"backend_id":"<group>"}}',
        200,
        "backend",
      ],
      ['POST /reserved_addrs {"description":"","metadata":"","region":""}', 201, "reserved_addr"],
      [
        'ca = POST /certificate_authorities {"description":"","metadata":"","ca_pem":"<pem>"}',
        201,
        "certificate_authority",
      ],
      [
        'authority = POST /ssh_certificate_authorities {"description":"","metadata":"","private_key_type":"","elliptic_curve":"","key_size":0}',
        201,
        "ssh_certificate_authority",
      ],
      [
        'certificate = POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":[],"critical_options":{},"extensions":{},"valid_after":"","valid_until":"","description":"","metadata":""}',
        201,
        "ssh_user_certificate",
      ],
      ["DELETE /ssh_user_certificates/<certificate>", 204],
      [
        'POST /ssh_host_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":[],"valid_after":"","valid_until":"","description":"","metadata":""}',
        201,
        "ssh_host_certificate",
      ],
      [
        'POST /ssh_credentials {"description":"","metadata":"","acl":[],"public_key":"<public_key>","owner_id":null}',
        201,
        "ssh_credential",
      ],
      [
        'tls_certificate = POST /tls_certificates {"description":"","metadata":"","certificate_pem":"<server_pem>","private_key_pem":"<server_key>"}',
        201,
        "tls_certificate",
      ],
      [
        'domain = POST /reserved_domains {"domain":"rust.example.com","region":"","description":"","metadata":"","certificate_id":"<tls_certificate>","certificate_management_policy":null,"resolves_to":[]}',
        201,
        "reserved_domain",
      ],
      [
        'PATCH /reserved_domains/<domain> {"id":"<domain>","description":null,"metadata":null,"certificate_id":null,"certificate_management_policy":null,"resolves_to":[]}',
        200,
        "reserved_domain",
        { certificate: { id: "<tls_certificate>" } },
      ],
      [
        'POST /agent_ingresses {"description":"","metadata":"","domain":"rust-agents.example.com","certificate_management_policy":null}',
        201,
        "agent_ingress",
      ],
      [
        'restriction = POST /ip_restrictions {"description":"","metadata":"","enforced":false,"type":"endpoints","ip_policy_ids":["<policy>"]}',
        201,
        "restriction",
      ],
      ["GET /ip_restrictions/<restriction>", 200, "restriction"],
      ['POST /endpoint_configurations {"type":"https"}', 201, "endpoint_configuration"],
      ["GET /backends/weighted", 200, "weighted_backend"],
      [
        'POST /backends/failover {"description":"","metadata":"","backends":["<policy>"]}',
        400,
        null,
        { error_code: "ERR_INVALID_REQUEST" },
      ],
      ["GET /ip_policies/<rule>", 404, null, { error_code: "ERR_NOT_FOUND" }],
    ],
  },
];
