-- CreateTable
CREATE TABLE "encryption_keys" (
    "fingerprint" TEXT NOT NULL,
    "sample" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,

    CONSTRAINT "encryption_keys_pkey" PRIMARY KEY ("fingerprint")
);
