-- CreateIndex
CREATE INDEX "changes_actor_id_horizon_id_idx" ON "changes"("actor_id", "horizon", "id");
