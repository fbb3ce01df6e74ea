-- CreateTable
CREATE TABLE "ssh_host_certificates" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "key_type" TEXT NOT NULL,
    "principals" TEXT[],
    "valid_after" TIMESTAMPTZ(0) NOT NULL,
    "valid_until" TIMESTAMPTZ(0) NOT NULL,
    "certificate" TEXT NOT NULL,
    "ssh_certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ssh_host_certificates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ssh_serials" (
    "id" TEXT COLLATE "C" NOT NULL,
    "serial" BIGINT NOT NULL,
    "valid_until" TIMESTAMPTZ(0) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "ssh_certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ssh_serials_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ssh_host_certificates_ssh_certificate_authority_id_id_idx" ON "ssh_host_certificates"("ssh_certificate_authority_id", "id");

-- CreateIndex
CREATE INDEX "ssh_host_certificates_key_type_id_idx" ON "ssh_host_certificates"("key_type", "id");

-- CreateIndex
CREATE INDEX "ssh_host_certificates_principals_idx" ON "ssh_host_certificates" USING GIN ("principals");

-- CreateIndex
CREATE INDEX "ssh_host_certificates_valid_until_id_idx" ON "ssh_host_certificates"("valid_until", "id");

-- CreateIndex
CREATE INDEX "ssh_host_certificates_updated_at_id_idx" ON "ssh_host_certificates"("updated_at", "id");

-- CreateIndex
CREATE INDEX "ssh_serials_ssh_certificate_authority_id_revoked_at_idx" ON "ssh_serials"("ssh_certificate_authority_id", "revoked_at");

-- CreateIndex
CREATE UNIQUE INDEX "ssh_serials_ssh_certificate_authority_id_serial_key" ON "ssh_serials"("ssh_certificate_authority_id", "serial");

-- AddForeignKey
ALTER TABLE "ssh_host_certificates" ADD CONSTRAINT "ssh_host_certificates_ssh_certificate_authority_id_fkey" FOREIGN KEY ("ssh_certificate_authority_id") REFERENCES "ssh_certificate_authorities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ssh_serials" ADD CONSTRAINT "ssh_serials_ssh_certificate_authority_id_fkey" FOREIGN KEY ("ssh_certificate_authority_id") REFERENCES "ssh_certificate_authorities"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say. Every certificate keeps its serial, and deleted ones stay revoked.
INSERT INTO "ssh_serials" ("id", "serial", "valid_until", "revoked_at", "ssh_certificate_authority_id")
SELECT "id", "serial", "valid_until", "revoked_at", "ssh_certificate_authority_id" FROM "revoked_ssh_certificates"
UNION ALL
SELECT "id", "serial", "valid_until", NULL, "ssh_certificate_authority_id" FROM "ssh_user_certificates";

-- DropForeignKey
ALTER TABLE "revoked_ssh_certificates" DROP CONSTRAINT "revoked_ssh_certificates_ssh_certificate_authority_id_fkey";

-- DropIndex
DROP INDEX "ssh_user_certificates_ssh_certificate_authority_id_serial_key";

-- AlterTable
ALTER TABLE "ssh_user_certificates" DROP COLUMN "serial";

-- DropTable
DROP TABLE "revoked_ssh_certificates";

-- What is made of other columns, and the indexes that Prisma cannot say: see the migrations of the other tables.
ALTER TABLE "ssh_host_certificates" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ssh_host_certificates" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ssh_host_certificates_search_idx" ON "ssh_host_certificates" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);

ALTER TABLE "ssh_host_certificates" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ssh_host_certificates_search_pairs_idx" ON "ssh_host_certificates" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

CREATE INDEX "ssh_host_certificates_description_id_idx" ON "ssh_host_certificates"(lower("description" COLLATE "C"), "id");
CREATE INDEX "ssh_host_certificates_validity_idx" ON "ssh_host_certificates" USING GIST (
  tstzrange("valid_after", greatest("valid_after", "valid_until"))
);
ALTER INDEX "ssh_host_certificates_principals_idx" SET (gin_pending_list_limit = 64);
ALTER TABLE "ssh_host_certificates" ALTER COLUMN "updated_at" SET STATISTICS 1000;
