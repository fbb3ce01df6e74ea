import { Prisma } from "../../database/index.js";
import { RESOURCE_KINDS, RESOURCES, type ResourceKind } from "../core/ids.js";
import { snakeCase } from "../core/names.js";
import type { ModuleOwner, ReferringModuleName } from "../modules/index.js";

// All references between resources. Joins of reads, uses, unused resources, checks of deletes and checks of references
// are derived from this file only.

/** A table of resources: one for each kind, but one for backends of all kinds. */
export type Table = (typeof RESOURCES)[ResourceKind]["table"];

/** One way in which the rows of a table refer to those of another. */
export interface Reference<From extends Table = Table, To extends Table = Table> {
  readonly from: From;
  readonly to: To;
  /** The table in which `column` has the ids that are referred to, and `owner` those of who refers: both indexed. */
  readonly table: string;
  readonly owner: string;
  readonly column: string;
  /** Whether one row refers to several, in the order of `position`. */
  readonly isList: boolean;
  /** The module through which `from` refers; null when it does by itself. */
  readonly module: ReferringModuleName | null;
  /** Whether the rows of `from` are parts of those of `to` and go with them; others keep what they refer to. */
  readonly isPart: boolean;
  /** The field of inputs that has the ids. */
  readonly input: string;
}

/** A reference that a module makes. */
export interface ModuleReference<From extends Table = Table, To extends Table = Table>
  extends Reference<From, To> {
  readonly module: ReferringModuleName;
}

/** The row itself has the id. */
function column<From extends Table, To extends Table>(
  from: From,
  column: string,
  to: To,
  input: string,
): Reference<From, To> {
  const place = { table: from, owner: "id", column, isList: false };
  return { from, to, ...place, module: null, isPart: false, input };
}

/** Rows of `table` have the ids, in order. */
function list<From extends Table, To extends Table>(
  from: From,
  table: string,
  [owner, column]: readonly [string, string],
  to: To,
  input: string,
): Reference<From, To> {
  return { from, to, table, owner, column, isList: true, module: null, isPart: false, input };
}

function through<From extends Table, To extends Table>(
  module: ReferringModuleName,
  reference: Reference<From, To>,
): ModuleReference<From, To> {
  return { ...reference, module };
}

function part<From extends Table, To extends Table>(
  reference: Reference<From, To>,
): Reference<From, To> {
  return { ...reference, isPart: true };
}

export const REFERENCES = {
  childrenOfBackend: list(
    "backends",
    "backend_children",
    ["parent_id", "child_id"],
    "backends",
    "backends",
  ),
  edgeOfRoute: part(column("https_edge_routes", "edge_id", "https_edges", "edgeId")),
  backendOfRoute: through(
    "backend",
    column("https_edge_routes", "backend_id", "backends", "backendId"),
  ),
  ipPoliciesOfRoute: through(
    "ipRestriction",
    list(
      "https_edge_routes",
      "https_edge_route_ip_policies",
      ["owner_id", "ip_policy_id"],
      "ip_policies",
      "ipPolicyIds",
    ),
  ),
  certificateAuthoritiesOfHttpsEdge: through(
    "mutualTls",
    list(
      "https_edges",
      "https_edge_certificate_authorities",
      ["owner_id", "certificate_authority_id"],
      "certificate_authorities",
      "certificateAuthorityIds",
    ),
  ),
  backendOfTlsEdge: through("backend", column("tls_edges", "backend_id", "backends", "backendId")),
  ipPoliciesOfTlsEdge: through(
    "ipRestriction",
    list(
      "tls_edges",
      "tls_edge_ip_policies",
      ["owner_id", "ip_policy_id"],
      "ip_policies",
      "ipPolicyIds",
    ),
  ),
  certificateAuthoritiesOfTlsEdge: through(
    "mutualTls",
    list(
      "tls_edges",
      "tls_edge_certificate_authorities",
      ["owner_id", "certificate_authority_id"],
      "certificate_authorities",
      "certificateAuthorityIds",
    ),
  ),
  backendOfTcpEdge: through("backend", column("tcp_edges", "backend_id", "backends", "backendId")),
  ipPoliciesOfTcpEdge: through(
    "ipRestriction",
    list(
      "tcp_edges",
      "tcp_edge_ip_policies",
      ["owner_id", "ip_policy_id"],
      "ip_policies",
      "ipPolicyIds",
    ),
  ),
  ipPoliciesOfEndpointConfiguration: through(
    "ipRestriction",
    list(
      "endpoint_configurations",
      "endpoint_configuration_ip_policies",
      ["owner_id", "ip_policy_id"],
      "ip_policies",
      "ipPolicyIds",
    ),
  ),
  certificateAuthoritiesOfEndpointConfiguration: through(
    "mutualTls",
    list(
      "endpoint_configurations",
      "endpoint_configuration_certificate_authorities",
      ["owner_id", "certificate_authority_id"],
      "certificate_authorities",
      "certificateAuthorityIds",
    ),
  ),
  ipPoliciesOfRestriction: list(
    "ip_restrictions",
    "ip_restriction_ip_policies",
    ["owner_id", "ip_policy_id"],
    "ip_policies",
    "ipPolicyIds",
  ),
  policyOfRule: part(column("ip_policy_rules", "ip_policy_id", "ip_policies", "ipPolicyId")),
  configurationOfAddr: column(
    "reserved_addrs",
    "endpoint_configuration_id",
    "endpoint_configurations",
    "endpointConfigurationId",
  ),
  httpConfigurationOfDomain: column(
    "reserved_domains",
    "http_endpoint_configuration_id",
    "endpoint_configurations",
    "httpEndpointConfigurationId",
  ),
  httpsConfigurationOfDomain: column(
    "reserved_domains",
    "https_endpoint_configuration_id",
    "endpoint_configurations",
    "httpsEndpointConfigurationId",
  ),
  certificateOfDomain: column(
    "reserved_domains",
    "certificate_id",
    "tls_certificates",
    "certificateId",
  ),
  authorityOfHostCertificate: column(
    "ssh_host_certificates",
    "ssh_certificate_authority_id",
    "ssh_certificate_authorities",
    "sshCertificateAuthorityId",
  ),
  authorityOfUserCertificate: column(
    "ssh_user_certificates",
    "ssh_certificate_authority_id",
    "ssh_certificate_authorities",
    "sshCertificateAuthorityId",
  ),
} as const;

export const ALL_REFERENCES: readonly Reference[] = Object.values(REFERENCES);

/** The references to rows of `table`. A row cannot be deleted while such a reference exists. */
export function usersOf(table: Table): readonly Reference[] {
  return ALL_REFERENCES.filter(({ to, isPart }) => to === table && !isPart);
}

/** The references that owners of a kind make by a module. */
export function referenceOf(owner: ModuleOwner, module: string): ModuleReference {
  const { table } = RESOURCES[owner];
  const found = ALL_REFERENCES.filter(isOfModule).find(
    (reference) => reference.from === table && reference.module === module,
  );
  if (!found) throw new Error(`No reference is that of ${module} of ${table}.`);
  return found;
}

function isOfModule(reference: Reference): reference is ModuleReference {
  return reference.module !== null;
}

/** The kinds of the rows of `table`: several of backends, else one. */
export function kindsIn(table: Table): readonly [ResourceKind, ...ResourceKind[]] {
  const [kind, ...others] = RESOURCE_KINDS.filter((kind) => RESOURCES[kind].table === table);
  if (!kind) throw new Error(`No kind of resources is in ${table}.`);
  return [kind, ...others];
}

/** Whether a row is of `kind`, as SQL; `id` is its id, whose index has those of a kind together. */
export function hasIdOfKind(id: Prisma.Sql, kind: ResourceKind): Prisma.Sql {
  const { prefix } = RESOURCES[kind];
  return Prisma.sql`${id} BETWEEN ${`${prefix}_`} AND ${`${prefix}_~`}`;
}

/** A name as SQL. */
export function identifier(name: string): Prisma.Sql {
  return Prisma.raw(`"${name}"`);
}

/** The column that says whether a module is enabled that refers to other resources. */
export function enabledColumn(module: string): string {
  return `${snakeCase(module)}_enabled`;
}

/**
 * The ids, as an SQL array, of a backend and of the failover and weighted backends above it, at any depth: a
 * request that is sent to any of these can end at the backend.
 */
export function withAncestors(id: string): Prisma.Sql {
  const { table, owner, column } = REFERENCES.childrenOfBackend;
  return Prisma.sql`ARRAY(
    WITH RECURSIVE above(id) AS (
      SELECT ${id}::text COLLATE "C"
      UNION SELECT link.${identifier(owner)} FROM ${identifier(table)} AS link
      JOIN above ON link.${identifier(column)} = above.id
    ) SELECT id FROM above)`;
}

/** A query for up to `limit` ids of the users of the row `id`, in the order of the graph, each kind newest first. */
export function firstUsers(table: Table, id: string, limit: number): Prisma.Sql {
  const users = usersOf(table).map(
    ({ table, owner, column }, place) => Prisma.sql`(
      SELECT ${place}::integer AS place, ${identifier(owner)} AS id FROM ${identifier(table)}
      WHERE ${identifier(column)} = ${id} ORDER BY ${identifier(owner)} DESC LIMIT ${limit})`,
  );
  return Prisma.sql`
    SELECT id FROM (${Prisma.join(users, " UNION ALL ")}) AS users ORDER BY place, id DESC LIMIT ${limit}`;
}

/**
 * Whether a row of `table` is used, as SQL; `id` is its id. The offset has PostgreSQL look up one row after the other, in
 * place of reading all of the table. All uses are one query: PostgreSQL supposes that it finds something for half of the
 * rows, and with a query for each use it would suppose fewer unused rows the more uses there are.
 */
export function isUsed(table: Table, id: Prisma.Sql): Prisma.Sql {
  const uses = usersOf(table).map(
    ({ table, column }) => Prisma.sql`
      SELECT 1 FROM ${identifier(table)} AS by WHERE by.${identifier(column)} = ${id}`,
  );
  return Prisma.sql`EXISTS (${Prisma.join(uses, " UNION ALL ")} OFFSET 0)`;
}
