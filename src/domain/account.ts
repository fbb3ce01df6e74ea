import type { Context } from "./core/context.js";
import { accountIdOf } from "./core/ids.js";

/** The account to which everything belongs: this installation. */
export interface Account {
  /** `ac_` and a KSUID: the same for all processes on one database, and after each start. */
  readonly id: string;
  /** When the database was first migrated. */
  readonly createdAt: Date;
}

/** The account of the database. One statement. */
export async function readAccount({ db }: Context): Promise<Account> {
  const { id, createdAt } = await db.installation.findFirstOrThrow();
  return { id: accountIdOf(id, createdAt), createdAt };
}
