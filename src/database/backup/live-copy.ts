import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { bytesOf, type Copying, copyTree, readTree, type Tree } from "../disk/trees.js";
import type { Query } from "./verify.js";

// PostgreSQL's own way to copy the files of a running server: whatever changes while they are copied is in its log, which
// the copy gets last.

/** Folders whose content means nothing to another server. */
const EMPTIED = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
/** What belongs to the running server, and what it would make anew. `pg_control` comes last. */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|.*\.tmp|pg_internal\.init.*|pgsql_tmp.*|t\d+_\d+.*)$/;
const LOG = "pg_wal";
const CONTROL = path.join("global", "pg_control");
const SEGMENT = /^[0-9A-F]{24}$/;

const SLOT = "edgeplane_backup";

export interface LiveCopying extends Copying {
  /** Called once, before anything is copied, with the bytes there are. */
  onSize(bytes: number): Promise<void>;
}

/**
 * Copies the database in the folder `database`, on which the server of `query` runs, to the empty folder `to`. The copy has everything that was committed before the call, and is as after a crash of that server. `query` must
 * have no time limits.
 */
export async function copyLive(
  query: Query,
  database: string,
  to: string,
  copying: LiveCopying,
): Promise<void> {
  // It holds the log that the copy needs, and goes with the connection.
  await query("SELECT pg_create_physical_replication_slot($1, true, true)", [SLOT]);
  try {
    const [start] = await query(
      "SELECT pg_walfile_name(lsn) AS segment FROM pg_backup_start('edgeplane', true) AS lsn",
    );
    const tree = await readTree(database, isLeftOut);
    await copying.onSize(bytesOf(tree));
    await refuseTablespaces(database);
    await copyTree(database, to, withEmptied(tree), copying);
    await copyControl(database, to);
    const [stop] = await query(
      "SELECT labelfile AS label, pg_walfile_name(lsn) AS segment FROM pg_backup_stop(false)",
    );
    await writeFile(path.join(to, "backup_label"), String(stop?.label), { mode: 0o600 });
    const log = await segments(database, String(start?.segment), String(stop?.segment));
    await copyTree(database, to, log, copying);
  } finally {
    // Fails when the connection has gone, and the slot with it.
    await query("SELECT pg_drop_replication_slot($1)", [SLOT]).catch(() => {});
  }
}

function isLeftOut(name: string): boolean {
  const [top = "", ...below] = name.split(path.sep);
  if (below.length > 0 && (EMPTIED.has(top) || top === LOG)) return true;
  return name === LOG || name === CONTROL || LEFT_OUT.test(path.basename(name));
}

/** With the folders that every server wants to find. */
function withEmptied({ folders, files }: Tree): Tree {
  const log = [LOG, path.join(LOG, "archive_status"), path.join(LOG, "summaries")];
  return { folders: [...folders, ...log], files };
}

async function refuseTablespaces(database: string): Promise<void> {
  const [one] = await readdir(path.join(database, "pg_tblspc"));
  if (one === undefined) return;
  throw new Error("The database has tablespaces, which a backup does not copy.");
}

/** Read until it is the same twice: PostgreSQL writes it at any time. */
async function copyControl(database: string, to: string): Promise<void> {
  const file = path.join(database, CONTROL);
  for (let before = Buffer.alloc(0); ; ) {
    const content = await readFile(file);
    if (content.equals(before)) {
      await writeFile(path.join(to, CONTROL), content, { mode: 0o600 });
      return;
    }
    before = content;
  }
}

/** The files of the log from `first` to `last`. */
async function segments(database: string, first: string, last: string): Promise<Tree> {
  const { files } = await readTree(path.join(database, LOG));
  const needed = files.filter(({ name }) => SEGMENT.test(name) && name >= first && name <= last);
  return {
    folders: [],
    files: needed.map(({ name, bytes }) => ({ name: path.join(LOG, name), bytes })),
  };
}
