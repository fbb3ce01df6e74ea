import type { Pool } from "pg";

/** Why searches cannot be indexed yet, and what to do about it. */
export interface MissingExtension {
  /** Whether the server has what it is made of. */
  readonly isAvailable: boolean;
  readonly message: string;
  readonly advice: string;
}

type ReadTexts = (text: string, values: readonly unknown[]) => Promise<readonly string[]>;

/** What there is of pg_trgm: its version once it is made. */
export async function lookForExtension(readTexts: ReadTexts): Promise<string | MissingExtension> {
  const [version] = await readTexts(
    "SELECT coalesce(installed_version, '') FROM pg_available_extensions WHERE name = 'pg_trgm'",
    [],
  );
  if (version === undefined) return NOT_THERE;
  return version === "" ? NOT_MADE : version;
}

const NOT_THERE: MissingExtension = {
  isAvailable: false,
  message: "the server does not have the extension",
  advice: "Install the package of PostgreSQL's additional modules, such as postgresql-contrib.",
};

const NOT_MADE: MissingExtension = {
  isAvailable: true,
  message: "the extension is not made yet",
  advice:
    "The first start makes it if its user may; otherwise run CREATE EXTENSION pg_trgm as a superuser.",
};

/** Any number that nobody else takes. */
const LOCK = 7_203_114_987n;

/** Makes pg_trgm unless it is there. Throws what to do when the server does not have it, or the user may not. */
export async function makeExtension(pool: Pool): Promise<void> {
  try {
    // Two processes that start at once would fail each other.
    await pool.query(
      `SELECT pg_advisory_xact_lock(${LOCK}); CREATE EXTENSION IF NOT EXISTS pg_trgm`,
    );
  } catch (error) {
    const missing = await lookForExtension(async (text) => {
      const { rows } = await pool.query({ text, rowMode: "array" });
      return rows.map(([value]) => String(value));
    });
    if (typeof missing === "string" || !(error instanceof Error)) throw error;
    const { message, advice } = missing;
    throw new Error(`pg_trgm: ${message} (${error.message}). ${advice}`, { cause: error });
  }
}
