-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "scope" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "backends" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status_code" INTEGER,
    "headers" JSON,
    "body" TEXT,
    "address" TEXT,
    "tls_enabled" BOOLEAN,
    "labels" JSON,

    CONSTRAINT "backends_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "backend_children" (
    "parent_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "child_id" TEXT COLLATE "C" NOT NULL,
    "weight" INTEGER,

    CONSTRAINT "backend_children_pkey" PRIMARY KEY ("parent_id","position")
);

-- CreateTable
CREATE TABLE "certificate_authorities" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "ca_pem" TEXT NOT NULL,
    "subject_common_name" TEXT NOT NULL,
    "not_before" TIMESTAMPTZ(0) NOT NULL,
    "not_after" TIMESTAMPTZ(0) NOT NULL,
    "key_usages" TEXT[],
    "extended_key_usages" TEXT[],

    CONSTRAINT "certificate_authorities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ip_policies" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,

    CONSTRAINT "ip_policies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ip_policy_rules" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "cidr" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "ip_policy_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ip_policy_rules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoint_configurations" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "type" TEXT NOT NULL,

    CONSTRAINT "endpoint_configurations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "reserved_addrs" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "addr" TEXT NOT NULL,
    "region" TEXT NOT NULL,
    "endpoint_configuration_id" TEXT COLLATE "C",

    CONSTRAINT "reserved_addrs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ssh_certificate_authorities" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "key_type" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "sealed_private_key" TEXT NOT NULL,

    CONSTRAINT "ssh_certificate_authorities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ssh_user_certificates" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "key_type" TEXT NOT NULL,
    "principals" TEXT[],
    "critical_options" JSON NOT NULL,
    "extensions" JSON NOT NULL,
    "valid_after" TIMESTAMPTZ(0) NOT NULL,
    "valid_until" TIMESTAMPTZ(0) NOT NULL,
    "serial" BIGINT NOT NULL,
    "certificate" TEXT NOT NULL,
    "ssh_certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ssh_user_certificates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "revoked_ssh_certificates" (
    "id" TEXT COLLATE "C" NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL,
    "serial" BIGINT NOT NULL,
    "valid_until" TIMESTAMPTZ(0) NOT NULL,
    "ssh_certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "revoked_ssh_certificates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "https_edges" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "hostports" TEXT[],
    "mutual_tls_enabled" BOOLEAN,
    "tls_termination" JSON,

    CONSTRAINT "https_edges_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "https_edge_certificate_authorities" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "https_edge_certificate_authorities_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateTable
CREATE TABLE "https_edge_routes" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "match_type" TEXT NOT NULL,
    "match" TEXT NOT NULL,
    "edge_id" TEXT COLLATE "C" NOT NULL,
    "backend_enabled" BOOLEAN,
    "backend_id" TEXT COLLATE "C",
    "ip_restriction_enabled" BOOLEAN,
    "circuit_breaker" JSON,
    "compression" JSON,
    "request_headers" JSON,
    "response_headers" JSON,
    "webhook_verification" JSON,
    "oauth" JSON,
    "saml" JSON,
    "oidc" JSON,
    "websocket_tcp_converter" JSON,
    "user_agent_filter" JSON,
    "traffic_policy" JSON,

    CONSTRAINT "https_edge_routes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "https_edge_route_ip_policies" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "ip_policy_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "https_edge_route_ip_policies_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateTable
CREATE TABLE "tls_edges" (
    "id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "description" TEXT NOT NULL,
    "metadata" TEXT NOT NULL,
    "hostports" TEXT[],
    "backend_enabled" BOOLEAN,
    "backend_id" TEXT COLLATE "C",
    "ip_restriction_enabled" BOOLEAN,
    "mutual_tls_enabled" BOOLEAN,
    "tls_termination" JSON,
    "traffic_policy" JSON,

    CONSTRAINT "tls_edges_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tls_edge_ip_policies" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "ip_policy_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "tls_edge_ip_policies_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateTable
CREATE TABLE "tls_edge_certificate_authorities" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "certificate_authority_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "tls_edge_certificate_authorities_pkey" PRIMARY KEY ("owner_id","position")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_token_hash_key" ON "api_keys"("token_hash");

-- CreateIndex
CREATE INDEX "backends_kind_id_idx" ON "backends"("kind", "id");

-- CreateIndex
CREATE UNIQUE INDEX "backend_children_child_id_parent_id_key" ON "backend_children"("child_id", "parent_id");

-- CreateIndex
CREATE INDEX "ip_policy_rules_ip_policy_id_id_idx" ON "ip_policy_rules"("ip_policy_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ip_policy_rules_ip_policy_id_cidr_key" ON "ip_policy_rules"("ip_policy_id", "cidr");

-- CreateIndex
CREATE UNIQUE INDEX "reserved_addrs_addr_key" ON "reserved_addrs"("addr");

-- CreateIndex
CREATE INDEX "reserved_addrs_endpoint_configuration_id_id_idx" ON "reserved_addrs"("endpoint_configuration_id", "id");

-- CreateIndex
CREATE INDEX "ssh_user_certificates_ssh_certificate_authority_id_id_idx" ON "ssh_user_certificates"("ssh_certificate_authority_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ssh_user_certificates_ssh_certificate_authority_id_serial_key" ON "ssh_user_certificates"("ssh_certificate_authority_id", "serial");

-- CreateIndex
CREATE INDEX "revoked_ssh_certificates_ssh_certificate_authority_id_valid_idx" ON "revoked_ssh_certificates"("ssh_certificate_authority_id", "valid_until");

-- CreateIndex
CREATE UNIQUE INDEX "https_edge_certificate_authorities_certificate_authority_id_key" ON "https_edge_certificate_authorities"("certificate_authority_id", "owner_id");

-- CreateIndex
CREATE INDEX "https_edge_routes_edge_id_id_idx" ON "https_edge_routes"("edge_id", "id");

-- CreateIndex
CREATE INDEX "https_edge_routes_backend_id_id_idx" ON "https_edge_routes"("backend_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "https_edge_routes_edge_id_match_type_match_key" ON "https_edge_routes"("edge_id", "match_type", "match");

-- CreateIndex
CREATE UNIQUE INDEX "https_edge_route_ip_policies_ip_policy_id_owner_id_key" ON "https_edge_route_ip_policies"("ip_policy_id", "owner_id");

-- CreateIndex
CREATE INDEX "tls_edges_backend_id_id_idx" ON "tls_edges"("backend_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "tls_edge_ip_policies_ip_policy_id_owner_id_key" ON "tls_edge_ip_policies"("ip_policy_id", "owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "tls_edge_certificate_authorities_certificate_authority_id_o_key" ON "tls_edge_certificate_authorities"("certificate_authority_id", "owner_id");

-- AddForeignKey
ALTER TABLE "backend_children" ADD CONSTRAINT "backend_children_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "backends"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "backend_children" ADD CONSTRAINT "backend_children_child_id_fkey" FOREIGN KEY ("child_id") REFERENCES "backends"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ip_policy_rules" ADD CONSTRAINT "ip_policy_rules_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reserved_addrs" ADD CONSTRAINT "reserved_addrs_endpoint_configuration_id_fkey" FOREIGN KEY ("endpoint_configuration_id") REFERENCES "endpoint_configurations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ssh_user_certificates" ADD CONSTRAINT "ssh_user_certificates_ssh_certificate_authority_id_fkey" FOREIGN KEY ("ssh_certificate_authority_id") REFERENCES "ssh_certificate_authorities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "revoked_ssh_certificates" ADD CONSTRAINT "revoked_ssh_certificates_ssh_certificate_authority_id_fkey" FOREIGN KEY ("ssh_certificate_authority_id") REFERENCES "ssh_certificate_authorities"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "https_edge_certificate_authorities" ADD CONSTRAINT "https_edge_certificate_authorities_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "https_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "https_edge_certificate_authorities" ADD CONSTRAINT "https_edge_certificate_authorities_certificate_authority_i_fkey" FOREIGN KEY ("certificate_authority_id") REFERENCES "certificate_authorities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "https_edge_routes" ADD CONSTRAINT "https_edge_routes_edge_id_fkey" FOREIGN KEY ("edge_id") REFERENCES "https_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "https_edge_routes" ADD CONSTRAINT "https_edge_routes_backend_id_fkey" FOREIGN KEY ("backend_id") REFERENCES "backends"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "https_edge_route_ip_policies" ADD CONSTRAINT "https_edge_route_ip_policies_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "https_edge_routes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "https_edge_route_ip_policies" ADD CONSTRAINT "https_edge_route_ip_policies_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tls_edges" ADD CONSTRAINT "tls_edges_backend_id_fkey" FOREIGN KEY ("backend_id") REFERENCES "backends"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tls_edge_ip_policies" ADD CONSTRAINT "tls_edge_ip_policies_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "tls_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tls_edge_ip_policies" ADD CONSTRAINT "tls_edge_ip_policies_ip_policy_id_fkey" FOREIGN KEY ("ip_policy_id") REFERENCES "ip_policies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tls_edge_certificate_authorities" ADD CONSTRAINT "tls_edge_certificate_authorities_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "tls_edges"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tls_edge_certificate_authorities" ADD CONSTRAINT "tls_edge_certificate_authorities_certificate_authority_id_fkey" FOREIGN KEY ("certificate_authority_id") REFERENCES "certificate_authorities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
