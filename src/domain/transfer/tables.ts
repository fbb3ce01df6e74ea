import type { Database, TransactionClient } from "../../database/index.js";

// What an export has: the rows of these tables, each after the tables that it refers to.

const RESOURCE_TABLES = [
  "api_keys",
  "agent_ingresses",
  "certificate_authorities",
  "ip_policies",
  "ip_policy_rules",
  "ip_restrictions",
  "ip_restriction_ip_policies",
  "backends",
  "backend_children",
  "endpoint_configurations",
  "endpoint_configuration_ip_policies",
  "endpoint_configuration_certificate_authorities",
  "reserved_addrs",
  "tls_certificates",
  "reserved_domains",
  "ssh_certificate_authorities",
  "ssh_serials",
  "ssh_credentials",
  "ssh_user_certificates",
  "ssh_host_certificates",
  "https_edges",
  "https_edge_certificate_authorities",
  "https_edge_routes",
  "https_edge_route_ip_policies",
  "tls_edges",
  "tls_edge_ip_policies",
  "tls_edge_certificate_authorities",
  "tcp_edges",
  "tcp_edge_ip_policies",
  "applied_keys",
] as const;

/** What a database says of itself: taken over only by one that is empty. */
export const OWN_TABLES: readonly string[] = [
  "installations",
  "counts",
  "hostport_claims",
  "possibly_unused",
  "possibly_used",
];

/** The change log, which gets new positions wherever it is imported. */
export const LOG = "changes";

export const EXPORTED_TABLES: readonly string[] = [...RESOURCE_TABLES, ...OWN_TABLES, LOG];

/** What belongs to one database alone: answers and counts that are soon forgotten, and its own keys. */
export const UNEXPORTED_TABLES: readonly string[] = [
  "outcomes",
  "rate_limits",
  "encryption_keys",
  "_prisma_migrations",
];

/** A table as it is in the database: the columns that are not generated, and those of its primary key. */
export interface TableColumns {
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** The exported tables that the database has, by their names. */
export async function readColumns(
  db: Database | TransactionClient,
): Promise<ReadonlyMap<string, TableColumns>> {
  const rows = await db.$queryRaw<{ name: string; columns: string[]; key: string[] }[]>`
    SELECT relname AS name,
      array_agg(attname::text ORDER BY attnum) AS columns,
      array_agg(attname::text ORDER BY array_position(indkey::smallint[], attnum))
        FILTER (WHERE attnum = ANY(indkey)) AS key
    FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(${[...EXPORTED_TABLES]})
    GROUP BY relname`;
  return new Map(rows.map(({ name, columns, key }) => [name, { columns, key }]));
}
