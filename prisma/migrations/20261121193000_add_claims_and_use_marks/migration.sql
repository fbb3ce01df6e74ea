-- CreateTable
CREATE TABLE "hostport_claims" (
    "hostport" TEXT COLLATE "C" NOT NULL,
    "claims" INTEGER NOT NULL,

    CONSTRAINT "hostport_claims_pkey" PRIMARY KEY ("hostport")
);

-- CreateTable
CREATE TABLE "possibly_unused" (
    "id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "possibly_unused_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "possibly_used" (
    "id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "possibly_used_pkey" PRIMARY KEY ("id")
);

-- Count the claims that are there.
INSERT INTO "hostport_claims" ("hostport", "claims")
SELECT "key", count(*) FROM (
  SELECT DISTINCT "id", "hostport_key"("hostport") AS "key" FROM "https_edges", unnest("hostports") AS "hostport"
  UNION ALL
  SELECT DISTINCT "id", "hostport_key"("hostport") AS "key" FROM "tls_edges", unnest("hostports") AS "hostport"
) AS "claim" GROUP BY "key"
ON CONFLICT ("hostport") DO UPDATE SET "claims" = excluded."claims";

-- Mark what is there.
INSERT INTO "possibly_used" ("id")
SELECT "id" FROM (
  SELECT "child_id" AS "id" FROM "backend_children"
  UNION SELECT "backend_id" AS "id" FROM "https_edge_routes"
  UNION SELECT "backend_id" AS "id" FROM "tls_edges"
  UNION SELECT "ip_policy_id" AS "id" FROM "https_edge_route_ip_policies"
  UNION SELECT "ip_policy_id" AS "id" FROM "tls_edge_ip_policies"
  UNION SELECT "certificate_authority_id" AS "id" FROM "https_edge_certificate_authorities"
  UNION SELECT "certificate_authority_id" AS "id" FROM "tls_edge_certificate_authorities"
  UNION SELECT "endpoint_configuration_id" AS "id" FROM "reserved_addrs"
  UNION SELECT "ssh_certificate_authority_id" AS "id" FROM "ssh_user_certificates"
) AS "used" WHERE "id" IS NOT NULL
ON CONFLICT ("id") DO NOTHING;

INSERT INTO "possibly_unused" ("id")
SELECT "id" FROM (
  SELECT "id" FROM "backends"
  UNION ALL SELECT "id" FROM "ip_policies"
  UNION ALL SELECT "id" FROM "certificate_authorities"
  UNION ALL SELECT "id" FROM "endpoint_configurations"
  UNION ALL SELECT "id" FROM "ssh_certificate_authorities"
) AS "resource" WHERE NOT EXISTS (SELECT FROM "possibly_used" AS "used" WHERE "used"."id" = "resource"."id")
ON CONFLICT ("id") DO NOTHING;

-- What Prisma cannot say: hostports in conflict.
CREATE INDEX "hostport_claims_conflicts_idx" ON "hostport_claims"("hostport") WHERE "claims" > 1;

-- Nothing else would look at the new tables soon.
ANALYZE "hostport_claims";
ANALYZE "possibly_used";
ANALYZE "possibly_unused";
