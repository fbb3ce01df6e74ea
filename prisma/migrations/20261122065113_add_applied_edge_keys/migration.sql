-- AlterTable
ALTER TABLE "applied_keys" ADD COLUMN     "tcp_edge_id" TEXT COLLATE "C",
ADD COLUMN     "tls_edge_id" TEXT COLLATE "C";

-- CreateIndex
CREATE UNIQUE INDEX "applied_keys_tls_edge_id_key" ON "applied_keys"("tls_edge_id");

-- CreateIndex
CREATE UNIQUE INDEX "applied_keys_tcp_edge_id_key" ON "applied_keys"("tcp_edge_id");

-- AddForeignKey
ALTER TABLE "applied_keys" ADD CONSTRAINT "applied_keys_tls_edge_id_fkey" FOREIGN KEY ("tls_edge_id") REFERENCES "tls_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "applied_keys" ADD CONSTRAINT "applied_keys_tcp_edge_id_fkey" FOREIGN KEY ("tcp_edge_id") REFERENCES "tcp_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;
