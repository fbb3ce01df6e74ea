-- DropIndex
DROP INDEX "certificate_authorities_not_after_idx";

-- DropIndex
DROP INDEX "ssh_user_certificates_valid_until_idx";

-- DropIndex
DROP INDEX "https_edges_hostports_idx";

-- DropIndex
DROP INDEX "tls_edges_hostports_idx";

-- CreateIndex
CREATE INDEX "api_keys_updated_at_id_idx" ON "api_keys"("updated_at", "id");

-- CreateIndex
CREATE INDEX "certificate_authorities_not_after_id_idx" ON "certificate_authorities"("not_after", "id");

-- CreateIndex
CREATE INDEX "certificate_authorities_updated_at_id_idx" ON "certificate_authorities"("updated_at", "id");

-- CreateIndex
CREATE INDEX "ip_policies_updated_at_id_idx" ON "ip_policies"("updated_at", "id");

-- CreateIndex
CREATE INDEX "ip_policy_rules_updated_at_id_idx" ON "ip_policy_rules"("updated_at", "id");

-- CreateIndex
CREATE INDEX "endpoint_configurations_updated_at_id_idx" ON "endpoint_configurations"("updated_at", "id");

-- CreateIndex
CREATE INDEX "reserved_addrs_updated_at_id_idx" ON "reserved_addrs"("updated_at", "id");

-- CreateIndex
CREATE INDEX "ssh_certificate_authorities_updated_at_id_idx" ON "ssh_certificate_authorities"("updated_at", "id");

-- CreateIndex
CREATE INDEX "ssh_user_certificates_valid_until_id_idx" ON "ssh_user_certificates"("valid_until", "id");

-- CreateIndex
CREATE INDEX "ssh_user_certificates_updated_at_id_idx" ON "ssh_user_certificates"("updated_at", "id");

-- CreateIndex
CREATE INDEX "https_edges_updated_at_id_idx" ON "https_edges"("updated_at", "id");

-- CreateIndex
CREATE INDEX "https_edge_routes_updated_at_id_idx" ON "https_edge_routes"("updated_at", "id");

-- CreateIndex
CREATE INDEX "tls_edges_updated_at_id_idx" ON "tls_edges"("updated_at", "id");

-- What Prisma cannot say.

-- Orders: the value as it is compared, then what grows in creation order.
CREATE INDEX "https_edges_hostport_id_idx" ON "https_edges"(coalesce("hostport_key"("hostports"[1]), '') COLLATE "C", "id");
CREATE INDEX "tls_edges_hostport_id_idx" ON "tls_edges"(coalesce("hostport_key"("hostports"[1]), '') COLLATE "C", "id");
CREATE INDEX "https_edge_routes_match_key_id_idx" ON "https_edge_routes"("match_key"("match") COLLATE "C", "id");
CREATE INDEX "ip_policy_rules_network_id_idx" ON "ip_policy_rules"(("cidr"::inet), "id");
CREATE INDEX "reserved_addrs_addr_key_id_idx" ON "reserved_addrs"("hostport_key"("addr") COLLATE "C", "id");

-- Backends of all kinds are one list, and those of each kind are another. A list of a kind that is rare, or whose rows
-- stand together at one end of the common order, would read the whole of an index that has all of them.
DROP INDEX "backends_description_id_idx";
CREATE INDEX "backends_description_ksuid_idx" ON "backends"(lower("description" COLLATE "C"), right("id", 27));
CREATE INDEX "backends_kind_description_ksuid_idx" ON "backends"("kind", lower("description" COLLATE "C"), right("id", 27));
CREATE INDEX "backends_updated_at_ksuid_idx" ON "backends"("updated_at", right("id", 27));
CREATE INDEX "backends_kind_updated_at_ksuid_idx" ON "backends"("kind", "updated_at", right("id", 27));
CREATE INDEX "backends_kind_address_ksuid_idx" ON "backends"("kind", "hostport_key"("address") COLLATE "C", right("id", 27));

-- Finer statistics, so that few changes are known to be few, and looked up rather than come across.
ALTER TABLE "api_keys" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "backends" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "certificate_authorities" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "endpoint_configurations" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "https_edges" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "https_edge_routes" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "ip_policies" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "ip_policy_rules" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "reserved_addrs" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "ssh_certificate_authorities" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "ssh_user_certificates" ALTER COLUMN "updated_at" SET STATISTICS 1000;
ALTER TABLE "tls_edges" ALTER COLUMN "updated_at" SET STATISTICS 1000;

-- Nothing else would look at what these are on soon.
ANALYZE "api_keys";
ANALYZE "backends";
ANALYZE "certificate_authorities";
ANALYZE "endpoint_configurations";
ANALYZE "https_edges";
ANALYZE "https_edge_routes";
ANALYZE "ip_policies";
ANALYZE "ip_policy_rules";
ANALYZE "reserved_addrs";
ANALYZE "ssh_certificate_authorities";
ANALYZE "ssh_user_certificates";
ANALYZE "tls_edges";
