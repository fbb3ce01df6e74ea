-- CreateTable
CREATE TABLE "ssh_credentials" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "key_type" TEXT NOT NULL,
    "acl" TEXT[],
    "owner_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ssh_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ssh_credentials_owner_id_id_idx" ON "ssh_credentials"("owner_id", "id");

-- CreateIndex
CREATE INDEX "ssh_credentials_key_type_id_idx" ON "ssh_credentials"("key_type", "id");

-- CreateIndex
CREATE INDEX "ssh_credentials_acl_idx" ON "ssh_credentials" USING GIN ("acl");

-- CreateIndex
CREATE INDEX "ssh_credentials_updated_at_id_idx" ON "ssh_credentials"("updated_at", "id");

-- What Prisma cannot say: what is made of other columns, and indexes. See the migrations of the other tables.
ALTER TABLE "ssh_credentials" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ssh_credentials" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ssh_credentials_search_idx" ON "ssh_credentials" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);

ALTER TABLE "ssh_credentials" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ssh_credentials_search_pairs_idx" ON "ssh_credentials" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

CREATE INDEX "ssh_credentials_description_id_idx" ON "ssh_credentials"(lower("description" COLLATE "C"), "id");
ALTER INDEX "ssh_credentials_acl_idx" SET (gin_pending_list_limit = 64);
ALTER TABLE "ssh_credentials" ALTER COLUMN "updated_at" SET STATISTICS 1000;
