import type { PoolConfig } from "pg";
import { type DatabaseObserver, observePool } from "./observer.js";
import { openPool, SILENCE_LIMIT_MS } from "./pool.js";
import { type SendForTexts, type StatementNames, textsFrom } from "./texts.js";

/** The connections to a replica of the database. None is made before the first statement. */
export interface ReplicaConnection {
  /** Like `readTexts` of the database, whose state the replica has later. */
  readonly readTexts: SendForTexts;
  /** How many connections have broken. Behind each break, the replica may have started again with an older state. */
  losses(): number;
  isClosed(): boolean;
  close(): Promise<void>;
}

export function openReplica(
  settings: PoolConfig,
  nameOf: StatementNames,
  observer: DatabaseObserver | undefined,
  onConnectionError: (error: Error) => void,
): ReplicaConnection {
  let losses = 0;
  const pool = openPool(settings, SILENCE_LIMIT_MS, (error) => {
    losses += 1;
    onConnectionError(error);
  });
  if (observer) observePool(pool, observer);
  return {
    readTexts: textsFrom(pool, nameOf),
    losses: () => losses,
    isClosed: () => pool.ending,
    close: () => pool.end(),
  };
}
