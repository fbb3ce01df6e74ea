-- CreateTable
CREATE TABLE "applied_keys" (
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "backend_id" TEXT COLLATE "C",
    "https_edge_id" TEXT COLLATE "C",
    "ip_policy_id" TEXT COLLATE "C",

    CONSTRAINT "applied_keys_pkey" PRIMARY KEY ("kind","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "applied_keys_backend_id_key" ON "applied_keys"("backend_id");

-- CreateIndex
CREATE UNIQUE INDEX "applied_keys_https_edge_id_key" ON "applied_keys"("https_edge_id");

-- CreateIndex
CREATE UNIQUE INDEX "applied_keys_ip_policy_id_key" ON "applied_keys"("ip_policy_id");

-- AddForeignKey
ALTER TABLE "applied_keys" ADD CONSTRAINT "applied_keys_backend_id_fkey" FOREIGN KEY ("backend_id") REFERENCES "backends"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "applied_keys" ADD CONSTRAINT "applied_keys_https_edge_id_fkey" FOREIGN KEY ("https_edge_id") REFERENCES "https_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "applied_keys" ADD CONSTRAINT "applied_keys_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE CASCADE ON UPDATE CASCADE;
