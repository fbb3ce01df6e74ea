import { Client } from "pg";
import { lowestKsuidOf } from "../../src/domain/core/ids.js";
import { snakeCase } from "../../src/domain/core/names.js";
import {
  ENDPOINT_CONFIGURATION_MODULES,
  HTTPS_EDGE_ROUTE_MODULES,
} from "../../src/domain/modules/index.js";
import { markAgain } from "./marks.js";
import { everyConfigurationModule, everyRouteModule } from "./modules.js";
import {
  endpointConfiguration,
  httpsEdge,
  ipPolicy,
  routesOf,
  staticBackend,
  tcpEdge,
  tlsEdge,
} from "./resources.js";
import type { TestServer } from "./server.js";
import { transports } from "./transports.js";

const FIRST_HOUR = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;
const ROWS_AN_HOUR = 100;
const MOST_ROWS = 100_000;
/** A busy machine inserts them well within the time that a statement may take. */
const ROWS_AT_ONCE = 20_000;

/** A time in RFC 3339: the first `rows` rows of each kind were made before it, all others after it. */
export function timeAfterRows(rows: number): string {
  return new Date(FIRST_HOUR + (rows / ROWS_AN_HOUR) * HOUR).toISOString();
}

/**
 * Fills the tables behind all lists: 100,000 routes on 10,000 edges, and so many rows of all else that a list of
 * them is not to be read without an index. Rows are numbered from 1 on. Whatever a filter looks for, few rows
 * have it. The statistics are up to date afterwards. Secrets are open to nobody, so read with a key that sees none.
 * `part` is for those who need fewer rows, and only some tables, with those that these refer to: it has no modules.
 */
export async function fill(server: TestServer, part?: Part): Promise<void> {
  const { rows, tables } = part ?? { rows: MOST_ROWS, tables: TABLES };
  if (!part) await createModels(server);
  const hours = Array.from({ length: rows / ROWS_AN_HOUR }, (_, hour) => FIRST_HOUR + hour * HOUR);
  const ids = hours.map((hour) => lowestKsuidOf(new Date(hour + 1000)).slice(0, 21));
  // Over a connection of its own: those of the server have limits that a busy machine would meet.
  const client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query("BEGIN");
  await client.query(
    `CREATE TEMPORARY TABLE numbers AS
       SELECT (hour - 1) * ${ROWS_AN_HOUR} + i AS n, start || lpad(i::text, 6, '0') AS ksuid,
              to_timestamp(${FIRST_HOUR / 1000} + (hour - 1) * 3600 + 1) AS made_at
         FROM unnest($1::text[]) WITH ORDINALITY AS hours(start, hour),
              generate_series(1, ${ROWS_AN_HOUR}) AS i`,
    [ids],
  );
  await client.query(
    // Fewer rows have the references of all.
    `CREATE TEMPORARY TABLE others AS SELECT other, ksuid AS other_ksuid
       FROM generate_series(1, ${MOST_ROWS}) AS other JOIN numbers ON n = 1 + (other - 1) % ${rows}`,
  );
  await client.query("CREATE UNIQUE INDEX ON others (other)");
  await client.query("ANALYZE numbers, others");
  // Made at once when the rows are there, which takes less than row by row.
  const { rows: indexes } = await client.query<Index>(
    `SELECT indexname AS name, indexdef AS definition,
            coalesce((SELECT attstattarget FROM pg_attribute
              WHERE attrelid = quote_ident(indexname)::regclass AND attnum = 1), -1)::integer
            AS statistics
       FROM pg_indexes
      WHERE schemaname = current_schema() AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
  for (const statement of STATEMENTS) {
    const [, table = ""] = /^INSERT INTO (\w+)/.exec(statement) ?? [];
    if (tables.includes(table)) await client.query(statement);
  }
  for (const { name, definition, statistics } of indexes) {
    await client.query(definition);
    if (statistics < 0) continue;
    await client.query(`ALTER INDEX "${name}" ALTER COLUMN 1 SET STATISTICS ${statistics}`);
  }
  await client.query("COMMIT");
  for (const table of tables) await client.query(`ANALYZE ${table}`);
  await client.end();
  await markAgain(server);
}

interface Part {
  /** Of each table at most: whole hundreds. */
  readonly rows: number;
  readonly tables: readonly string[];
}

/**
 * Adds routes until each has `times` of what it is now, on the same edge: half of them with compression, of which half is
 * disabled. They lead to all backends in turn, of whatever kind.
 */
export async function multiplyRoutes(server: TestServer, times: number): Promise<void> {
  const client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO https_edge_routes (id, created_at, updated_at, description, metadata, edge_id, match_type, match,
       backend_enabled, backend_id, compression)
     SELECT left(route.id, -6) || k || right(route.id, 5), route.created_at, route.updated_at, route.description,
       '', route.edge_id, route.match_type, '/more-' || k || route.match, true, backend.id,
       CASE WHEN k % 2 = 0 THEN json_build_object('enabled', k % 4 = 0) END
     FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM https_edge_routes) AS route
     CROSS JOIN generate_series(1, $1::integer - 1) AS k
     JOIN (SELECT id, row_number() OVER (ORDER BY md5(id)) AS n, count(*) OVER () AS total FROM backends) AS backend
       ON backend.n = 1 + (route.n * $1 + k) % backend.total`,
    [times],
  );
  await client.query("ANALYZE https_edge_routes");
  await client.end();
  await markAgain(server);
}

interface Index {
  readonly name: string;
  readonly definition: string;
  /** How fine the statistics of what it is on are; below 0 as usual. */
  readonly statistics: number;
}

/** An edge of each kind and a route, with all modules: the rows have copies of these. */
async function createModels(server: TestServer): Promise<void> {
  const [rest] = transports;
  if (!rest) throw new Error("There is no transport.");
  const backend = await rest.drive(server, staticBackend).create({ address: "model.internal:80" });
  const policy = await rest.drive(server, ipPolicy).create();
  const trafficPolicy = { value: "on_tcp_connect:\n  - actions:\n      - type: deny\n" };
  await rest.drive(server, tlsEdge).create({ tlsTermination: {}, trafficPolicy });
  await rest.drive(server, tcpEdge).create({ trafficPolicy });
  const edge = await rest.drive(server, httpsEdge).create({ tlsTermination: {} });
  const matched = { matchType: "path_prefix", match: "/" };
  await rest
    .drive(server, routesOf(edge.id))
    .create({ ...matched, ...everyRouteModule(backend.id, policy.id) });
  await rest
    .drive(server, endpointConfiguration)
    .create({ type: "tcp", ...everyConfigurationModule(policy.id) });
}

/** Few rows were changed, long after all were made. */
const FEW_CHANGED_LATER = `made_at + CASE WHEN n % 500 = 3 THEN interval '${MOST_ROWS / ROWS_AN_HOUR} hours' ELSE '0' END`;

/** The statements for the numbered rows of a table: `columns` are SQL for each, from the number `n` on. */
function rows(
  table: string,
  prefix: string,
  count: number,
  columns: Record<string, string> = {},
): string[] {
  const all = {
    id: `'${prefix}_' || ksuid`,
    created_at: "made_at",
    updated_at: FEW_CHANGED_LATER,
    description: `left(md5(n::text), 12) || ' of many' || CASE WHEN n % 5000 = 7 THEN ' Rare needle' ELSE '' END`,
    metadata: `CASE WHEN n % 4000 = 9 THEN '{"owner":"Rare team"}' ELSE '' END`,
    ...columns,
  };
  const parts = Array.from({ length: Math.ceil(count / ROWS_AT_ONCE) }, (_, part) => {
    const before = part * ROWS_AT_ONCE;
    return `n BETWEEN ${before + 1} AND ${Math.min(before + ROWS_AT_ONCE, count)}`;
  });
  return parts.map(
    (part) => `INSERT INTO ${table} (${Object.keys(all).join(", ")})
      SELECT ${Object.values(all).join(", ")} FROM numbers WHERE ${part} ORDER BY n`,
  );
}

/** The id of the row with the number `n`. */
const id = (prefix: string, n: string) =>
  `(SELECT '${prefix}_' || other_ksuid FROM others WHERE other = ${n})`;
/** True or false in turn in every so many rows; null in all others. */
const some = (every: number) => `CASE WHEN n % ${every} = 0 THEN n % ${2 * every} = 0 END`;
const module = (table: string, column: string, every: number) =>
  `CASE WHEN n % ${every} = 0 THEN jsonb_set(
     (SELECT ${column}::jsonb FROM ${table} WHERE ${column} IS NOT NULL ORDER BY id DESC LIMIT 1),
     '{enabled}', to_jsonb(n % ${2 * every} = 0))::json END`;
/** Few configurations have any of them. */
function configurationModules(): Record<string, string> {
  const columns = Object.keys(ENDPOINT_CONFIGURATION_MODULES).map((name, index) => {
    const column = snakeCase(name);
    return [column, module("endpoint_configurations", column, 701 + index)];
  });
  return Object.fromEntries(columns);
}

/** Half of the routes have compression, and few have any other module. */
function routeModules(): Record<string, string> {
  const columns = Object.keys(HTTPS_EDGE_ROUTE_MODULES).map((name, index) => {
    const column = snakeCase(name);
    const every = name === "compression" ? 2 : 2501 + index;
    return [column, module("https_edge_routes", column, every)];
  });
  return Object.fromEntries(columns);
}

/** SSH certificates, each with a principal of its own. */
function sshCertificate(principal: string): Record<string, string> {
  return {
    public_key: "''",
    key_type: "CASE WHEN n % 2000 = 1 THEN 'rsa' ELSE 'ed25519' END",
    principals: `ARRAY['${principal}-' || n]`,
    valid_after: "now() + make_interval(hours => n::integer)",
    valid_until: "now() + make_interval(hours => n::integer + 24)",
    certificate: "''",
    ssh_certificate_authority_id: id("sshca", "1 + n % 20000"),
  };
}

const STATEMENTS: readonly string[] = [
  ...rows("agent_ingresses", "agin", 10_000, { domain: "'Agents-' || n || '.example.com'" }),
  ...rows("api_keys", "ak", 20_000, {
    owner_id: "''",
    scope: "CASE WHEN n % 1000 = 1 THEN 'read' ELSE 'write' END",
    token_hash: "decode(md5(n::text), 'hex')",
  }),
  ...rows("backends", "bkdsc", 20_000, {
    kind: "'static'",
    address: "CASE WHEN n % 4 = 0 THEN 'Shared' ELSE 'host-' || n END || '.internal:80'",
    tls_enabled: "n % 1000 = 1",
  }),
  ...rows("backends", "bkdwd", 5_000, { kind: "'weighted'" }),
  ...rows("backends", "bkdfo", 1_000, { kind: "'failover'" }),
  ...rows("backends", "bkdhr", 100, {
    kind: "'http_response'",
    status_code: "200",
    headers: "'[]'",
    body: "''",
  }),
  ...rows("backends", "bkdtg", 100, { kind: "'tunnel_group'", labels: "'[]'" }),
  `INSERT INTO backend_children SELECT ${id("bkdwd", "n")}, k, ${id("bkdsc", "15001 + (n + k * 700) % 3000")}, 1
     FROM numbers, generate_series(0, 3) AS k WHERE n <= 5000`,
  `INSERT INTO backend_children SELECT ${id("bkdfo", "n")}, 0, ${id("bkdwd", "n")}, NULL
     FROM numbers WHERE n <= 1000`,
  ...rows("certificate_authorities", "ca", 20_000, {
    ca_pem: "''",
    key_usages: "'{}'",
    extended_key_usages: "'{}'",
    subject_common_name: "''",
    not_before: "now()",
    not_after: "now() + make_interval(days => n::integer)",
  }),
  ...rows("ip_policies", "ipp", 20_000),
  ...rows("ip_policy_rules", "ipr", 20_000, {
    cidr: "'10.' || n / 256 || '.' || n % 256 || '.0/24'",
    action: "CASE WHEN n % 2000 = 1 THEN 'deny' ELSE 'allow' END",
    ip_policy_id: id("ipp", "1 + n % 20000"),
  }),
  ...rows("ip_restrictions", "ipx", 10_000, {
    type: "CASE WHEN n % 2000 = 1 THEN 'agent' ELSE 'api' END",
    enforced: "n % 2000 = 1",
  }),
  `INSERT INTO ip_restriction_ip_policies SELECT ${id("ipx", "n")}, k, ${id("ipp", "11 + (n + k * 700) % 10000")}
     FROM numbers, generate_series(0, 1) AS k WHERE n <= 10000`,
  ...rows("endpoint_configurations", "ec", 20_000, {
    type: "'tcp'",
    ip_restriction_enabled: some(500),
    mutual_tls_enabled: some(600),
    ...configurationModules(),
    updated_at: "timestamptz '2026-01-01Z'",
  }),
  ...rows("reserved_addrs", "ra", 20_000, {
    addr: "n || '.tcp:10000'",
    region: "CASE WHEN n % 2000 = 1 THEN 'sa' ELSE 'us' END",
    endpoint_configuration_id: `CASE WHEN n % 1000 = 1 THEN ${id("ec", "1 + n / 1000")} END`,
  }),
  ...rows("ssh_certificate_authorities", "sshca", 20_000, {
    key_type: "'ed25519'",
    public_key: "''",
    sealed_private_key: "''",
  }),
  ...rows("ssh_credentials", "sshcr", 20_000, {
    public_key: "''",
    key_type: "CASE WHEN n % 2000 = 1 THEN 'ed25519_sk' ELSE 'ed25519' END",
    acl: "CASE WHEN n % 4 = 0 THEN '{}' ELSE ARRAY['bind:host-' || n || '.example.com', 'bind:*.example.com'] END",
    owner_id: "CASE WHEN n % 4 = 0 THEN '' ELSE 'owner-' || n / 10 END",
  }),
  ...rows("ssh_host_certificates", "shcrt", 20_000, sshCertificate("host")),
  ...rows("ssh_user_certificates", "sucrt", 20_000, {
    ...sshCertificate("user"),
    critical_options: "'{}'",
    extensions: "'{}'",
  }),
  ...rows("tls_certificates", "cert", 20_000, {
    certificate_pem: "''",
    sealed_private_key: "''",
    private_key_type: "'ecdsa'",
    subject_common_name: "''",
    subject_organization: "''",
    subject_organizational_unit: "''",
    subject_locality: "''",
    subject_province: "''",
    subject_country: "''",
    dns_names: "ARRAY['Host-' || n || '.example.com']",
    ips: "'{}'",
    key_usages: "'{}'",
    extended_key_usages: "'{}'",
    issuer_common_name: "''",
    serial_number: "''",
    not_before: "now()",
    not_after: "now() + make_interval(days => n::integer)",
  }),
  ...rows("reserved_domains", "rd", 20_000, {
    domain: "'Domain-' || n || '.example.com'",
    region: "CASE WHEN n % 2000 = 1 THEN 'sa' WHEN n % 2 = 0 THEN 'us' END",
    error_redirect_url: "''",
    resolves_to: "'[]'",
    certificate_id: `CASE WHEN n % 1000 = 1 THEN ${id("cert", "1 + n / 1000")} END`,
    http_endpoint_configuration_id: `CASE WHEN n % 1000 = 2 THEN ${id("ec", "1 + n / 1000")} END`,
    https_endpoint_configuration_id: `CASE WHEN n % 1000 = 3 THEN ${id("ec", "1 + n / 1000")} END`,
  }),
  ...rows("https_edges", "edghts", 40_000, {
    hostports: "ARRAY['site-' || n || '.example.com:443']",
    mutual_tls_enabled: some(500),
    tls_termination: module("https_edges", "tls_termination", 700),
  }),
  ...rows("https_edge_routes", "edghtsrt", 100_000, {
    edge_id: id("edghts", "1 + n % 40000"),
    match_type: "CASE WHEN n % 5000 = 3 THEN 'exact_path' ELSE 'path_prefix' END",
    match: "CASE WHEN n % 3 = 0 THEN '/' ELSE '/path-' || n END",
    backend_enabled: "true",
    backend_id: `CASE WHEN n % 1000 = 0 THEN ${id("bkdwd", "1 + n / 1000")}
      WHEN n % 2000 = 1 THEN ${id("bkdfo", "1 + n / 2000")} ELSE ${id("bkdsc", "1 + n % 15000")} END`,
    ip_restriction_enabled: some(2500),
    ...routeModules(),
  }),
  ...rows("tls_edges", "edgtls", 10_000, {
    hostports: "CASE WHEN n % 3 = 0 THEN '{}' ELSE ARRAY['mail-' || n || '.example.com:993'] END",
    backend_enabled: "true",
    backend_id: id("bkdsc", "1 + n"),
    ip_restriction_enabled: some(500),
    mutual_tls_enabled: some(600),
    tls_termination: module("tls_edges", "tls_termination", 700),
    traffic_policy: module("tls_edges", "traffic_policy", 800),
  }),
  ...rows("tcp_edges", "edgtcp", 10_000, {
    hostports: "CASE WHEN n % 3 = 0 THEN '{}' ELSE ARRAY['data-' || n || '.example.com:5432'] END",
    backend_enabled: "true",
    backend_id: id("bkdsc", "1 + n"),
    ip_restriction_enabled: some(500),
    traffic_policy: module("tcp_edges", "traffic_policy", 800),
  }),
];

const TABLES = [
  "agent_ingresses",
  "api_keys",
  "backends",
  "backend_children",
  "certificate_authorities",
  "endpoint_configurations",
  "https_edges",
  "https_edge_routes",
  "ip_policies",
  "ip_policy_rules",
  "ip_restrictions",
  "ip_restriction_ip_policies",
  "reserved_addrs",
  "reserved_domains",
  "ssh_certificate_authorities",
  "ssh_credentials",
  "ssh_host_certificates",
  "ssh_user_certificates",
  "tcp_edges",
  "tls_certificates",
  "tls_edges",
];
