import type { Client } from "./replay.js";

// Java: modules in a wrapper, no ids in bodies, nothing that is empty, and durations as decimals. Its types refuse null
// and absent keys for all but what is Optional, and read times and URIs.

export const java: readonly Client[] = [
  {
    name: "Java 0.8 and newest",
    headers: () => ({
      "User-Agent": "ngrok-api-java/0.8.0",
      "Ngrok-Version": "2",
      "Content-Type": "application/json",
    }),
    strictness: { absent: "required", null: "any" },
    steps: [
      ["key = POST /api_keys {}", 201, "api_key"],
      ["GET /api_keys", 200, "api_key"],
      ['policy = POST /ip_policies {"description":"a"}', 201, "ip_policy"],
      ["PATCH /ip_policies/<policy> {}", 200, "ip_policy", { description: "a" }],
      [
        'POST /ip_policy_rules {"cidr":"10.0.0.0/8","ipPolicyId":"<policy>","action":"allow"}',
        400,
        null,
        { error_code: "ERR_INVALID_REQUEST" },
      ],
      [
        'rule = POST /ip_policy_rules {"cidr":"10.0.0.0/8","ip_policy_id":"<policy>","action":"allow"}',
        201,
        "ip_policy_rule",
      ],
      [
        'static = POST /backends/static {"address":"a.example:80","tls":{"enabled":true}}',
        201,
        "static_backend",
      ],
      [
        'PATCH /backends/static/<static> {"description":"b","tls":{}}',
        200,
        "static_backend",
        { tls: { enabled: true } },
      ],
      ['POST /backends/http_response {"status_code":404}', 201, "http_response_backend"],
      ["POST /backends/tunnel_group {}", 201, "tunnel_group_backend"],
      ['weighted = POST /backends/weighted {"backends":{"<static>":1}}', 201, "weighted_backend"],
      ['failover = POST /backends/failover {"backends":["<weighted>"]}', 201, "failover_backend"],
      [
        "PATCH /backends/failover/<failover> {}",
        200,
        "failover_backend",
        { backends: ["<weighted>"] },
      ],
      ["edge = POST /edges/https {}", 201, "https_edge"],
      [
        'route = POST /edges/https/<edge>/routes {"match_type":"path_prefix","match":"/"}',
        201,
        "https_edge_route",
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oauth {"module":{"enabled":true,"provider":{"google":{"client_id":"i","client_secret":"s"}},"inactivity_timeout":0.0,"maximum_duration":3600.000000000,"auth_check_interval":60.000000000}}',
        200,
        "oauth",
        { inactivity_timeout: 0, maximum_duration: 3600, auth_check_interval: 60 },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oauth {"module":{"provider":{"google":{}},"maximum_duration":3600.500000000}}',
        400,
        null,
        {
          details: {
            "module.maximum_duration": "must be a whole number from 0 to 4294967295",
          },
        },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oauth {"module":{"provider":{"google":{}},"maximum_duration":"3600"}}',
        400,
        null,
        { details: { "module.maximum_duration": "must be a number" } },
      ],
      ["DELETE /edges/https/<edge>/routes/<route>/oauth", 204],
      [
        'PUT /edges/https/<edge>/routes/<route>/oidc {"module":{"issuer":"https://id.example","client_id":"i","client_secret":"s","maximum_duration":86400.000000000}}',
        200,
        "oidc",
        { maximum_duration: 86_400, scopes: [] },
      ],
      ["DELETE /edges/https/<edge>/routes/<route>/oidc", 204],
      [
        'PUT /edges/https/<edge>/routes/<route>/saml {"module":{"idp_metadata":"<saml>","inactivity_timeout":60.000000000}}',
        200,
        "saml",
        { inactivity_timeout: 60 },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/circuit_breaker {"module":{"enabled":true,"tripped_duration":30.000000000,"rolling_window":1E1,"error_threshold_percentage":1.0}}',
        200,
        "circuit_breaker",
        { tripped_duration: 30, rolling_window: 10, error_threshold_percentage: 1 },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/ip_restriction {"module":{"ip_policy_ids":["<policy>"]}}',
        200,
        "ip_restriction",
        { ip_policies: [{ id: "<policy>" }] },
      ],
      ['PUT /edges/https/<edge>/routes/<route>/compression {"module":{}}', 200, "compression"],
      [
        'PUT /edges/https/<edge>/routes/<route>/user_agent_filter {"module":{"allow":["curl"]}}',
        200,
        "user_agent_filter",
      ],
      ["GET /edges/https/<edge>", 200, "https_edge"],
      ["GET /edges/https", 200, "https_edge"],
      ["tls = POST /edges/tls {}", 201, "tls_edge"],
      ['PUT /edges/tls/<tls>/tls_termination {"module":{}}', 200, "tls_termination"],
      ['PUT /edges/tls/<tls>/tls_termination {"module":null}', 200, "tls_termination"],
      ["GET /edges/tls", 200, "tls_edge"],
      ["tcp = POST /edges/tcp {}", 201, "tcp_edge"],
      [
        'PUT /edges/tcp/<tcp>/traffic_policy {"module":{"value":"on_tcp_connect: []"}}',
        200,
        "traffic_policy",
      ],
      [
        'configuration = POST /endpoint_configurations {"type":"https"}',
        201,
        "endpoint_configuration",
      ],
      [
        'PUT /endpoint_configurations/<configuration>/oauth {"module":{"provider":{"google":{}},"maximum_duration":60.000000000}}',
        200,
        "oauth",
        { maximum_duration: 60 },
      ],
      ["GET /endpoint_configurations", 200, "endpoint_configuration"],
      ["POST /reserved_addrs {}", 201, "reserved_addr", { region: "us" }],
      ['POST /certificate_authorities {"ca_pem":"<pem>"}', 201, "certificate_authority"],
      ["authority = POST /ssh_certificate_authorities {}", 201, "ssh_certificate_authority"],
      [
        'POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>"}',
        201,
        "ssh_user_certificate",
      ],
      [
        'POST /ssh_certificate_authorities {"private_key_type":"rsa","key_size":2048.000000000}',
        201,
        "ssh_certificate_authority",
        { key_type: "rsa" },
      ],
      ["GET /ip_policy_rules/<rule>?expand=true", 400],
      ["DELETE /ip_policy_rules/<rule>", 204],
    ],
  },
];
