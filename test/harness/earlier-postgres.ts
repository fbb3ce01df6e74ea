import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import type { Connection } from "../../src/database/connection/connection.js";
import { type Account, accountsForNew } from "../../src/database/embedded/accounts.js";
import { type Binaries, findBinaries } from "../../src/database/embedded/binaries.js";
import {
  initialize,
  requireRunnable,
  startPostgres,
} from "../../src/database/embedded/postgres.js";
import { findPrograms } from "../../src/database/embedded/programs.js";
import { refusalOf } from "../../src/database/embedded/refusal.js";

// Data directories as an earlier version of Edgeplane would have left them: their database is of another major version of
// PostgreSQL, which is Debian's.

const DEBIAN = "/usr/lib/postgresql";
/** That of the package. */
const PRESENT = 18;
/** The oldest that Edgeplane works with. */
const OLDEST = 14;

/** An earlier major version that the system has; null for none. */
export const EARLIER: number | null = earlierVersion();

function earlierVersion(): number | null {
  const versions = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : []).map(Number);
  const isThere = (version: number) => existsSync(`${DEBIAN}/${version}/bin/postgres`);
  return versions.find((it) => it >= OLDEST && it < PRESENT && isThere(it)) ?? null;
}

/** Puts the programs of the earlier version where a data directory keeps programs. */
export async function keepEarlier(dataDir: string): Promise<void> {
  const version = `${EARLIER}.99.0`;
  const programs = path.join(dataDir, "programs", version);
  await mkdir(path.join(programs, "native"), { recursive: true });
  await writeFile(path.join(programs, "package.json"), JSON.stringify({ version }));
  await writeFile(path.join(programs, "native", "pg-symlinks.json"), "[]");
  // PostgreSQL looks for its libraries beside where its program really is.
  await symlink(`${DEBIAN}/${EARLIER}/bin`, path.join(programs, "native", "bin"));
}

/** The path of another program of the earlier version. */
export function programOfEarlier(name: string): string {
  return `${DEBIAN}/${EARLIER}/bin/${name}`;
}

/** Has the database count more transactions than a new one comes to. */
export function useTransactions(connection: Connection): Promise<unknown> {
  const useNumbers = `DO $$ BEGIN FOR i IN 1..100000 LOOP
    BEGIN PERFORM pg_logical_emit_message(true, '', ''); EXCEPTION WHEN OTHERS THEN END; END LOOP; END $$`;
  return withClient(connection, (client) => client.query(useNumbers));
}

/** Runs `work` with the database in `dataDir`, on the programs for it. One of the earlier version is made where there is none. */
export async function onDatabase<Result>(
  dataDir: string,
  version: "earlier" | "present",
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  try {
    await chmod(folder, 0o711);
    const programs = version === "earlier" ? await findPrograms(dataDir, EARLIER ?? 0) : undefined;
    const binaries = await findBinaries(path.join(folder, "libraries"), programs);
    if (!binaries) throw new Error("There are no programs of PostgreSQL.");
    const database = path.join(dataDir, "postgresql");
    const place = { binaries, database, socketFolder: folder };
    const account = await accountFor(place);
    if (!existsSync(database)) {
      await mkdir(database, { mode: 0o700 });
      await initialize(database, binaries, account);
    }
    const { connection, stop } = await startPostgres(
      { ...place, account },
      {
        log: { debug: () => {}, warn: console.warn, error: console.error },
        // Nothing is written but by who asks for it.
        settings: { fsync: "off", autovacuum: "off", bgwriter_lru_maxpages: "0" },
      },
    );
    return await work(connection).finally(stop);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function accountFor(place: {
  readonly binaries: Binaries;
  readonly database: string;
  readonly socketFolder: string;
}): Promise<Account> {
  for (const account of await accountsForNew()) {
    const refusal = await refusalOf(() => requireRunnable({ ...place, account }));
    if (account.owner === null && refusal === null) return account;
  }
  throw new Error("PostgreSQL runs here only as another user.");
}

/** Runs `work` with a client of the database. */
export async function withClient<Result>(
  { inProcess: _, ...connection }: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** All rows of all tables, without what PostgreSQL generates of them, and where the sequences stand. */
export function everythingIn(connection: Connection): Promise<Record<string, readonly string[]>> {
  return withClient(connection, async (client) => {
    await client.query("SET TimeZone = 'UTC'");
    const { rows } = await client.query<{ name: string; columns: string }>(
      `SELECT relname AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
       FROM pg_class JOIN pg_attribute
         ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       WHERE relkind IN ('r', 'S') AND relnamespace = current_schema()::regnamespace AND attname <> 'log_cnt'
       GROUP BY relname`,
    );
    const all: Record<string, readonly string[]> = {};
    for (const { name, columns } of rows) {
      const found = await client.query<{ text: string }>(
        `SELECT row_to_json(one)::text AS text FROM (SELECT ${columns} FROM "${name}") AS one`,
      );
      all[name] = found.rows.map(({ text }) => text).sort();
    }
    return all;
  });
}
