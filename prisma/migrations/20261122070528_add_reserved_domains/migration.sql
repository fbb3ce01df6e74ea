-- CreateTable
CREATE TABLE "reserved_domains" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "region" TEXT,
    "error_redirect_url" TEXT NOT NULL,
    "resolves_to" JSON NOT NULL,
    "certificate_management_policy" JSON,
    "certificate_id" TEXT COLLATE "C",
    "http_endpoint_configuration_id" TEXT COLLATE "C",
    "https_endpoint_configuration_id" TEXT COLLATE "C",

    CONSTRAINT "reserved_domains_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "reserved_domains_certificate_id_id_idx" ON "reserved_domains"("certificate_id", "id");

-- CreateIndex
CREATE INDEX "reserved_domains_http_endpoint_configuration_id_id_idx" ON "reserved_domains"("http_endpoint_configuration_id", "id");

-- CreateIndex
CREATE INDEX "reserved_domains_https_endpoint_configuration_id_id_idx" ON "reserved_domains"("https_endpoint_configuration_id", "id");

-- CreateIndex
CREATE INDEX "reserved_domains_region_id_idx" ON "reserved_domains"("region", "id");

-- CreateIndex
CREATE INDEX "reserved_domains_updated_at_id_idx" ON "reserved_domains"("updated_at", "id");

-- AddForeignKey
ALTER TABLE "reserved_domains" ADD CONSTRAINT "reserved_domains_certificate_id_fkey" FOREIGN KEY ("certificate_id") REFERENCES "tls_certificates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reserved_domains" ADD CONSTRAINT "reserved_domains_http_endpoint_configuration_id_fkey" FOREIGN KEY ("http_endpoint_configuration_id") REFERENCES "endpoint_configurations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reserved_domains" ADD CONSTRAINT "reserved_domains_https_endpoint_configuration_id_fkey" FOREIGN KEY ("https_endpoint_configuration_id") REFERENCES "endpoint_configurations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say.

-- A domain is reserved once, whatever its case.
CREATE UNIQUE INDEX "reserved_domains_domain_key" ON "reserved_domains"(lower("domain" COLLATE "C"));

-- Text search: see add_search_columns and add_search_pairs.
ALTER TABLE "reserved_domains" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || "domain")) STORED;
ALTER TABLE "reserved_domains" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "reserved_domains_search_idx" ON "reserved_domains" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ALTER TABLE "reserved_domains" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || "domain"))) STORED;
CREATE INDEX "reserved_domains_search_pairs_idx" ON "reserved_domains" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

-- Orders: the value as it is compared, then what grows in creation order.
CREATE INDEX "reserved_domains_description_id_idx" ON "reserved_domains"(lower("description" COLLATE "C"), "id");
CREATE INDEX "reserved_domains_domain_id_idx" ON "reserved_domains"(lower("domain" COLLATE "C"), "id");

-- Finer statistics, so that few changes are known to be few, and looked up rather than come across.
ALTER TABLE "reserved_domains" ALTER COLUMN "updated_at" SET STATISTICS 1000;

-- TLS certificates can be used from now on: none of those that are there is.
INSERT INTO "possibly_unused" ("id") SELECT "id" FROM "tls_certificates" ON CONFLICT ("id") DO NOTHING;
ANALYZE "possibly_unused";
