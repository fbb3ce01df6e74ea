import type { Client, Step } from "./replay.js";

// Go: `omitempty` leaves out of a body what has the zero value of its type; a text that may be cleared is a pointer, so
// that "" is sent. Nothing that the client decodes has to be there, and null leaves the zero value.

const GO = {
  headers: ({ hasBody }: { readonly hasBody: boolean }) => ({
    "user-agent": "ngrok-api-go/8.0.0",
    "ngrok-version": "2",
    ...(hasBody && { "content-type": "application/json" }),
  }),
  strictness: { absent: "none", null: "none" },
} as const;

const steps: readonly Step[] = [
  ['key = POST /api_keys {"description":"ci"}', 201, "api_key", { owner_id: "" }],
  ["GET /api_keys/<key>", 200, "api_key", { token: null }],
  ["GET /api_keys?limit=1", 200, "api_key"],
  ['policy = POST /ip_policies {"description":"office"}', 201, "ip_policy"],
  ['PATCH /ip_policies/<policy> {"description":""}', 200, "ip_policy", { description: "" }],
  ["PATCH /ip_policies/<policy> {}", 200, "ip_policy", { description: "" }],
  [
    'rule = POST /ip_policy_rules {"cidr":"192.0.2.0/24","ip_policy_id":"<policy>","action":"allow"}',
    201,
    "ip_policy_rule",
    { ip_policy: { id: "<policy>" } },
  ],
  ['PATCH /ip_policy_rules/<rule> {"cidr":"192.0.2.0/25"}', 200, "ip_policy_rule"],
  ["GET /ip_policy_rules", 200, "ip_policy_rule"],
  ['ca = POST /certificate_authorities {"ca_pem":"<pem>"}', 201, "certificate_authority"],
  [
    'static = POST /backends/static {"address":"a.example:80","tls":{"enabled":true}}',
    201,
    "static_backend",
  ],
  [
    'PATCH /backends/static/<static> {"description":"new","tls":{}}',
    200,
    "static_backend",
    { address: "a.example:80", tls: { enabled: true } },
  ],
  [
    "response = POST /backends/http_response {}",
    201,
    "http_response_backend",
    { status_code: 200, body: "", headers: {} },
  ],
  [
    'PATCH /backends/http_response/<response> {"body":"down","status_code":503}',
    200,
    "http_response_backend",
  ],
  [
    'group = POST /backends/tunnel_group {"labels":{"app":"web"}}',
    201,
    "tunnel_group_backend",
    { tunnels: [] },
  ],
  [
    'PATCH /backends/tunnel_group/<group> {"metadata":"m"}',
    200,
    "tunnel_group_backend",
    { labels: { app: "web" } },
  ],
  ['weighted = POST /backends/weighted {"backends":{"<static>":3}}', 201, "weighted_backend"],
  [
    'PATCH /backends/weighted/<weighted> {"description":"w"}',
    200,
    "weighted_backend",
    { backends: { "<static>": 3 } },
  ],
  [
    'failover = POST /backends/failover {"backends":["<weighted>","<response>"]}',
    201,
    "failover_backend",
  ],
  [
    'PATCH /backends/failover/<failover> {"description":"f"}',
    200,
    "failover_backend",
    { backends: ["<weighted>", "<response>"] },
  ],
  [
    'edge = POST /edges/https {"hostports":["a.example:443"],"tls_termination":{"min_version":"1.2"}}',
    201,
    "https_edge",
    { tls_termination: { enabled: true, terminate_at: "edge", min_version: "1.2" } },
  ],
  [
    'PUT /edges/https/<edge>/mutual_tls {"certificate_authority_ids":["<ca>"]}',
    200,
    "mutual_tls",
    { certificate_authorities: [{ id: "<ca>" }] },
  ],
  ["DELETE /edges/https/<edge>/tls_termination", 204],
  ['PATCH /edges/https/<edge> {"metadata":"m"}', 200, "https_edge", { tls_termination: null }],
  [
    'route = POST /edges/https/<edge>/routes {"match_type":"path_prefix","match":"/","backend":{"backend_id":"<failover>"},"compression":{"enabled":true}}',
    201,
    "https_edge_route",
    { compression: { enabled: true }, oauth: null },
  ],
  [
    'PATCH /edges/https/<edge>/routes/<route> {"description":"all"}',
    200,
    "https_edge_route",
    { match: "/", compression: { enabled: true } },
  ],
  [
    'PUT /edges/https/<edge>/routes/<route>/ip_restriction {"ip_policy_ids":["<policy>"]}',
    200,
    "ip_restriction",
  ],
  [
    'PUT /edges/https/<edge>/routes/<route>/circuit_breaker {"tripped_duration":30,"error_threshold_percentage":0.2}',
    200,
    "circuit_breaker",
    { enabled: true, tripped_duration: 30, rolling_window: 10 },
  ],
  [
    'PUT /edges/https/<edge>/routes/<route>/request_headers {"add":{"X-Zone":"a"},"remove":["Cookie"]}',
    200,
    "request_headers",
  ],
  [
    'PUT /edges/https/<edge>/routes/<route>/webhook_verification {"enabled":true,"provider":"TWILIO","secret":"s"}',
    200,
    "webhook_verification",
    { provider: "TWILIO", secret: "s" },
  ],
  [
    'PUT /edges/https/<edge>/routes/<route>/oauth {"enabled":true,"provider":{"github":{"client_id":"i","client_secret":"s","scopes":["user"]}},"maximum_duration":3600}',
    200,
    "oauth",
    { provider: { github: { teams: [] }, google: null }, maximum_duration: 3600 },
  ],
  ["DELETE /edges/https/<edge>/routes/<route>/oauth", 204],
  ["GET /edges/https/<edge>/routes/<route>/oauth", 404],
  [
    'PUT /edges/https/<edge>/routes/<route>/saml {"idp_metadata":"<saml>"}',
    200,
    "saml",
    { allow_idp_initiated: true, authorized_groups: [] },
  ],
  ["GET /edges/https/<edge>", 200, "https_edge", { routes: [{ id: "<route>" }] }],
  ['tls = POST /edges/tls {"hostports":["b.example:443"]}', 201, "tls_edge", { backend: null }],
  ["DELETE /edges/tls/<tls>/ip_restriction", 204],
  [
    'PUT /edges/tls/<tls>/tls_termination {"terminate_at":"edge","min_version":"1.3"}',
    200,
    "tls_termination",
  ],
  ['PUT /edges/tls/<tls>/backend {"backend_id":"<static>"}', 200, "backend"],
  ['tcp = POST /edges/tcp {"hostports":["1.tcp.example:20000"]}', 201, "tcp_edge"],
  ["DELETE /edges/tcp/<tcp>/ip_restriction", 204],
  ['PUT /edges/tcp/<tcp>/backend {"backend_id":"<group>"}', 200, "backend"],
  [
    'PATCH /edges/tcp/<tcp> {"description":"d"}',
    200,
    "tcp_edge",
    { backend: { enabled: true, backend: { id: "<group>" } }, ip_restriction: null },
  ],
  ["GET /edges/tls/<tls>/tls_termination", 200, "tls_termination", { min_version: "1.3" }],
  ['configuration = POST /endpoint_configurations {"type":"tcp"}', 201, "endpoint_configuration"],
  [
    'addr = POST /reserved_addrs {"region":"eu","endpoint_configuration_id":"<configuration>"}',
    201,
    "reserved_addr",
    { region: "eu", endpoint_configuration: { id: "<configuration>" } },
  ],
  ["DELETE /endpoint_configurations/<configuration>", 409],
  ["DELETE /reserved_addrs/<addr>/endpoint_configuration", 204],
  [
    'authority = POST /ssh_certificate_authorities {"private_key_type":"ecdsa","elliptic_curve":"p384"}',
    201,
    "ssh_certificate_authority",
    { key_type: "ecdsa" },
  ],
  [
    'POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":["root"],"extensions":{"permit-pty":""},"valid_until":"2090-01-01T00:00:00Z"}',
    201,
    "ssh_user_certificate",
    { valid_until: "2090-01-01T00:00:00Z", extensions: { "permit-pty": "" } },
  ],
  ["DELETE /ssh_certificate_authorities/<authority>", 409, null, { error_code: "ERR_IN_USE" }],
  ["DELETE /backends/static/<static>", 409, null, { status_code: 409 }],
  ["GET /ip_policies/ipp_000000000000000000000000000", 404, null, { status_code: 404 }],
  ['POST /ip_policies {"descripton":"a"}', 400, null, { error_code: "ERR_INVALID_REQUEST" }],
  ["GET /ip_policies?page=2", 400],
];

export const go: readonly Client[] = [
  { name: "Go v5 to v8", ...GO, steps },
  {
    // `omitzero` sends lists and maps that are empty and not nil.
    name: "Go v9",
    ...GO,
    steps: [
      ['static = POST /backends/static {"address":"a.example:80"}', 201, "static_backend"],
      ['failover = POST /backends/failover {"backends":["<static>"]}', 201, "failover_backend"],
      [
        'PATCH /backends/failover/<failover> {"backends":[]}',
        200,
        "failover_backend",
        { backends: [] },
      ],
      ['edge = POST /edges/https {"hostports":["a.example:443"]}', 201, "https_edge"],
      ['PATCH /edges/https/<edge> {"description":"d"}', 200, "https_edge"],
      ['PATCH /edges/https/<edge> {"hostports":[]}', 200, "https_edge", { hostports: [] }],
      [
        'POST /backends/tunnel_group {"labels":{}}',
        201,
        "tunnel_group_backend",
        { labels: {}, tunnels: [] },
      ],
      [
        'route = POST /edges/https/<edge>/routes {"match_type":"exact_path","match":"/","request_headers":{"add":{},"remove":[]}}',
        201,
        "https_edge_route",
        { request_headers: { enabled: true, add: {}, remove: [] } },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oidc {"issuer":"https://id.example","client_id":"i","client_secret":"s","scopes":[]}',
        200,
        "oidc",
      ],
      ["GET /reserved_addrs?limit=100", 200, "reserved_addr"],
      ['POST /edges/https {"hostports":["a.example"]}', 400],
    ],
  },
];
