-- What Prisma cannot say. Statements are told apart by their semicolons, so no function body has one.

-- Which characters stand side by side in a text, each pair once, as a number: two characters are too few for the index
-- of three in a row. Pairs of characters beyond Latin may have the same number, so what is found by it is compared
-- again. The text is split once, so that this takes linear time.
CREATE FUNCTION "search_pairs"(text) RETURNS smallint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT DISTINCT ((ascii("one") * 256 + ascii("next")) % 65536 - 32768)::smallint
  FROM unnest(string_to_array($1, NULL), string_to_array(substr($1, 2), NULL)) AS "pair"("one", "next")
  WHERE "next" IS NOT NULL
);

-- They are kept with the row. Otherwise each ANALYZE would make those of all rows again, and so would a search along
-- the order of a list.

ALTER TABLE "api_keys" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "api_keys_search_pairs_idx" ON "api_keys" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "api_keys" ("search_pairs");

ALTER TABLE "backends" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("address", '')))) STORED;
CREATE INDEX "backends_search_pairs_idx" ON "backends" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "backends" ("search_pairs");

ALTER TABLE "certificate_authorities" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "certificate_authorities_search_pairs_idx" ON "certificate_authorities" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "certificate_authorities" ("search_pairs");

ALTER TABLE "endpoint_configurations" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "endpoint_configurations_search_pairs_idx" ON "endpoint_configurations" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "endpoint_configurations" ("search_pairs");

ALTER TABLE "https_edges" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("text_lines"("hostports"), '')))) STORED;
CREATE INDEX "https_edges_search_pairs_idx" ON "https_edges" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "https_edges" ("search_pairs");

ALTER TABLE "https_edge_routes" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "https_edge_routes_search_pairs_idx" ON "https_edge_routes" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "https_edge_routes" ("search_pairs");

ALTER TABLE "ip_policies" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ip_policies_search_pairs_idx" ON "ip_policies" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "ip_policies" ("search_pairs");

ALTER TABLE "ip_policy_rules" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ip_policy_rules_search_pairs_idx" ON "ip_policy_rules" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "ip_policy_rules" ("search_pairs");

ALTER TABLE "reserved_addrs" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || "addr"))) STORED;
CREATE INDEX "reserved_addrs_search_pairs_idx" ON "reserved_addrs" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "reserved_addrs" ("search_pairs");

ALTER TABLE "ssh_certificate_authorities" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ssh_certificate_authorities_search_pairs_idx" ON "ssh_certificate_authorities" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "ssh_certificate_authorities" ("search_pairs");

ALTER TABLE "ssh_user_certificates" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ssh_user_certificates_search_pairs_idx" ON "ssh_user_certificates" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "ssh_user_certificates" ("search_pairs");

ALTER TABLE "tls_edges" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("text_lines"("hostports"), '')))) STORED;
CREATE INDEX "tls_edges_search_pairs_idx" ON "tls_edges" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);
ANALYZE "tls_edges" ("search_pairs");
