-- What Prisma cannot say. Statements are told apart by their semicolons, so no function body has one.

-- The pairs of characters that stand side by side in a text, each once: two characters are too few for the index of
-- three in a row. The text is split once, so that it takes linear time.
CREATE FUNCTION "search_pairs"(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1
RETURN ARRAY(
  SELECT DISTINCT ("one" || "next") COLLATE "C"
  FROM (SELECT string_to_array($1, NULL) AS "all" OFFSET 0) AS "characters",
    LATERAL unnest("all"[:cardinality("all") - 1], "all"[2:]) AS "pair"("one", "next")
);

CREATE INDEX "api_keys_search_pairs_idx" ON "api_keys" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "backends_search_pairs_idx" ON "backends" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "certificate_authorities_search_pairs_idx" ON "certificate_authorities" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "endpoint_configurations_search_pairs_idx" ON "endpoint_configurations" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "https_edges_search_pairs_idx" ON "https_edges" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "https_edge_routes_search_pairs_idx" ON "https_edge_routes" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "ip_policies_search_pairs_idx" ON "ip_policies" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "ip_policy_rules_search_pairs_idx" ON "ip_policy_rules" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "reserved_addrs_search_pairs_idx" ON "reserved_addrs" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "ssh_certificate_authorities_search_pairs_idx" ON "ssh_certificate_authorities" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "ssh_user_certificates_search_pairs_idx" ON "ssh_user_certificates" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "tls_edges_search_pairs_idx" ON "tls_edges" USING GIN ("search_pairs"("search_text")) WITH (gin_pending_list_limit = 64);

-- No statistics, for which ANALYZE would make the pairs of all rows again. How frequent a text is, those of the column
-- "search_text" say.
ALTER INDEX "api_keys_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "backends_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "certificate_authorities_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "endpoint_configurations_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "https_edges_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "https_edge_routes_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "ip_policies_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "ip_policy_rules_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "reserved_addrs_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "ssh_certificate_authorities_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "ssh_user_certificates_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX "tls_edges_search_pairs_idx" ALTER COLUMN 1 SET STATISTICS 0;
