import type { PoolConfig } from "pg";

/** The address and the settings of a connection to the database. */
export interface Connection extends PoolConfig {
  /** The engine runs inside this process, and all connections to it share one session. */
  readonly inProcess?: boolean;
  /**
   * The URL of the server itself, where `connectionString` leads to a pooler, in which each transaction may have another
   * session. Absent where there is none.
   */
  readonly directUrl?: string | undefined;
  /** The URL of a replica, which queries may read from. Absent where there is none. */
  readonly readUrl?: string | undefined;
}
