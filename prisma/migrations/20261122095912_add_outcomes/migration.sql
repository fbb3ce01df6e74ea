-- CreateTable
CREATE TABLE "outcomes" (
    "id" TEXT COLLATE "C" NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "outcomes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "outcomes_created_at_idx" ON "outcomes"("created_at");
