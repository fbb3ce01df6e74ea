import type { Client } from "./replay.js";

// Ruby: nil is left out, a create sends "", [] and {} for what nobody gave. An absent key is nil.

export const ruby: readonly Client[] = [
  {
    name: "Ruby 0.26 and 0.27",
    headers: () => ({
      "User-Agent": "ngrok-api-ruby/0.27.0",
      "Ngrok-Version": "2",
      "Content-Type": "application/json; charset=utf-8",
    }),
    strictness: { absent: "none", null: "lists" },
    steps: [
      ['key = POST /api_keys {"description":"","metadata":""}', 201, "api_key"],
      ["PATCH /api_keys/<key> {}", 200, "api_key"],
      ['policy = POST /ip_policies {"description":"","metadata":""}', 201, "ip_policy"],
      [
        'POST /ip_policy_rules {"action":"allow","cidr":"10.0.0.0/8","ip_policy_id":"<policy>","description":"","metadata":""}',
        201,
        "ip_policy_rule",
      ],
      [
        'static = POST /backends/static {"description":"","metadata":"","address":"a.example:80"}',
        201,
        "static_backend",
        { tls: { enabled: false } },
      ],
      [
        'PATCH /backends/static/<static> {"tls":{}}',
        200,
        "static_backend",
        { address: "a.example:80" },
      ],
      [
        'POST /backends/http_response {"description":"","metadata":"","body":"","headers":{},"status_code":0}',
        201,
        "http_response_backend",
        { status_code: 200 },
      ],
      [
        'group = POST /backends/tunnel_group {"description":"","metadata":"","labels":{}}',
        201,
        "tunnel_group_backend",
      ],
      [
        'POST /backends/weighted {"description":"","metadata":"","backends":{"<group>":10000}}',
        201,
        "weighted_backend",
      ],
      [
        'failover = POST /backends/failover {"description":"","metadata":"","backends":["<static>"]}',
        201,
        "failover_backend",
      ],
      ["GET /backends/failover", 200, "failover_backend"],
      [
        'edge = POST /edges/https {"description":"","metadata":"","hostports":["r.example:443"]}',
        201,
        "https_edge",
      ],
      [
        'route = POST /edges/https/<edge>/routes {"match_type":"exact_path","match":"/","description":"keep","metadata":""}',
        201,
        "https_edge_route",
      ],
      [
        'PATCH /edges/https/<edge>/routes/<route> {"match_type":"","match":"","description":"","metadata":""}',
        200,
        "https_edge_route",
        { match: "/", description: "keep" },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/backend {"enabled":true,"backend_id":"<failover>"}',
        200,
        "backend",
        { backend: { id: "<failover>" } },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/traffic_policy {"enabled":true,"value":"{}"}',
        200,
        "traffic_policy",
        { value: "{}" },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oauth {"enabled":true,"provider":{"gitlab":{}},"cookie_prefix":"","inactivity_timeout":0,"maximum_duration":0,"auth_check_interval":0}',
        200,
        "oauth",
        { cookie_prefix: "ngrok.", provider: { gitlab: { scopes: [] } } },
      ],
      ["GET /edges/https/<edge>/routes/<route>/saml", 404],
      ['tls = POST /edges/tls {"description":"","metadata":"","hostports":[]}', 201, "tls_edge"],
      ["DELETE /edges/tls/<tls>", 204],
      [
        'addr = POST /reserved_addrs {"description":"","metadata":"","region":""}',
        201,
        "reserved_addr",
      ],
      ['PATCH /reserved_addrs/<addr> {"description":"a"}', 200, "reserved_addr"],
      [
        'POST /certificate_authorities {"description":"","metadata":"","ca_pem":"<pem>"}',
        201,
        "certificate_authority",
      ],
      [
        'authority = POST /ssh_certificate_authorities {"description":"","metadata":"","private_key_type":"rsa","elliptic_curve":"","key_size":2048}',
        201,
        "ssh_certificate_authority",
        { key_type: "rsa" },
      ],
      [
        'POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":["git"],"critical_options":{"force-command":"true"},"extensions":{},"valid_after":"","valid_until":"","description":"","metadata":""}',
        201,
        "ssh_user_certificate",
        { critical_options: { "force-command": "true" } },
      ],
      [
        'configuration = POST /endpoint_configurations {"type":"http","description":"","metadata":""}',
        201,
        "endpoint_configuration",
      ],
      ["DELETE /endpoint_configurations/<configuration>", 204],
      ["GET /endpoint_configurations/<configuration>", 404, null, { status_code: 404 }],
      ['POST /backends/static {"description":"","metadata":"","address":""}', 400],
    ],
  },
];
