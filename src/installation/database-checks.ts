import {
  type Connection,
  lookForExtension,
  type MigrationState,
  type OpenDatabase,
  openDatabase,
  type ReplicaConnection,
  readMigrationStates,
} from "../database/index.js";
import { isLogInOrder } from "../domain/changes/continuation.js";
import { createKeyring } from "../domain/core/keyring.js";
import { untilCaughtUp } from "../domain/reads/replica.js";
import { requireNeededKeys } from "../domain/storage/encryption-keys.js";
import { keepAgain, wrongFacts } from "../domain/storage/kept-facts.js";
import { type Finding, ok, problem, warning } from "./findings.js";
import type { Storage } from "./storage.js";

const OLDEST_VERSION = 14;
const MOST_CLOCK_DIFFERENCE_MS = 5_000;
/** Facts that a message names. */
const MOST_NAMED = 5;
const KEEPING_LIMIT_MS = 3_600_000;

export interface DatabaseCheckOptions {
  /** Whether counts and marks that are wrong are made anew. */
  readonly repairs: boolean;
}

/** Looks at the database itself, and at what is in it. */
export async function checkDatabase(
  storage: Storage,
  options: DatabaseCheckOptions,
): Promise<Finding[]> {
  const database = await openDatabase(storage.connection, {
    pending: "leave",
    onConnectionError: () => {},
  });
  try {
    const migrations = await readMigrationStates(storage.connection);
    const schema = checkMigrations(migrations);
    const findings = [
      await checked("database version", () => checkVersion(database)),
      await checked("encoding", () => checkEncoding(database)),
      await checked("pg_trgm", () => checkExtension(database)),
      await checked("clock", () => checkClock(database)),
      await checked("sessions", () => checkSessions(database)),
      ...(database.replica ? [await checkReplica(database, database.replica)] : []),
      schema,
    ];
    if (schema.state === "problem") return findings;
    return [
      ...findings,
      await checked("encryption key", () => checkKeys(database, storage)),
      await checked("change log", () => checkLog(database)),
      await checked("counts", () => checkFacts(database, options)),
    ];
  } finally {
    await database.close();
  }
}

/** What `check` throws is a problem, too. */
export async function checked(name: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return problem(name, error instanceof Error ? error.message : String(error));
  }
}

async function checkVersion({ client }: OpenDatabase): Promise<Finding> {
  const [found] = await client.$queryRaw<{ number: number; version: string }[]>`
    SELECT current_setting('server_version_num')::integer AS number, version() AS version`;
  const version = found?.version ?? "";
  if ((found?.number ?? 0) >= OLDEST_VERSION * 10_000) return ok("database version", version);
  return problem("database version", version, `Upgrade to PostgreSQL ${OLDEST_VERSION} or later.`);
}

/** Searches and orders look at letters without case, beyond those of ASCII. */
async function checkEncoding({ client }: OpenDatabase): Promise<Finding> {
  const [found] = await client.$queryRaw<{ encoding: string; ctype: string; folds: boolean }[]>`
    SELECT current_setting('server_encoding') AS encoding, datctype AS ctype, lower('Ä') = 'ä' AS folds
    FROM pg_database WHERE datname = current_database()`;
  const { encoding = "", ctype = "", folds = false } = found ?? {};
  const message = `encoding ${encoding}, character type ${ctype}`;
  const advice =
    "Make a database with CREATE DATABASE … ENCODING 'UTF8' LC_CTYPE 'C.UTF-8' TEMPLATE template0, and move to it with edgeplane export and edgeplane import.";
  if (encoding !== "UTF8") return problem("encoding", message, advice);
  return folds
    ? ok("encoding", message)
    : warning("encoding", `${message}: searches tell Ä from ä`, advice);
}

async function checkExtension({ readTexts }: OpenDatabase): Promise<Finding> {
  const found = await lookForExtension(readTexts);
  if (typeof found === "string") return ok("pg_trgm", `version ${found}`);
  const { isAvailable, message, advice } = found;
  return (isAvailable ? warning : problem)("pg_trgm", message, advice);
}

/** A pooler keeps sessions that began before the user had the settings. */
async function checkSessions(database: OpenDatabase): Promise<Finding> {
  const missing = await database.missingSettings();
  if (missing.length === 0) return ok("sessions", "have the settings of Edgeplane");
  return problem(
    "sessions",
    `sessions of the pooler lack the settings ${missing.join(", ")}`,
    "Have the pooler begin new sessions, with RECONNECT in the console of PgBouncer, and let DATABASE_DIRECT_URL have the same user.",
  );
}

async function checkReplica(database: OpenDatabase, replica: ReplicaConnection): Promise<Finding> {
  try {
    await untilCaughtUp(database, replica);
    return ok("replica", "has all changes of the database");
  } catch (error) {
    return problem(
      "replica",
      error instanceof Error ? error.message : String(error),
      "Queries read from the database itself until the replica of DATABASE_READ_URL follows it.",
    );
  }
}

/** Certificates and the change log have times of both. */
async function checkClock({ client }: OpenDatabase): Promise<Finding> {
  const [found] = await client.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  const difference = Math.abs((found?.now.getTime() ?? 0) - Date.now());
  const message = `the clocks of this process and of the database differ by ${difference / 1000} seconds`;
  if (difference <= MOST_CLOCK_DIFFERENCE_MS) return ok("clock", message);
  return problem("clock", message, "Synchronize the clocks of both machines.");
}

function checkMigrations(migrations: readonly MigrationState[]): Finding {
  const inState = (wanted: MigrationState["state"]) =>
    migrations.filter(({ state }) => state === wanted).map(({ name }) => name);
  const [failed, unknown, pending] = [inState("failed"), inState("unknown"), inState("pending")];
  if (failed.length > 0) {
    return problem(
      "migrations",
      `failed: ${failed.join(", ")}`,
      "Read its error in the table _prisma_migrations. Remove the cause, delete the row, and start again.",
    );
  }
  if (unknown.length > 0) {
    return problem(
      "migrations",
      `unknown to this version: ${unknown.join(", ")}`,
      "Use the version of Edgeplane that the database was last started with, or a later one.",
    );
  }
  if (pending.length > 0) {
    return problem(
      "migrations",
      `${pending.length} pending`,
      "Run edgeplane migrate, or start a server.",
    );
  }
  return ok("migrations", `all ${migrations.length} applied`);
}

async function checkKeys(database: OpenDatabase, storage: Storage): Promise<Finding> {
  const keyring = createKeyring(storage.encryptionKeys);
  await database.withoutTimeLimits((db) => requireNeededKeys(db, keyring));
  return ok("encryption key", `opens all secrets (${keyring.fingerprints.join(", ")})`);
}

async function checkLog({ client }: OpenDatabase): Promise<Finding> {
  if (await isLogInOrder(client)) return ok("change log", "is in order");
  return problem(
    "change log",
    "its entries are of another server, and new ones would come before them",
    "Restart the servers, or run edgeplane migrate: both have the log go on after its last entry.",
  );
}

async function checkFacts(
  database: OpenDatabase,
  { repairs }: DatabaseCheckOptions,
): Promise<Finding> {
  const wrong = await database.withoutTimeLimits(wrongFacts);
  if (wrong.length === 0) return ok("counts", "counts and marks agree with the rows");
  const named = wrong.slice(0, MOST_NAMED).join(" ");
  const message = `${wrong.length} of what is kept besides the rows is wrong: ${named}`;
  if (!repairs) return problem("counts", message, "Run edgeplane doctor --repair.");
  await database.withoutTimeLimits((db) =>
    db.$transaction(keepAgain, { timeout: KEEPING_LIMIT_MS }),
  );
  return warning("counts", message, "It was made anew from the rows.");
}

/** The connection as a sentence may name it: without its password. */
export function nameOf({ connectionString, host, port, database }: Connection): string {
  if (connectionString === undefined) return `${host}:${port}/${database}`;
  const url = new URL(connectionString);
  url.password = "";
  url.search = "";
  return url.toString();
}
