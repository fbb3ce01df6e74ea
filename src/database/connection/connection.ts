import type { PoolConfig } from "pg";

/** How to reach the database. */
export interface Connection extends PoolConfig {
  /** The engine runs inside this process, and all connections to it share one session. */
  readonly inProcess?: boolean;
}
