-- CreateTable
CREATE TABLE "installations" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "installations_pkey" PRIMARY KEY ("id")
);

-- Made once for each database, and never changed. An installation is as old as its first migration.
INSERT INTO "installations" ("id", "created_at")
SELECT gen_random_uuid()::text, coalesce(min("started_at"), now()) FROM "_prisma_migrations";
