-- CreateTable
CREATE TABLE "agent_ingresses" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "certificate_management_policy" JSON,

    CONSTRAINT "agent_ingresses_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "agent_ingresses_updated_at_id_idx" ON "agent_ingresses"("updated_at", "id");

-- What Prisma cannot say.

-- A domain is that of one ingress, whatever its case.
CREATE UNIQUE INDEX "agent_ingresses_domain_key" ON "agent_ingresses"(lower("domain" COLLATE "C"));

-- Text search: see add_search_columns and add_search_pairs.
ALTER TABLE "agent_ingresses" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || "domain")) STORED;
ALTER TABLE "agent_ingresses" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "agent_ingresses_search_idx" ON "agent_ingresses" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ALTER TABLE "agent_ingresses" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || "domain"))) STORED;
CREATE INDEX "agent_ingresses_search_pairs_idx" ON "agent_ingresses" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

-- Orders: the value as it is compared, then what grows in creation order.
CREATE INDEX "agent_ingresses_description_id_idx" ON "agent_ingresses"(lower("description" COLLATE "C"), "id");
CREATE INDEX "agent_ingresses_domain_id_idx" ON "agent_ingresses"(lower("domain" COLLATE "C"), "id");

-- Finer statistics, so that few changes are known to be few, and looked up rather than come across.
ALTER TABLE "agent_ingresses" ALTER COLUMN "updated_at" SET STATISTICS 1000;
