import type { Client } from "./replay.js";

// Terraform: 0.1 and 0.7 with a client of their own, which leaves out what is empty; 0.8 with Go's.

const OWN = {
  headers: () => ({
    "User-Agent": "ngrok-api-client/0",
    "Ngrok-Version": "2",
    "Content-Type": "application/json",
  }),
  strictness: { absent: "none", null: "none" },
} as const;

export const terraform: readonly Client[] = [
  {
    name: "Terraform 0.1",
    ...OWN,
    steps: [
      ['policy = POST /ip_policies {"description":"old","action":"deny"}', 201, "ip_policy"],
      ['ca = POST /certificate_authorities {"ca_pem":"<pem>"}', 201, "certificate_authority"],
      [
        'configuration = POST /endpoint_configurations {"type":"https","circuit_breaker":{"enabled":true,"error_threshold_percentage":0.5},"compression":{"enabled":true},"request_headers":{"add":{"x-a":"b"}},"ip_policy":{"ip_policy_ids":["<policy>"]},"mutual_tls":{"certificate_authority_ids":["<ca>"]},"tls_termination":{"terminate_at":"edge","min_version":"1.2"},"webhook_validation":{"provider":"twilio","secret":"s"},"logging":{"enabled":true}}',
        201,
        "endpoint_configuration",
        {
          ip_policy: { ip_policies: [{ id: "<policy>" }] },
          mutual_tls: { certificate_authorities: [{ id: "<ca>" }] },
          tls_termination: { terminate_at: "edge", min_version: "1.2" },
          webhook_validation: { provider: "twilio", secret: "s" },
          logging: { enabled: true, event_streams: [] },
          oauth: null,
        },
      ],
      [
        'PUT /endpoint_configurations/<configuration>/compression {"enabled":false}',
        200,
        "compression",
        { enabled: false },
      ],
      [
        'PUT /endpoint_configurations/<configuration>/ip_policy {"enabled":true,"ip_policy_ids":["<policy>"]}',
        200,
        "ip_restriction",
      ],
      ["DELETE /endpoint_configurations/<configuration>/mutual_tls", 204],
      [
        'PUT /endpoint_configurations/<configuration>/logging {"enabled":true,"event_stream_ids":[]}',
        200,
        "logging",
        { event_streams: [] },
      ],
      [
        'PATCH /endpoint_configurations/<configuration> {"description":"d"}',
        200,
        "endpoint_configuration",
        { compression: { enabled: false }, mutual_tls: null },
      ],
      ["DELETE /ip_policies/<policy>", 409, null, { error_code: "ERR_IN_USE" }],
      [
        'POST /endpoint_configurations {"type":"https","ip_restriction":{"ip_policy_ids":["<policy>"]}}',
        400,
      ],
      ["DELETE /endpoint_configurations/<configuration>", 204],
      ["GET /endpoint_configurations/<configuration>", 404],
    ],
  },
  {
    name: "Terraform 0.7",
    ...OWN,
    steps: [
      ['policy = POST /ip_policies {"description":"old","action":"allow"}', 201, "ip_policy"],
      ['PATCH /ip_policies/<policy> {"description":"new","action":"allow"}', 200, "ip_policy"],
      ['POST /ip_policies {"description":"old","actions":"allow"}', 400],
      [
        'POST /ip_policy_rules {"cidr":"192.0.2.7/32","ip_policy_id":"<policy>","action":"allow"}',
        201,
        "ip_policy_rule",
      ],
      ['key = POST /api_keys {"description":"ci"}', 201, "api_key"],
      ["GET /api_keys/<key>", 200, "api_key", { token: null }],
      [
        'configuration = POST /endpoint_configurations {"type":"tcp"}',
        201,
        "endpoint_configuration",
      ],
      [
        'addr = POST /reserved_addrs {"description":"ssh","endpoint_configuration_id":"<configuration>","region":"us"}',
        201,
        "reserved_addr",
        { endpoint_configuration: { id: "<configuration>" } },
      ],
      [
        'PATCH /reserved_addrs/<addr> {"description":"ssh 2"}',
        200,
        "reserved_addr",
        { endpoint_configuration: { id: "<configuration>" } },
      ],
      ["DELETE /reserved_addrs/<addr>/endpoint_configuration", 204],
      ["GET /reserved_addrs/<addr>", 200, "reserved_addr", { endpoint_configuration: null }],
      [
        'authority = POST /ssh_certificate_authorities {"private_key_type":"rsa","key_size":2048}',
        201,
        "ssh_certificate_authority",
      ],
      [
        'POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":["b","a"],"valid_until":"2090-01-01T02:00:00+02:00"}',
        201,
        "ssh_user_certificate",
        { principals: ["b", "a"], valid_until: "2090-01-01T00:00:00Z" },
      ],
      ["GET /ssh_certificate_authorities", 200, "ssh_certificate_authority"],
      ["DELETE /ssh_certificate_authorities/<authority>", 409],
    ],
  },
  {
    name: "Terraform 0.8",
    headers: ({ hasBody }) => ({
      "user-agent": "terraform-provider-ngrok/0.8.0 ngrok-api-go/9.0.0",
      "ngrok-version": "2",
      ...(hasBody && { "content-type": "application/json" }),
    }),
    strictness: { absent: "none", null: "none" },
    steps: [
      ['policy = POST /ip_policies {"description":"a","metadata":"{}"}', 201, "ip_policy"],
      ["GET /ip_policies/<policy>", 200, "ip_policy"],
      ['PATCH /ip_policies/<policy> {"description":"","metadata":"{}"}', 200, "ip_policy"],
      ['addr = POST /reserved_addrs {"region":"in"}', 201, "reserved_addr", { region: "in" }],
      [
        "GET /reserved_addrs?filter=obj.id+%3D%3D+%22<addr>%22",
        200,
        "reserved_addr",
        { reserved_addrs: [{ id: "<addr>", region: "in" }], next_page_uri: null },
      ],
      [
        "GET /reserved_addrs?filter=obj.addr+%3D%3D+%221.tcp.in.nowhere.example%3A20000%22",
        200,
        "reserved_addr",
        { reserved_addrs: [] },
      ],
      ["DELETE /reserved_addrs/<addr>", 204],
      ["DELETE /reserved_addrs/<addr>", 404, null, { status_code: 404 }],
    ],
  },
];
