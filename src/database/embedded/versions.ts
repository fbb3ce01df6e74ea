import { readFile } from "node:fs/promises";
import path from "node:path";

/** Throws when the database in the folder `database` was made by another major version of PostgreSQL than `here`. */
export async function requireVersion(database: string, here: number): Promise<void> {
  const text = await readFile(path.join(database, "PG_VERSION"), "utf8").catch((error: Error) => {
    throw new Error(
      `${database} is no database, or it is damaged: ${error.message}. ${RESTORE_IF_DAMAGED}`,
    );
  });
  const version = Number.parseInt(text, 10);
  if (version !== here) throw new Error(otherVersion(database, version, here));
}

/** Why nothing is done with a database or a backup of another major version, and what to do. */
export function otherVersion(place: string, version: number, here: number): string {
  return [
    `${place} was made by PostgreSQL ${version}. This version of Edgeplane has PostgreSQL ${here}, which cannot open it; nothing was changed.`,
    `To move to PostgreSQL ${here}: write everything to a file with edgeplane export of the version of Edgeplane that made it, read the file with edgeplane import into a new DATA_DIR, and keep the old one until you have seen that all is there.`,
  ].join(" ");
}

/** What to do when PostgreSQL does not start on files that were lost or changed. */
export const RESTORE_IF_DAMAGED =
  "If its files were damaged, put them back, or restore a backup with edgeplane restore --replace, which keeps them.";
