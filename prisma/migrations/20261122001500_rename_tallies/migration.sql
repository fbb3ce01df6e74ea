-- The table has the word that the code and the documents have.
ALTER TABLE "tallies" RENAME TO "counts";
ALTER TABLE "counts" RENAME CONSTRAINT "tallies_pkey" TO "counts_pkey";
