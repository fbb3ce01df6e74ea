-- CreateTable
-- Unlogged, since it is written with each request: a database that crashes begins to count anew.
CREATE UNLOGGED TABLE "rate_limits" (
    "name" TEXT COLLATE "C" NOT NULL,
    "requests" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("name")
);
