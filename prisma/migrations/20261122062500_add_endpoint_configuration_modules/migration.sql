-- AlterTable
ALTER TABLE "endpoint_configurations" ADD COLUMN     "circuit_breaker" JSON,
ADD COLUMN     "compression" JSON,
ADD COLUMN     "ip_restriction_enabled" BOOLEAN,
ADD COLUMN     "logging" JSON,
ADD COLUMN     "mutual_tls_enabled" BOOLEAN,
ADD COLUMN     "oauth" JSON,
ADD COLUMN     "oidc" JSON,
ADD COLUMN     "request_headers" JSON,
ADD COLUMN     "response_headers" JSON,
ADD COLUMN     "saml" JSON,
ADD COLUMN     "tls_termination" JSON,
ADD COLUMN     "webhook_verification" JSON;

-- CreateTable
CREATE TABLE "endpoint_configuration_ip_policies" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "ip_policy_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "endpoint_configuration_ip_policies_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateTable
CREATE TABLE "endpoint_configuration_certificate_authorities" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "endpoint_configuration_certificate_authorities_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_configuration_ip_policies_ip_policy_id_owner_id_key" ON "endpoint_configuration_ip_policies"("ip_policy_id", "owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_configuration_certificate_authorities_certificate__key" ON "endpoint_configuration_certificate_authorities"("certificate_authority_id", "owner_id");

-- AddForeignKey
ALTER TABLE "endpoint_configuration_ip_policies" ADD CONSTRAINT "endpoint_configuration_ip_policies_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "endpoint_configurations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_configuration_ip_policies" ADD CONSTRAINT "endpoint_configuration_ip_policies_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_configuration_certificate_authorities" ADD CONSTRAINT "endpoint_configuration_certificate_authorities_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "endpoint_configurations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_configuration_certificate_authorities" ADD CONSTRAINT "endpoint_configuration_certificate_authorities_certificate_fkey" FOREIGN KEY ("certificate_authority_id") REFERENCES "certificate_authorities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Which modules a row has: see src/domain/storage/module-words.ts.
ALTER TABLE "endpoint_configurations" ADD COLUMN "modules" TEXT[] NOT NULL GENERATED ALWAYS AS (array_remove(ARRAY[
  'ipRestriction:' || "ip_restriction_enabled"::text,
  'mutualTls:' || "mutual_tls_enabled"::text,
  'tlsTermination:' || ("tls_termination" ->> 'enabled'),
  'circuitBreaker:' || ("circuit_breaker" ->> 'enabled'),
  'compression:' || ("compression" ->> 'enabled'),
  'requestHeaders:' || ("request_headers" ->> 'enabled'),
  'responseHeaders:' || ("response_headers" ->> 'enabled'),
  'webhookVerification:' || ("webhook_verification" ->> 'enabled'),
  'oauth:' || ("oauth" ->> 'enabled'),
  'saml:' || ("saml" ->> 'enabled'),
  'oidc:' || ("oidc" ->> 'enabled'),
  'logging:' || ("logging" ->> 'enabled'),
  CASE WHEN hashtextextended("id", 0) % 10000 = 0 THEN 'rare' END
], NULL)) STORED;
CREATE INDEX "endpoint_configurations_modules_idx" ON "endpoint_configurations" USING GIN ("modules") WITH (gin_pending_list_limit = 64);
ALTER TABLE "endpoint_configurations" ALTER COLUMN "modules" SET STATISTICS 1000;
ANALYZE "endpoint_configurations" ("modules");
