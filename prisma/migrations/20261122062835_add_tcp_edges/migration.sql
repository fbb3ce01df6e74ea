-- CreateTable
CREATE TABLE "tcp_edges" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "hostports" TEXT[],
    "backend_enabled" BOOLEAN,
    "backend_id" TEXT COLLATE "C",
    "ip_restriction_enabled" BOOLEAN,
    "traffic_policy" JSON,

    CONSTRAINT "tcp_edges_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tcp_edge_ip_policies" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "ip_policy_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "tcp_edge_ip_policies_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateIndex
CREATE INDEX "tcp_edges_backend_id_id_idx" ON "tcp_edges"("backend_id", "id");

-- CreateIndex
CREATE INDEX "tcp_edges_updated_at_id_idx" ON "tcp_edges"("updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "tcp_edge_ip_policies_ip_policy_id_owner_id_key" ON "tcp_edge_ip_policies"("ip_policy_id", "owner_id");

-- AddForeignKey
ALTER TABLE "tcp_edges" ADD CONSTRAINT "tcp_edges_backend_id_fkey" FOREIGN KEY ("backend_id") REFERENCES "backends"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tcp_edge_ip_policies" ADD CONSTRAINT "tcp_edge_ip_policies_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "tcp_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tcp_edge_ip_policies" ADD CONSTRAINT "tcp_edge_ip_policies_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Which modules a row has: see src/domain/storage/module-words.ts.
ALTER TABLE "tcp_edges" ADD COLUMN "modules" TEXT[] NOT NULL GENERATED ALWAYS AS (array_remove(ARRAY[
  'backend:' || "backend_enabled"::text,
  'ipRestriction:' || "ip_restriction_enabled"::text,
  'trafficPolicy:' || ("traffic_policy" ->> 'enabled'),
  CASE WHEN hashtextextended("id", 0) % 10000 = 0 THEN 'rare' END
], NULL)) STORED;
CREATE INDEX "tcp_edges_modules_idx" ON "tcp_edges" USING GIN ("modules") WITH (gin_pending_list_limit = 64);
ALTER TABLE "tcp_edges" ALTER COLUMN "modules" SET STATISTICS 1000;
ANALYZE "tcp_edges" ("modules");

-- What Prisma cannot say.

-- Text search.
ALTER TABLE "tcp_edges" ADD COLUMN "search_text" TEXT NOT NULL
  GENERATED ALWAYS AS ("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("text_lines"("hostports"), ''))) STORED;
ALTER TABLE "tcp_edges" ALTER COLUMN "search_text" SET STATISTICS 1000;
CREATE INDEX "tcp_edges_search_idx" ON "tcp_edges" USING GIN ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 64);
ALTER TABLE "tcp_edges" ADD COLUMN "search_pairs" SMALLINT[] NOT NULL
  GENERATED ALWAYS AS ("search_pairs"("search_lines"("description" || chr(10) || "metadata" || chr(10) || coalesce("text_lines"("hostports"), '')))) STORED;
CREATE INDEX "tcp_edges_search_pairs_idx" ON "tcp_edges" USING GIN ("search_pairs") WITH (gin_pending_list_limit = 64);

-- Filters: hostports as they are compared.
CREATE INDEX "tcp_edges_hostport_keys_idx" ON "tcp_edges" USING GIN ("hostport_keys"("hostports")) WITH (gin_pending_list_limit = 64);

-- Orders: the value as it is compared, then what grows in creation order.
CREATE INDEX "tcp_edges_description_id_idx" ON "tcp_edges"(lower("description" COLLATE "C"), "id");
CREATE INDEX "tcp_edges_hostport_id_idx" ON "tcp_edges"(coalesce("hostport_key"("hostports"[1]), '') COLLATE "C", "id");

-- Finer statistics, so that few changes are known to be few, and looked up rather than come across.
ALTER TABLE "tcp_edges" ALTER COLUMN "updated_at" SET STATISTICS 1000;
