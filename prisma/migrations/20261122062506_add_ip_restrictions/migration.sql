-- CreateTable
CREATE TABLE "ip_restrictions" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "enforced" BOOLEAN NOT NULL,

    CONSTRAINT "ip_restrictions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ip_restriction_ip_policies" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "ip_policy_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ip_restriction_ip_policies_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateIndex
CREATE INDEX "ip_restrictions_type_id_idx" ON "ip_restrictions"("type", "id");

-- CreateIndex
CREATE INDEX "ip_restrictions_enforced_id_idx" ON "ip_restrictions"("enforced", "id");

-- CreateIndex
CREATE INDEX "ip_restrictions_updated_at_id_idx" ON "ip_restrictions"("updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ip_restriction_ip_policies_ip_policy_id_owner_id_key" ON "ip_restriction_ip_policies"("ip_policy_id", "owner_id");

-- AddForeignKey
ALTER TABLE "ip_restriction_ip_policies" ADD CONSTRAINT "ip_restriction_ip_policies_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "ip_restrictions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ip_restriction_ip_policies" ADD CONSTRAINT "ip_restriction_ip_policies_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say.

-- Text search: see add_search_columns and add_search_pairs.
ALTER TABLE "ip_restrictions" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata")) STORED;
ALTER TABLE "ip_restrictions" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "ip_restrictions_search_idx" ON "ip_restrictions" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ALTER TABLE "ip_restrictions" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata"))) STORED;
CREATE INDEX "ip_restrictions_search_pairs_idx" ON "ip_restrictions" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

-- Order by description: bytewise, but for the case of ASCII letters.
CREATE INDEX "ip_restrictions_description_id_idx" ON "ip_restrictions"(lower("description" COLLATE "C"), "id");

-- Finer statistics, so that few changes are known to be few, and looked up rather than come across.
ALTER TABLE "ip_restrictions" ALTER COLUMN "updated_at" SET STATISTICS 1000;
