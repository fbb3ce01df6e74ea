import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate, openSchemaEngine } from "../src/database/migrate.js";
import { poolOf } from "./harness/cluster.js";
import { countAgain, counted, overview } from "./harness/counts.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

// What the migrations make, in a database that they have just made.

const SCHEMA = readFileSync("prisma/schema.prisma", "utf8");
/** Differs in the type of a column, a default, a foreign key and an index. */
const OTHER_SCHEMA = SCHEMA.replace('@map("ca_pem")', '@map("ca_pem") @db.VarChar(9)')
  .replace("@default(1)", "@default(2)")
  .replace("onDelete: Cascade", "onDelete: SetNull")
  .replace("@@index([region, id])", "@@index([id, region])");

let server: TestServer;
let statements: string[];
let otherStatements: string[];
beforeAll(async () => {
  server = await startServer();
  [statements = [], otherStatements = []] = await statementsFor(SCHEMA, OTHER_SCHEMA);
});
afterAll(() => server.stop());

type Query = <Row>(sql: string) => Promise<Row[]>;

const query: Query = (sql) => server.context.db.$queryRawUnsafe(sql);

const IS_MIGRATIONS_OWN = "table_name = '_prisma_migrations'";

describe("the migrated database", () => {
  it("compares every id bytewise, whatever its own collation is", async () => {
    const columns = await query<{ name: string; collation: string | null }>(
      `SELECT table_name || '.' || column_name AS name, collation_name AS collation
         FROM information_schema.columns
        WHERE table_schema = current_schema() AND NOT ${IS_MIGRATIONS_OWN}
          AND data_type = 'text' AND (column_name = 'id' OR column_name LIKE '%\\_id')`,
    );
    expect(columns.length).toBeGreaterThan(30);
    expect(columns.filter(({ collation }) => collation !== "C")).toEqual([]);
  });

  it("has a table for every model, and each row an id or the ids that it joins as its key", async () => {
    const tables = await query<{ name: string; key: string }>(
      `SELECT relname AS name, pg_get_constraintdef(c.oid) AS key
         FROM pg_class JOIN pg_constraint c ON conrelid = pg_class.oid AND contype = 'p'
        WHERE relnamespace = current_schema()::regnamespace AND relname <> '_prisma_migrations'`,
    );
    const models = SCHEMA.match(/@@map\("\w+"\)/g) ?? [];
    expect(tables.map(({ name }) => `@@map("${name}")`).sort()).toEqual([...models].sort());
    for (const { key } of tables) {
      expect(key).toMatch(
        /^PRIMARY KEY \((id|(owner|parent)_id, "position"|horizon, id|name|name, slot|kind, key|fingerprint|hostport)\)$/,
      );
    }
  });

  it("has an index that begins with the columns of each foreign key", async () => {
    const unindexed = await query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint c
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
          AND NOT EXISTS (
            SELECT 1 FROM pg_index i
             WHERE i.indrelid = c.conrelid AND i.indisvalid AND i.indpred IS NULL
               AND (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(c.conkey)] = c.conkey)`,
    );
    const foreignKeys = await query(
      `SELECT conname FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
    );
    expect(foreignKeys.length).toBeGreaterThan(12);
    expect(unindexed).toEqual([]);
  });

  it("is what prisma/schema.prisma describes: columns, keys and indexes", async () => {
    const { indexes, ...migrated } = await catalogOf(query);
    expect(migrated.columns.length).toBeGreaterThan(150);
    const described = await describedBy(statements);
    expect({ ...migrated, indexes: indexes.filter((line) => !isOnExpression(line)) }).toEqual(
      described,
    );
  });

  it("has the indexes on expressions that a Prisma schema cannot say, and no others", async () => {
    const { indexes } = await catalogOf(query);
    const names = indexes.filter(isOnExpression).map(nameOf);
    expect(names.sort()).toEqual([...EXPRESSION_INDEXES].sort());
  });

  it("has the generated columns that a Prisma schema cannot say, so that Prisma never writes them, and no others", async () => {
    const generated = await query(
      `SELECT attrelid::regclass::text AS table, attname AS column, attnotnull AS required FROM pg_attribute
        WHERE attgenerated <> '' AND NOT attisdropped ORDER BY 1`,
    );
    const columns = [
      ...[
        "endpoint_configurations",
        "https_edge_routes",
        "https_edges",
        "tcp_edges",
        "tls_edges",
      ].map((table) => [table, "modules"]),
      ...RESOURCE_TABLES.flatMap((table) => [
        [table, "search_text"],
        [table, "search_pairs"],
      ]),
    ].map(([table, column]) => ({ table, column, required: true }));
    expect(generated).toHaveLength(columns.length);
    expect(generated).toEqual(expect.arrayContaining(columns));
    expect(SCHEMA).not.toMatch(/^ +(modules|searchText|search_text|searchPairs|search_pairs) /m);
  });

  it("has the functions that those are on, and that of the log, all immutable", async () => {
    const functions = await query<{ name: string; volatility: string }>(
      `SELECT proname AS name, provolatile::text AS volatility FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace
          AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
        ORDER BY proname COLLATE "C"`,
    );
    expect(functions).toEqual(
      [
        "dns_name_keys",
        "earlier_transactions",
        "hostport_key",
        "hostport_keys",
        "match_key",
        "match_scope",
        "search_lines",
        "search_pairs",
        "text_lines",
      ].map((name) => ({
        name,
        volatility: "i",
      })),
    );
  });

  it("is told from a schema that differs in a column's type, a default, a key or an index", async () => {
    const migrated = await catalogOf(query);
    const described = await describedBy(otherStatements);
    const differing = (name: keyof Catalog) =>
      described[name].filter((line) => !migrated[name].includes(line));
    expect(differing("columns")).toHaveLength(2);
    expect(differing("constraints")).toHaveLength(1);
    expect(differing("indexes")).toHaveLength(1);
  });
});

describe("what a migration does to rows that are there", () => {
  it("counts them again, whatever the counts said", async () => {
    const route = { match_type: "path_prefix", match: "/", compression: { enabled: false } };
    for (let i = 0; i < 3; i++) {
      const { id } = (await rest(server, "POST", "/edges/https", { tls_termination: {} })).body;
      await rest(server, "POST", `/edges/https/${id}/routes`, route);
    }
    const { db } = server.context;
    await db.$executeRaw`DELETE FROM counts WHERE name LIKE 'httpsEdgeRoute%'`;
    await db.$executeRaw`INSERT INTO counts VALUES ('tlsEdge', 7, 5), ('ipPolicyRule', 0, -2), ('httpsEdgeRoute', 3, -109)`;
    expect(await overview(server)).toMatchObject({ HTTPS_EDGE_ROUTE: -109, TLS_EDGE: 5 });
    await db.$executeRawUnsafe(countAgain());
    expect(await overview(server)).toEqual(await counted(server));
    expect(await overview(server)).toMatchObject({ HTTPS_EDGE_ROUTE: 3 });
  });
});

describe("the migration to serials of SSH certificates of both kinds", () => {
  it("keeps each serial, and deleted certificates revoked", async () => {
    const database = await freshDatabase();
    await database.administer("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const pool = poolOf(database.url);
    const folder = mkdtempSync(path.join(tmpdir(), "edgeplane-migrations-"));
    const later = readdirSync("prisma/migrations").filter(
      (name) => name >= "20261122063844_add_ssh_host_certificates" && /^\d/.test(name),
    );
    try {
      cpSync("prisma/migrations", folder, { recursive: true });
      for (const name of later) rmSync(path.join(folder, name), { recursive: true });
      await migrate(pool, folder);
      const row = "now(), now(), '', ''";
      await pool.query(`
        INSERT INTO ssh_certificate_authorities (id, created_at, updated_at, description, metadata, key_type,
          public_key, sealed_private_key) VALUES ('sshca_1', ${row}, 'ed25519', '', '');
        INSERT INTO ssh_user_certificates (id, created_at, updated_at, description, metadata, public_key, key_type,
          critical_options, extensions, valid_after, valid_until, serial, certificate, ssh_certificate_authority_id)
        VALUES ('sucrt_1', ${row}, '', 'rsa', '{}', '{}', now(), '2030-01-01Z', 7, '', 'sshca_1');
        INSERT INTO revoked_ssh_certificates (id, revoked_at, serial, valid_until, ssh_certificate_authority_id)
        VALUES ('sucrt_2', '2026-01-01Z', 9223372036854775807, '2031-01-01Z', 'sshca_1')`);
      expect(await migrate(pool, "prisma/migrations")).toEqual(later);
      const { rows } = await pool.query(
        `SELECT id, serial, valid_until, revoked_at, ssh_certificate_authority_id AS of
           FROM ssh_serials ORDER BY id`,
      );
      expect(rows).toEqual([
        {
          ...{ id: "sucrt_1", serial: "7", of: "sshca_1" },
          ...{ valid_until: new Date("2030-01-01"), revoked_at: null },
        },
        {
          ...{ id: "sucrt_2", serial: "9223372036854775807", of: "sshca_1" },
          ...{ valid_until: new Date("2031-01-01"), revoked_at: new Date("2026-01-01") },
        },
      ]);
    } finally {
      await pool.end();
      rmSync(folder, { recursive: true });
      await database.stop();
    }
  });
});

/** Of those models that are resources. */
const RESOURCE_TABLES = SCHEMA.split(/^model /m)
  .filter((model) => /^ {2}metadata /m.test(model))
  .map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1] ?? "");

/** Written into the migrations by hand. */
const EXPRESSION_INDEXES: readonly string[] = [
  ...RESOURCE_TABLES.flatMap((table) => [`${table}_search_idx`, `${table}_search_pairs_idx`]),
  ...RESOURCE_TABLES.filter((table) => table !== "backends").map(
    (table) => `${table}_description_id_idx`,
  ),
  "agent_ingresses_domain_id_idx",
  "agent_ingresses_domain_key",
  "backends_ksuid_idx",
  "backends_kind_address_ksuid_idx",
  "backends_description_ksuid_idx",
  "backends_kind_description_ksuid_idx",
  "backends_updated_at_ksuid_idx",
  "backends_kind_updated_at_ksuid_idx",
  "endpoint_configurations_modules_idx",
  "https_edges_modules_idx",
  "https_edge_routes_modules_idx",
  "https_edge_routes_match_idx",
  "https_edge_routes_match_key_id_idx",
  "https_edge_routes_scope_size_key_idx",
  "https_edges_hostport_id_idx",
  "https_edges_hostport_keys_idx",
  "tcp_edges_hostport_id_idx",
  "tcp_edges_hostport_keys_idx",
  "tcp_edges_modules_idx",
  "tls_certificates_dns_name_keys_idx",
  "tls_edges_hostport_id_idx",
  "tls_edges_hostport_keys_idx",
  "tls_edges_modules_idx",
  "hostport_claims_conflicts_idx",
  "ip_policy_rules_network_id_idx",
  "reserved_addrs_addr_key_id_idx",
  "ssh_host_certificates_validity_idx",
  "reserved_domains_domain_id_idx",
  "reserved_domains_domain_key",
  "ssh_user_certificates_validity_idx",
];

/** Whether an index is on a column that PostgreSQL makes, or not on plain columns in their own order. */
function isOnExpression(line: string): boolean {
  return (
    /\((modules|search_pairs)\)$/.test(line) ||
    !/ USING \w+ \(\w+(, \w+)*\)$/.test(line.replaceAll('"', ""))
  );
}

function nameOf(line: string): string {
  return / INDEX (\w+) ON /.exec(line)?.[1] ?? line;
}

/** For each Prisma schema, the statements that make its tables from nothing. */
async function statementsFor(...schemas: string[]): Promise<string[][]> {
  const database = await freshDatabase();
  const engine = await openSchemaEngine(new PrismaPg({ connectionString: database.url }));
  const found: string[][] = [];
  for (const content of schemas) {
    const { stdout } = await engine.diff({
      from: { tag: "empty" },
      to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content }] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    found.push(
      (stdout ?? "")
        .split(/;\s*(?:\n|$)/)
        .map((statement) => statement.replace(/^--.*$/gm, "").trim())
        .filter((statement) => statement !== "" && !statement.startsWith("CREATE SCHEMA")),
    );
  }
  engine.free();
  await database.stop();
  return found;
}

/** The catalog after `statements`, in a schema of their own that is gone afterwards. */
async function describedBy(statements: readonly string[]): Promise<Catalog> {
  const { db } = server.context;
  if (!("$transaction" in db)) throw new Error("The context is inside a transaction.");
  let catalog: Catalog | undefined;
  const undo = new Error("undo");
  const run = db.$transaction(async (inside) => {
    await inside.$executeRawUnsafe('CREATE SCHEMA "described"');
    await inside.$executeRawUnsafe('SET LOCAL search_path TO "described"');
    for (const statement of statements) await inside.$executeRawUnsafe(statement);
    catalog = await catalogOf((sql) => inside.$queryRawUnsafe(sql));
    throw undo;
  });
  await expect(run).rejects.toBe(undo);
  if (!catalog) throw new Error("The catalog was not read.");
  return catalog;
}

interface Catalog {
  readonly columns: string[];
  readonly constraints: string[];
  readonly indexes: string[];
}

/** What the current schema has, without what a Prisma schema cannot say: collations, and how indexes are stored. */
async function catalogOf(run: Query): Promise<Catalog> {
  const lines = async (sql: string) =>
    (await run<{ line: string }>(sql)).map(({ line }) => line).sort();
  return {
    columns: await lines(
      `SELECT concat_ws(' ', relname || '.' || attname, format_type(atttypid, atttypmod),
                CASE WHEN attnotnull THEN 'NOT NULL' END, pg_get_expr(adbin, adrelid)) AS line
         FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
              LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
          AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND relname <> '_prisma_migrations'`,
    ),
    constraints: await lines(
      `SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid)) AS line
         FROM pg_constraint c JOIN pg_class ON pg_class.oid = conrelid
        WHERE connamespace = current_schema()::regnamespace AND relname <> '_prisma_migrations'
          AND contype <> 'n'`,
    ),
    indexes: await lines(
      `SELECT regexp_replace(replace(indexdef, current_schema() || '.', ''), ' WITH \\(.*\\)$', '') AS line
         FROM pg_indexes
        WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations'`,
    ),
  };
}
