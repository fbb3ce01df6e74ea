import type { PoolConfig } from "pg";

/** How to reach the database. */
export interface Connection extends PoolConfig {
  /** The engine runs inside this process. */
  readonly embedded?: boolean;
}
