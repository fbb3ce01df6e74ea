import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** The account under which a program of PostgreSQL runs. PostgreSQL refuses to run as root. */
export interface Account {
  /** For messages: continues "PostgreSQL could not be started …". */
  readonly name: string;
  /** The user and group that its files belong to; null for those of this process. */
  readonly owner: Owner | null;
  /** How `file` with `args` is run. */
  command(file: string, args: readonly string[]): Command;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Command extends Partial<Owner> {
  readonly file: string;
  readonly args: readonly string[];
}

const self: Account = {
  name: "as the user of this process",
  owner: null,
  command: (file, args) => ({ file, args }),
};

function userAccount(owner: Owner): Account {
  return {
    name: `as user ${owner.uid}`,
    owner,
    command: (file, args) => ({ file, args, ...owner }),
  };
}

/** Inside, this user is `owner`; outside, and on disk, it stays who it is. */
function namespaceAccount({ uid, gid }: Owner): Account {
  const map = ["--user", `--map-user=${uid}`, `--map-group=${gid}`];
  return {
    name: "in a user namespace (`unshare --user`)",
    owner: null,
    command: (file, args) => ({ file: "unshare", args: [...map, file, ...args] }),
  };
}

/**
 * The accounts that a new database may be made under, best first. For root a user namespace in which it is `nobody`,
 * or `nobody` itself, who owns the files then. For others themselves; `initdb` asks for their name, so a number that
 * has none needs a namespace as well.
 */
export async function accountsForNew(): Promise<Account[]> {
  if (!isRoot() && hasName()) return [self];
  const nobody = await idsOfNobody();
  if (!nobody) return [];
  return isRoot() ? [namespaceAccount(nobody), userAccount(nobody)] : [namespaceAccount(nobody)];
}

function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

/** The account of the database in `directory`: it goes on as who owns it. Throws when that is another user. */
export async function accountOf(directory: string): Promise<Account> {
  const { uid, gid } = await stat(directory);
  if (uid === process.geteuid?.()) {
    if (uid !== 0) return self;
    const nobody = await idsOfNobody();
    if (nobody) return namespaceAccount(nobody);
    throw new Error(
      `${directory} belongs to root, as whom PostgreSQL does not run. Start Edgeplane as another user, and give that user the directory.`,
    );
  }
  if (isRoot()) return userAccount({ uid, gid });
  throw new Error(
    `${directory} belongs to the user ${uid}. Start Edgeplane as that user, or give the directory to yours with chown -R.`,
  );
}

/** Throws unless users other than the owner may pass through every folder on the way to `file`. */
export async function refuseUnreachable(file: string): Promise<void> {
  const folder = path.dirname(file);
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0)
    throw new Error(`the user that PostgreSQL is to run as may not pass through ${folder}`);
  if (folder !== path.dirname(folder)) await refuseUnreachable(folder);
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

async function idsOfNobody(): Promise<Owner | null> {
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map(idOfNobody));
    return uid === undefined || gid === undefined ? null : { uid, gid };
  } catch {
    return null;
  }
}

async function idOfNobody(which: string): Promise<number> {
  const { stdout } = await promisify(execFile)("id", [which, "nobody"]);
  return Number(stdout);
}
