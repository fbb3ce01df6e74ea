-- Adds to each count what it lacks: deletes beside changes of what belonged to the deleted used to count it twice.
-- One statement, since it sees of every change either both its rows and its counts or neither.
INSERT INTO "tallies" ("name", "slot", "count")
SELECT name, 0, sum(count)::bigint FROM (
  SELECT name, count(*) AS count FROM (
    SELECT 'apiKey' AS name FROM "api_keys"
    UNION ALL SELECT 'certificateAuthority' AS name FROM "certificate_authorities"
    UNION ALL SELECT 'endpointConfiguration' AS name FROM "endpoint_configurations"
    UNION ALL SELECT 'httpsEdge' AS name FROM "https_edges"
    UNION ALL SELECT 'httpsEdgeRoute' AS name FROM "https_edge_routes"
    UNION ALL SELECT 'tlsEdge' AS name FROM "tls_edges"
    UNION ALL SELECT 'ipPolicy' AS name FROM "ip_policies"
    UNION ALL SELECT 'ipPolicyRule' AS name FROM "ip_policy_rules"
    UNION ALL SELECT 'reservedAddr' AS name FROM "reserved_addrs"
    UNION ALL SELECT 'sshCertificateAuthority' AS name FROM "ssh_certificate_authorities"
    UNION ALL SELECT 'sshUserCertificate' AS name FROM "ssh_user_certificates"
    UNION ALL SELECT CASE kind
        WHEN 'failover' THEN 'failoverBackend' WHEN 'http_response' THEN 'httpResponseBackend'
        WHEN 'static' THEN 'staticBackend' WHEN 'tunnel_group' THEN 'tunnelGroupBackend'
        ELSE 'weightedBackend' END FROM "backends"
    UNION ALL SELECT CASE WHEN "mutual_tls_enabled" THEN 'httpsEdge.mutualTls.enabled' ELSE 'httpsEdge.mutualTls.disabled' END FROM "https_edges" WHERE "mutual_tls_enabled" IS NOT NULL
    UNION ALL SELECT CASE WHEN "backend_enabled" THEN 'tlsEdge.backend.enabled' ELSE 'tlsEdge.backend.disabled' END FROM "tls_edges" WHERE "backend_enabled" IS NOT NULL
    UNION ALL SELECT CASE WHEN "ip_restriction_enabled" THEN 'tlsEdge.ipRestriction.enabled' ELSE 'tlsEdge.ipRestriction.disabled' END FROM "tls_edges" WHERE "ip_restriction_enabled" IS NOT NULL
    UNION ALL SELECT CASE WHEN "mutual_tls_enabled" THEN 'tlsEdge.mutualTls.enabled' ELSE 'tlsEdge.mutualTls.disabled' END FROM "tls_edges" WHERE "mutual_tls_enabled" IS NOT NULL
    UNION ALL SELECT CASE WHEN "backend_enabled" THEN 'httpsEdgeRoute.backend.enabled' ELSE 'httpsEdgeRoute.backend.disabled' END FROM "https_edge_routes" WHERE "backend_enabled" IS NOT NULL
    UNION ALL SELECT CASE WHEN "ip_restriction_enabled" THEN 'httpsEdgeRoute.ipRestriction.enabled' ELSE 'httpsEdgeRoute.ipRestriction.disabled' END FROM "https_edge_routes" WHERE "ip_restriction_enabled" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("tls_termination" ->> 'enabled')::boolean THEN 'httpsEdge.tlsTermination.enabled' ELSE 'httpsEdge.tlsTermination.disabled' END FROM "https_edges" WHERE "tls_termination" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("tls_termination" ->> 'enabled')::boolean THEN 'tlsEdge.tlsTermination.enabled' ELSE 'tlsEdge.tlsTermination.disabled' END FROM "tls_edges" WHERE "tls_termination" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("traffic_policy" ->> 'enabled')::boolean THEN 'tlsEdge.trafficPolicy.enabled' ELSE 'tlsEdge.trafficPolicy.disabled' END FROM "tls_edges" WHERE "traffic_policy" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("circuit_breaker" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.circuitBreaker.enabled' ELSE 'httpsEdgeRoute.circuitBreaker.disabled' END FROM "https_edge_routes" WHERE "circuit_breaker" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("compression" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.compression.enabled' ELSE 'httpsEdgeRoute.compression.disabled' END FROM "https_edge_routes" WHERE "compression" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("request_headers" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.requestHeaders.enabled' ELSE 'httpsEdgeRoute.requestHeaders.disabled' END FROM "https_edge_routes" WHERE "request_headers" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("response_headers" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.responseHeaders.enabled' ELSE 'httpsEdgeRoute.responseHeaders.disabled' END FROM "https_edge_routes" WHERE "response_headers" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("webhook_verification" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.webhookVerification.enabled' ELSE 'httpsEdgeRoute.webhookVerification.disabled' END FROM "https_edge_routes" WHERE "webhook_verification" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("oauth" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.oauth.enabled' ELSE 'httpsEdgeRoute.oauth.disabled' END FROM "https_edge_routes" WHERE "oauth" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("saml" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.saml.enabled' ELSE 'httpsEdgeRoute.saml.disabled' END FROM "https_edge_routes" WHERE "saml" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("oidc" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.oidc.enabled' ELSE 'httpsEdgeRoute.oidc.disabled' END FROM "https_edge_routes" WHERE "oidc" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("websocket_tcp_converter" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.websocketTcpConverter.enabled' ELSE 'httpsEdgeRoute.websocketTcpConverter.disabled' END FROM "https_edge_routes" WHERE "websocket_tcp_converter" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("user_agent_filter" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.userAgentFilter.enabled' ELSE 'httpsEdgeRoute.userAgentFilter.disabled' END FROM "https_edge_routes" WHERE "user_agent_filter" IS NOT NULL
    UNION ALL SELECT CASE WHEN ("traffic_policy" ->> 'enabled')::boolean THEN 'httpsEdgeRoute.trafficPolicy.enabled' ELSE 'httpsEdgeRoute.trafficPolicy.disabled' END FROM "https_edge_routes" WHERE "traffic_policy" IS NOT NULL
  ) AS counted GROUP BY name
  UNION ALL SELECT "name", -"count" FROM "tallies"
) AS differing GROUP BY name HAVING sum(count) <> 0 ORDER BY name COLLATE "C"
ON CONFLICT ("name", "slot") DO UPDATE SET "count" = "tallies"."count" + excluded."count";
