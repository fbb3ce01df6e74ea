import type { Client } from "./replay.js";

// npm 0.3 to 0.11: `Content-Type` with every request, the id in the body of an update, modules in a wrapper. What the
// published client does by itself is in `test/npm-client.test.ts`; these are the resources that are not driven there.

export const npm: readonly Client[] = [
  {
    name: "npm 0.3 to 0.11",
    headers: () => ({
      "User-Agent": "ngrok-api-typescript/0.10.0/v20.20.0",
      "Ngrok-Version": "2",
      "Content-Type": "application/json",
    }),
    // It turns each member of a list into an object.
    strictness: { absent: "none", null: "lists" },
    steps: [
      ["POST /ip_policies", 201, "ip_policy"],
      ["GET /ip_policies?limit=100", 200, "ip_policy"],
      ['policy = POST /ip_policies {"description":"a","metadata":"m"}', 201, "ip_policy"],
      ["GET /ip_policies?beforeId=<policy>&limit=100", 200, "ip_policy"],
      ['PATCH /ip_policies/<policy> {"id":"<policy>","description":"b"}', 200, "ip_policy"],
      [
        'rule = POST /ip_policy_rules {"cidr":"2001:db8::/32","ip_policy_id":"<policy>","action":"deny"}',
        201,
        "ip_policy_rule",
      ],
      ['PATCH /ip_policy_rules/<rule> {"id":"<rule>","metadata":"m"}', 200, "ip_policy_rule"],
      ['key = POST /api_keys {"description":"a"}', 201, "api_key"],
      ['PATCH /api_keys/<key> {"id":"<key>","metadata":"m"}', 200, "api_key", { token: null }],
      ["DELETE /api_keys/<key>", 204],
      ['static = POST /backends/static {"address":"[2001:db8::1]:80"}', 201, "static_backend"],
      [
        'PATCH /backends/static/<static> {"id":"<static>","tls":{"enabled":true}}',
        200,
        "static_backend",
        { address: "[2001:db8::1]:80", tls: { enabled: true } },
      ],
      ['POST /backends/tunnel_group {"labels":{}}', 201, "tunnel_group_backend"],
      ['POST /backends/weighted {"backends":{}}', 201, "weighted_backend"],
      [
        'edge = POST /edges/https {"hostports":["c.example:443"],"mutual_tls":null}',
        201,
        "https_edge",
      ],
      [
        'PUT /edges/https/<edge>/tls_termination {"id":"<edge>","module":{"enabled":true,"min_version":"1.2"}}',
        200,
        "tls_termination",
        { terminate_at: "edge" },
      ],
      [
        'route = POST /edges/https/<edge>/routes {"edge_id":"<edge>","match_type":"exact_path","match":"/a"}',
        201,
        "https_edge_route",
        { edge_id: "<edge>" },
      ],
      [
        'PATCH /edges/https/<edge>/routes/<route> {"edge_id":"<edge>","id":"<route>","match":"/b"}',
        200,
        "https_edge_route",
        { match: "/b", match_type: "exact_path" },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/user_agent_filter {"edge_id":"<edge>","id":"<route>","module":{"deny":["bot"]}}',
        200,
        "user_agent_filter",
        { enabled: true, allow: [], deny: ["bot"] },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/websocket_tcp_converter {"edge_id":"<edge>","id":"<route>","module":{}}',
        200,
        "websocket_tcp_converter",
        { enabled: true },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/response_headers {"edge_id":"<edge>","id":"<route>","module":{"add":{},"remove":["Server"]}}',
        200,
        "response_headers",
      ],
      ["DELETE /edges/https/<edge>/routes/<route>/response_headers", 204],
      ['tcp = POST /edges/tcp {"backend":{"backend_id":"<static>"}}', 201, "tcp_edge"],
      [
        'PUT /edges/tcp/<tcp>/ip_restriction {"id":"<tcp>","module":{"ip_policy_ids":["<policy>"]}}',
        200,
        "ip_restriction",
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/compression {"edge_id":"<edge>","id":"<edge>","module":{}}',
        400,
        null,
        { details: { id: "must be the same as in the path, or absent" } },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/compression {"module":{"enabled":"yes"}}',
        400,
        null,
        { details: { "module.enabled": "must be true or false" } },
      ],
      [
        'configuration = POST /endpoint_configurations {"type":"https","compression":{"enabled":true}}',
        201,
        "endpoint_configuration",
        { compression: { enabled: true }, ip_policy: null, logging: null },
      ],
      [
        'PATCH /endpoint_configurations/<configuration> {"id":"<configuration>","metadata":"m"}',
        200,
        "endpoint_configuration",
        { compression: { enabled: true } },
      ],
      [
        'PUT /endpoint_configurations/<configuration>/webhook_validation {"id":"<configuration>","module":{"provider":"sns"}}',
        200,
        "webhook_verification",
      ],
      [
        'authority = POST /ssh_certificate_authorities {"private_key_type":"ed25519"}',
        201,
        "ssh_certificate_authority",
      ],
      [
        'POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","extensions":{},"critical_options":{}}',
        201,
        "ssh_user_certificate",
        { extensions: { "permit-pty": "", "permit-user-rc": "" } },
      ],
      ['POST /certificate_authorities {"ca_pem":"<pem>"}', 201, "certificate_authority"],
      ['addr = POST /reserved_addrs {"region":"ap"}', 201, "reserved_addr"],
      ["DELETE /reserved_addrs/<addr>", 204],
      ["GET /reserved_addrs/<addr>", 404],
      ["GET /ip_policies?cursor=<policy>", 400],
    ],
  },
];
