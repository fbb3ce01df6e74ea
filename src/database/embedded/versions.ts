import { readFile } from "node:fs/promises";
import path from "node:path";
import { DATABASE, replacedFolders } from "../disk/replacement.js";
import { findPrograms, programsFolder } from "./programs.js";

/** The major version of PostgreSQL that made the database in the folder `database`. Throws when it is damaged. */
export async function versionOf(database: string): Promise<number> {
  const text = await readFile(path.join(database, "PG_VERSION"), "utf8").catch((error: Error) => {
    throw new Error(
      `${database} is no database, or it is damaged: ${error.message}. ${RESTORE_IF_DAMAGED}`,
    );
  });
  return Number.parseInt(text, 10);
}

/**
 * Throws when the database in the folder `database` of a data directory was made by another major version of PostgreSQL
 * than `here`.
 */
export async function requireVersion(
  directory: string,
  database: string,
  here: number,
): Promise<void> {
  const version = await versionOf(database);
  if (version === here) return;
  const isUpgradable = version < here && (await findPrograms(directory, version)) !== null;
  const advice = isUpgradable ? TAKE_ALONG : await otherAdvice(directory, version, here);
  throw new Error(otherVersion(database, version, here, advice));
}

const TAKE_ALONG = "Start Edgeplane once, or run edgeplane migrate, which takes its data along.";

/** Why nothing is done with a database or a backup of another major version. */
export function otherVersion(place: string, version: number, here: number, advice: string): string {
  return `${place} was made by PostgreSQL ${version}. This version of Edgeplane has PostgreSQL ${here}, which cannot open it; nothing was changed. ${advice}`;
}

/** What to do with a database of another major version that cannot be taken along. */
export async function otherAdvice(
  directory: string,
  version: number,
  here: number,
): Promise<string> {
  if (version < here) {
    return `Its data would go along by the programs of PostgreSQL ${version}, which are not in ${programsFolder(directory)}, where a start keeps them. Start the version of Edgeplane that made it once more, and then this one. Or write everything to a file with edgeplane export of that version, read the file with edgeplane import into a new DATA_DIR, and keep the old one until you have seen that all is there.`;
  }
  const use = "Use the version of Edgeplane that it was last started with, or a later one.";
  const before = await replacedOf(directory, here);
  return before === null
    ? use
    : `${use} What was there before is kept in ${before}: to go back to it, without all that was changed since, set DATA_DIR to that folder.`;
}

/** The newest of the databases that were replaced which this major version made; null for none. */
async function replacedOf(directory: string, version: number): Promise<string | null> {
  for (const folder of await replacedFolders(directory)) {
    const found = await versionOf(path.join(folder, DATABASE)).catch(() => null);
    if (found === version) return folder;
  }
  return null;
}

/** What to do when PostgreSQL does not start on files that were lost or changed. */
export const RESTORE_IF_DAMAGED =
  "If its files were damaged, put them back, or restore a backup with edgeplane restore --replace, which keeps them.";
