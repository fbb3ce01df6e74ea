-- CreateTable
CREATE TABLE "tls_certificates" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "certificate_pem" TEXT NOT NULL,
    "sealed_private_key" TEXT NOT NULL,
    "private_key_type" TEXT NOT NULL,
    "subject_common_name" TEXT NOT NULL,
    "subject_organization" TEXT NOT NULL,
    "subject_organizational_unit" TEXT NOT NULL,
    "subject_locality" TEXT NOT NULL,
    "subject_province" TEXT NOT NULL,
    "subject_country" TEXT NOT NULL,
    "dns_names" TEXT[],
    "ips" TEXT[],
    "issuer_common_name" TEXT NOT NULL,
    "serial_number" TEXT NOT NULL,
    "not_before" TIMESTAMPTZ(0) NOT NULL,
    "not_after" TIMESTAMPTZ(0) NOT NULL,
    "key_usages" TEXT[],
    "extended_key_usages" TEXT[],

    CONSTRAINT "tls_certificates_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "tls_certificates_not_after_id_idx" ON "tls_certificates"("not_after", "id");

-- CreateIndex
CREATE INDEX "tls_certificates_updated_at_id_idx" ON "tls_certificates"("updated_at", "id");

-- What Prisma cannot say. Statements are told apart by their semicolons, so no function body has one.

-- The DNS names of a certificate as they are compared. What is longer than a DNS name can be is none, and would not fit
-- into the index.
CREATE FUNCTION "dns_name_keys"(text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT lower("name" COLLATE "C") FROM unnest($1) AS "given"("name") WHERE length("name") <= 253);

CREATE INDEX "tls_certificates_dns_name_keys_idx" ON "tls_certificates" USING GIN ("dns_name_keys"("dns_names")) WITH (gin_pending_list_limit = 64);

CREATE INDEX "tls_certificates_description_id_idx" ON "tls_certificates"(lower("description" COLLATE "C"), "id");

ALTER TABLE "tls_certificates" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || "subject_common_name" || chr(10) || coalesce("text_lines"("dns_names"), ''))) STORED;
ALTER TABLE "tls_certificates" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "tls_certificates_search_idx" ON "tls_certificates" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);

ALTER TABLE "tls_certificates" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || "subject_common_name" || chr(10) || coalesce("text_lines"("dns_names"), '')))) STORED;
CREATE INDEX "tls_certificates_search_pairs_idx" ON "tls_certificates" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

ALTER TABLE "tls_certificates" ALTER COLUMN "updated_at" SET STATISTICS 1000;
