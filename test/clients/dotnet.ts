import type { Client } from "./replay.js";

// .NET: every field of a type is sent, null where nothing was set and 0 for numbers; the ids of the path too. Lists begin
// with an empty `before_id`, and go on until a page is empty. Null does not fit into its numbers and flags.

export const dotnet: readonly Client[] = [
  {
    name: ".NET",
    headers: ({ hasBody }) => ({
      "ngrok-version": "2",
      ...(hasBody && { "Content-Type": "application/json; charset=utf-8" }),
    }),
    strictness: { absent: "none", null: "numbers" },
    steps: [
      ["GET /ip_policies?before_id=&limit=", 200, "ip_policy"],
      ['policy = POST /ip_policies {"description":null,"metadata":null}', 201, "ip_policy"],
      ["GET /ip_policies?before_id=<policy>&limit=100", 200, "ip_policy"],
      [
        'PATCH /ip_policies/<policy> {"id":"<policy>","description":"a","metadata":null}',
        200,
        "ip_policy",
        { description: "a", metadata: "" },
      ],
      [
        'PATCH /ip_policies/<policy> {"id":"<policy>","description":null,"metadata":null}',
        200,
        "ip_policy",
        { description: "a" },
      ],
      [
        'rule = POST /ip_policy_rules {"description":null,"metadata":null,"cidr":"10.0.0.0/8","ip_policy_id":"<policy>","action":"allow"}',
        201,
        "ip_policy_rule",
      ],
      [
        'PATCH /ip_policy_rules/<rule> {"id":"<rule>","description":"b","metadata":null,"cidr":null}',
        200,
        "ip_policy_rule",
        { cidr: "10.0.0.0/8" },
      ],
      ['key = POST /api_keys {"description":null,"metadata":null,"owner_id":null}', 201, "api_key"],
      ['PATCH /api_keys/<key> {"id":"<key>","description":null,"metadata":null}', 200, "api_key"],
      [
        'static = POST /backends/static {"description":null,"metadata":null,"address":"a.example:80","tls":null}',
        201,
        "static_backend",
        { tls: { enabled: false } },
      ],
      [
        'PATCH /backends/static/<static> {"id":"<static>","description":"d","metadata":null,"address":null,"tls":null}',
        200,
        "static_backend",
        { address: "a.example:80" },
      ],
      [
        'response = POST /backends/http_response {"description":null,"metadata":null,"body":null,"headers":null,"status_code":0}',
        201,
        "http_response_backend",
        { body: "", headers: {}, status_code: 200 },
      ],
      [
        'PATCH /backends/http_response/<response> {"id":"<response>","description":null,"metadata":null,"body":"gone","headers":null,"status_code":null}',
        200,
        "http_response_backend",
        { status_code: 200 },
      ],
      [
        'POST /backends/tunnel_group {"description":null,"metadata":null,"labels":null}',
        201,
        "tunnel_group_backend",
        { labels: {} },
      ],
      [
        'weighted = POST /backends/weighted {"description":null,"metadata":null,"backends":{"<static>":1}}',
        201,
        "weighted_backend",
      ],
      [
        'PATCH /backends/weighted/<weighted> {"id":"<weighted>","description":null,"metadata":null,"backends":null}',
        200,
        "weighted_backend",
        { backends: { "<static>": 1 } },
      ],
      [
        'failover = POST /backends/failover {"description":null,"metadata":null,"backends":null}',
        201,
        "failover_backend",
        { backends: [] },
      ],
      [
        'edge = POST /edges/https {"description":null,"metadata":null,"hostports":["n.example:443"],"mutual_tls":null,"tls_termination":{"enabled":null,"min_version":null}}',
        201,
        "https_edge",
        { tls_termination: { enabled: true, min_version: null } },
      ],
      [
        'PATCH /edges/https/<edge> {"id":"<edge>","description":null,"metadata":null,"hostports":null,"mutual_tls":null,"tls_termination":null}',
        200,
        "https_edge",
        { hostports: ["n.example:443"], tls_termination: { enabled: true } },
      ],
      [
        'route = POST /edges/https/<edge>/routes {"edge_id":"<edge>","match_type":"exact_path","match":"/","description":null,"metadata":null,"backend":null,"ip_restriction":null,"circuit_breaker":null,"compression":{"enabled":null},"request_headers":null,"response_headers":null,"webhook_verification":null,"oauth":null,"saml":null,"oidc":null,"websocket_tcp_converter":null,"user_agent_filter":null,"traffic_policy":null}',
        201,
        "https_edge_route",
        { compression: { enabled: true } },
      ],
      [
        'PATCH /edges/https/<edge>/routes/<route> {"edge_id":"<edge>","id":"<route>","match_type":null,"match":null,"description":null,"metadata":null,"backend":null,"ip_restriction":null,"circuit_breaker":null,"compression":null,"request_headers":null,"response_headers":null,"webhook_verification":null,"oauth":null,"saml":null,"oidc":null,"websocket_tcp_converter":null,"user_agent_filter":null,"traffic_policy":null}',
        200,
        "https_edge_route",
        { match: "/", compression: { enabled: true } },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/circuit_breaker {"enabled":null,"tripped_duration":0,"rolling_window":0,"num_buckets":0,"volume_threshold":0,"error_threshold_percentage":0.0}',
        200,
        "circuit_breaker",
        {
          enabled: true,
          tripped_duration: 10,
          num_buckets: 10,
          volume_threshold: 20,
          error_threshold_percentage: 0.5,
        },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/request_headers {"edge_id":"<edge>","id":"<route>","enabled":null,"add":null,"remove":null}',
        200,
        "request_headers",
        { add: {}, remove: [] },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/oauth {"enabled":null,"provider":{"github":null,"facebook":null,"microsoft":null,"google":{"client_id":null,"client_secret":null,"scopes":null,"email_addresses":null,"email_domains":null},"linkedin":null,"gitlab":null,"twitch":null,"amazon":null},"options_passthrough":false,"cookie_prefix":null,"inactivity_timeout":0,"maximum_duration":0,"auth_check_interval":0}',
        200,
        "oauth",
        { enabled: true, cookie_prefix: "ngrok.", provider: { google: { email_domains: [] } } },
      ],
      ["DELETE /edges/https/<edge>/routes/<route>/oauth", 204],
      [
        'PUT /edges/https/<edge>/routes/<route>/saml {"enabled":null,"options_passthrough":false,"cookie_prefix":null,"inactivity_timeout":0,"maximum_duration":0,"idp_metadata":"<saml>","force_authn":false,"allow_idp_initiated":null,"authorized_groups":null,"nameid_format":null}',
        200,
        "saml",
        { allow_idp_initiated: true, authorized_groups: [] },
      ],
      [
        'PUT /edges/https/<edge>/routes/<route>/webhook_verification {"enabled":null,"provider":"sns","secret":null}',
        200,
        "webhook_verification",
        { secret: "" },
      ],
      [
        'tls = POST /edges/tls {"description":null,"metadata":null,"hostports":null,"backend":null,"ip_restriction":null,"mutual_tls":null,"tls_termination":null,"traffic_policy":null}',
        201,
        "tls_edge",
      ],
      [
        'PUT /edges/tls/<tls>/tls_termination {"id":"<tls>","enabled":null,"terminate_at":null,"min_version":null}',
        200,
        "tls_termination",
        { enabled: true, terminate_at: "edge" },
      ],
      [
        'PUT /edges/tls/<tls>/tls_termination {"id":"<edge>","terminate_at":"edge"}',
        400,
        null,
        { details: { id: "must be the same as in the path, or absent" } },
      ],
      [
        'tcp = POST /edges/tcp {"description":null,"metadata":null,"hostports":null,"backend":null,"ip_restriction":null,"traffic_policy":null}',
        201,
        "tcp_edge",
        { hostports: [] },
      ],
      [
        'PATCH /edges/tcp/<tcp> {"id":"<tcp>","description":null,"metadata":null,"hostports":null,"backend":{"enabled":null,"backend_id":"<static>"},"ip_restriction":null,"traffic_policy":null}',
        200,
        "tcp_edge",
        { backend: { backend: { id: "<static>" } } },
      ],
      [
        'addr = POST /reserved_addrs {"description":null,"metadata":null,"region":null}',
        201,
        "reserved_addr",
        { region: "us" },
      ],
      [
        'authority = POST /ssh_certificate_authorities {"description":null,"metadata":null,"private_key_type":null,"elliptic_curve":null,"key_size":0}',
        201,
        "ssh_certificate_authority",
      ],
      [
        'certificate = POST /ssh_user_certificates {"ssh_certificate_authority_id":"<authority>","public_key":"<public_key>","principals":null,"critical_options":null,"extensions":null,"valid_after":null,"valid_until":null,"description":null,"metadata":null}',
        201,
        "ssh_user_certificate",
        { principals: [], extensions: { "permit-pty": "", "permit-user-rc": "" } },
      ],
      [
        'PATCH /ssh_user_certificates/<certificate> {"id":"<certificate>","description":null,"metadata":null}',
        200,
        "ssh_user_certificate",
      ],
      [
        'ca = POST /certificate_authorities {"description":null,"metadata":null,"ca_pem":"<pem>"}',
        201,
        "certificate_authority",
      ],
      [
        'configuration = POST /endpoint_configurations {"type":"https","description":null,"metadata":null,"circuit_breaker":null,"compression":null,"request_headers":null,"response_headers":null,"ip_policy":null,"mutual_tls":null,"tls_termination":null,"webhook_validation":null,"oauth":null,"logging":null,"saml":null,"oidc":null}',
        201,
        "endpoint_configuration",
      ],
      [
        'PATCH /endpoint_configurations/<configuration> {"id":"<configuration>","description":null,"metadata":null,"circuit_breaker":null,"compression":{"enabled":true},"request_headers":null,"response_headers":null,"ip_policy":null,"mutual_tls":null,"tls_termination":null,"webhook_validation":null,"oauth":null,"logging":{"enabled":null,"event_stream_ids":null},"saml":null,"oidc":null}',
        200,
        "endpoint_configuration",
        { compression: { enabled: true }, logging: { enabled: true } },
      ],
      ["GET /endpoint_configurations?before_id=&limit=100", 200, "endpoint_configuration"],
      ['POST /ip_policies {"description":0}', 400],
      ['POST /edges/tls {"hostports":[null]}', 400],
    ],
  },
];
