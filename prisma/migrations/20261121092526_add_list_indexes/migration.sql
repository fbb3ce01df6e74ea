-- For indexes of substrings. First, so that nothing is half done where the role may not create extensions.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateIndex
CREATE INDEX "api_keys_scope_id_idx" ON "api_keys"("scope", "id");

-- CreateIndex
CREATE INDEX "certificate_authorities_not_after_idx" ON "certificate_authorities"("not_after");

-- CreateIndex
CREATE INDEX "ip_policy_rules_cidr_idx" ON "ip_policy_rules"("cidr");

-- CreateIndex
CREATE INDEX "ip_policy_rules_action_id_idx" ON "ip_policy_rules"("action", "id");

-- CreateIndex
CREATE INDEX "reserved_addrs_region_id_idx" ON "reserved_addrs"("region", "id");

-- CreateIndex
CREATE INDEX "ssh_user_certificates_key_type_id_idx" ON "ssh_user_certificates"("key_type", "id");

-- CreateIndex
CREATE INDEX "ssh_user_certificates_principals_idx" ON "ssh_user_certificates" USING GIN ("principals");

-- CreateIndex
CREATE INDEX "ssh_user_certificates_valid_until_idx" ON "ssh_user_certificates"("valid_until");

-- CreateIndex
CREATE INDEX "https_edges_hostports_idx" ON "https_edges" USING GIN ("hostports");

-- CreateIndex
CREATE INDEX "tls_edges_hostports_idx" ON "tls_edges" USING GIN ("hostports");

-- What Prisma cannot say. Statements are told apart by their semicolons, so no function body has one.

-- Text search: substrings, whatever their case. array_to_string is not immutable, since it is for elements of any type. For texts it is.
CREATE FUNCTION "text_lines"(text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT array_to_string($1, chr(10)) $$;

CREATE INDEX "api_keys_search_idx" ON "api_keys" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "backends_search_idx" ON "backends" USING GIN ((chr(10) || "description" || chr(10) || "metadata" || chr(10) || coalesce("address", '')) gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "certificate_authorities_search_idx" ON "certificate_authorities" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "endpoint_configurations_search_idx" ON "endpoint_configurations" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "https_edges_search_idx" ON "https_edges" USING GIN ((chr(10) || "description" || chr(10) || "metadata" || chr(10) || "text_lines"("hostports")) gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "https_edge_routes_search_idx" ON "https_edge_routes" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "ip_policies_search_idx" ON "ip_policies" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "ip_policy_rules_search_idx" ON "ip_policy_rules" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "reserved_addrs_search_idx" ON "reserved_addrs" USING GIN ((chr(10) || "description" || chr(10) || "metadata" || chr(10) || "addr") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "ssh_certificate_authorities_search_idx" ON "ssh_certificate_authorities" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "ssh_user_certificates_search_idx" ON "ssh_user_certificates" USING GIN ((chr(10) || "description" || chr(10) || "metadata") gin_trgm_ops) WITH (gin_pending_list_limit = 64);

CREATE INDEX "tls_edges_search_idx" ON "tls_edges" USING GIN ((chr(10) || "description" || chr(10) || "metadata" || chr(10) || "text_lines"("hostports")) gin_trgm_ops) WITH (gin_pending_list_limit = 64);

-- Finer statistics, so that a rare text is known to be rare, and looked up rather than come across.
ALTER INDEX "api_keys_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "backends_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "certificate_authorities_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "endpoint_configurations_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "https_edges_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "https_edge_routes_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "ip_policies_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "ip_policy_rules_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "reserved_addrs_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "ssh_certificate_authorities_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "ssh_user_certificates_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;
ALTER INDEX "tls_edges_search_idx" ALTER COLUMN 1 SET STATISTICS 1000;

-- Order by description: bytewise, but for the case of ASCII letters.
CREATE INDEX "api_keys_description_id_idx" ON "api_keys"(lower("description" COLLATE "C"), "id");
CREATE INDEX "backends_description_id_idx" ON "backends"(lower("description" COLLATE "C"), "id");
CREATE INDEX "certificate_authorities_description_id_idx" ON "certificate_authorities"(lower("description" COLLATE "C"), "id");
CREATE INDEX "endpoint_configurations_description_id_idx" ON "endpoint_configurations"(lower("description" COLLATE "C"), "id");
CREATE INDEX "https_edges_description_id_idx" ON "https_edges"(lower("description" COLLATE "C"), "id");
CREATE INDEX "https_edge_routes_description_id_idx" ON "https_edge_routes"(lower("description" COLLATE "C"), "id");
CREATE INDEX "ip_policies_description_id_idx" ON "ip_policies"(lower("description" COLLATE "C"), "id");
CREATE INDEX "ip_policy_rules_description_id_idx" ON "ip_policy_rules"(lower("description" COLLATE "C"), "id");
CREATE INDEX "reserved_addrs_description_id_idx" ON "reserved_addrs"(lower("description" COLLATE "C"), "id");
CREATE INDEX "ssh_certificate_authorities_description_id_idx" ON "ssh_certificate_authorities"(lower("description" COLLATE "C"), "id");
CREATE INDEX "ssh_user_certificates_description_id_idx" ON "ssh_user_certificates"(lower("description" COLLATE "C"), "id");
CREATE INDEX "tls_edges_description_id_idx" ON "tls_edges"(lower("description" COLLATE "C"), "id");

-- Backends of all kinds in creation order: by what their ids have after the prefix. Those of one kind have one
-- prefix, so the primary key has them together and in order.
CREATE INDEX "backends_ksuid_idx" ON "backends"(right("id", 27));
DROP INDEX "backends_kind_id_idx";

-- Which modules an owner has, and whether they are enabled, such as {compression:true,oauth:false}.
CREATE FUNCTION "https_edge_modules"(
  mutual_tls boolean,
  tls_termination json
) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT array_remove(ARRAY[
  CASE WHEN $1 THEN 'mutualTls:true' WHEN NOT $1 THEN 'mutualTls:false' END,
  'tlsTermination:' || ($2 ->> 'enabled')
], NULL) $$;

CREATE FUNCTION "https_edge_route_modules"(
  backend boolean,
  ip_restriction boolean,
  circuit_breaker json,
  compression json,
  request_headers json,
  response_headers json,
  webhook_verification json,
  oauth json,
  saml json,
  oidc json,
  websocket_tcp_converter json,
  user_agent_filter json,
  traffic_policy json
) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT array_remove(ARRAY[
  CASE WHEN $1 THEN 'backend:true' WHEN NOT $1 THEN 'backend:false' END,
  CASE WHEN $2 THEN 'ipRestriction:true' WHEN NOT $2 THEN 'ipRestriction:false' END,
  'circuitBreaker:' || ($3 ->> 'enabled'),
  'compression:' || ($4 ->> 'enabled'),
  'requestHeaders:' || ($5 ->> 'enabled'),
  'responseHeaders:' || ($6 ->> 'enabled'),
  'webhookVerification:' || ($7 ->> 'enabled'),
  'oauth:' || ($8 ->> 'enabled'),
  'saml:' || ($9 ->> 'enabled'),
  'oidc:' || ($10 ->> 'enabled'),
  'websocketTcpConverter:' || ($11 ->> 'enabled'),
  'userAgentFilter:' || ($12 ->> 'enabled'),
  'trafficPolicy:' || ($13 ->> 'enabled')
], NULL) $$;

CREATE FUNCTION "tls_edge_modules"(
  backend boolean,
  ip_restriction boolean,
  mutual_tls boolean,
  tls_termination json,
  traffic_policy json
) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT array_remove(ARRAY[
  CASE WHEN $1 THEN 'backend:true' WHEN NOT $1 THEN 'backend:false' END,
  CASE WHEN $2 THEN 'ipRestriction:true' WHEN NOT $2 THEN 'ipRestriction:false' END,
  CASE WHEN $3 THEN 'mutualTls:true' WHEN NOT $3 THEN 'mutualTls:false' END,
  'tlsTermination:' || ($4 ->> 'enabled'),
  'trafficPolicy:' || ($5 ->> 'enabled')
], NULL) $$;

CREATE INDEX "https_edges_modules_idx" ON "https_edges" USING GIN (
  "https_edge_modules"("mutual_tls_enabled", "tls_termination")
) WITH (gin_pending_list_limit = 64);

CREATE INDEX "https_edge_routes_modules_idx" ON "https_edge_routes" USING GIN (
  "https_edge_route_modules"(
    "backend_enabled", "ip_restriction_enabled", "circuit_breaker", "compression", "request_headers",
    "response_headers", "webhook_verification", "oauth", "saml", "oidc", "websocket_tcp_converter",
    "user_agent_filter", "traffic_policy"
  )
) WITH (gin_pending_list_limit = 64);

CREATE INDEX "tls_edges_modules_idx" ON "tls_edges" USING GIN (
  "tls_edge_modules"(
    "backend_enabled", "ip_restriction_enabled", "mutual_tls_enabled", "tls_termination", "traffic_policy"
  )
) WITH (gin_pending_list_limit = 64);

-- Routes by their match, exact or by its beginning.
CREATE INDEX "https_edge_routes_match_idx" ON "https_edge_routes"("match_type", "match" text_pattern_ops);

-- Certificates that are valid at a time. No row is refused for a validity that is none.
CREATE INDEX "ssh_user_certificates_validity_idx" ON "ssh_user_certificates" USING GIST (
  tstzrange("valid_after", greatest("valid_after", "valid_until"))
);

-- What waits to be put into an index of this kind is read by every search: few kilobytes, in place of megabytes.
ALTER INDEX "https_edges_hostports_idx" SET (gin_pending_list_limit = 64);
ALTER INDEX "tls_edges_hostports_idx" SET (gin_pending_list_limit = 64);
ALTER INDEX "ssh_user_certificates_principals_idx" SET (gin_pending_list_limit = 64);
