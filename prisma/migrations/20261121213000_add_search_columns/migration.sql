-- What Prisma cannot say. Statements are told apart by their semicolons, so no function body has one.

-- What text search covers, in lower case, is kept with the row: putting it together again for each row took most of the
-- time where many rows have a text. The index knows three characters in a row. Each line begins with a rune, so that
-- the one or two characters with which a line begins are found by it too. A rune of the text itself is doubled.
CREATE FUNCTION "search_lines"(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT lower(replace(replace(chr(10) || $1, 'ᚠ', 'ᚠᚠ'), chr(10), chr(10) || 'ᚠ')) $$;

DROP INDEX "api_keys_search_idx";
ALTER TABLE "api_keys" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "api_keys" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "api_keys_search_idx" ON "api_keys" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "api_keys" ("search_text");

DROP INDEX "backends_search_idx";
ALTER TABLE "backends" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("address", ''))) STORED;
ALTER TABLE "backends" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "backends_search_idx" ON "backends" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "backends" ("search_text");

DROP INDEX "certificate_authorities_search_idx";
ALTER TABLE "certificate_authorities" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "certificate_authorities" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "certificate_authorities_search_idx" ON "certificate_authorities" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "certificate_authorities" ("search_text");

DROP INDEX "endpoint_configurations_search_idx";
ALTER TABLE "endpoint_configurations" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "endpoint_configurations" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "endpoint_configurations_search_idx" ON "endpoint_configurations" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "endpoint_configurations" ("search_text");

DROP INDEX "https_edges_search_idx";
ALTER TABLE "https_edges" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("text_lines"("hostports"), ''))) STORED;
ALTER TABLE "https_edges" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "https_edges_search_idx" ON "https_edges" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "https_edges" ("search_text");

DROP INDEX "https_edge_routes_search_idx";
ALTER TABLE "https_edge_routes" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "https_edge_routes" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "https_edge_routes_search_idx" ON "https_edge_routes" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "https_edge_routes" ("search_text");

DROP INDEX "ip_policies_search_idx";
ALTER TABLE "ip_policies" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ip_policies" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ip_policies_search_idx" ON "ip_policies" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "ip_policies" ("search_text");

DROP INDEX "ip_policy_rules_search_idx";
ALTER TABLE "ip_policy_rules" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ip_policy_rules" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ip_policy_rules_search_idx" ON "ip_policy_rules" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "ip_policy_rules" ("search_text");

DROP INDEX "reserved_addrs_search_idx";
ALTER TABLE "reserved_addrs" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || "addr")) STORED;
ALTER TABLE "reserved_addrs" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "reserved_addrs_search_idx" ON "reserved_addrs" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "reserved_addrs" ("search_text");

DROP INDEX "ssh_certificate_authorities_search_idx";
ALTER TABLE "ssh_certificate_authorities" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ssh_certificate_authorities" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ssh_certificate_authorities_search_idx" ON "ssh_certificate_authorities" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "ssh_certificate_authorities" ("search_text");

DROP INDEX "ssh_user_certificates_search_idx";
ALTER TABLE "ssh_user_certificates" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ssh_user_certificates" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ssh_user_certificates_search_idx" ON "ssh_user_certificates" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "ssh_user_certificates" ("search_text");

DROP INDEX "tls_edges_search_idx";
ALTER TABLE "tls_edges" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("text_lines"("hostports"), ''))) STORED;
ALTER TABLE "tls_edges" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "tls_edges_search_idx" ON "tls_edges" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ANALYZE "tls_edges" ("search_text");
