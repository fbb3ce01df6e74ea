import type { PoolConfig } from "pg";

/** The address and the settings of a connection to the database. */
export interface Connection extends PoolConfig {
  /** The engine runs inside this process, and all connections to it share one session. */
  readonly inProcess?: boolean;
}
