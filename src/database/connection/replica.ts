import type { PoolClient, PoolConfig } from "pg";
import { type DatabaseObserver, observePool } from "./observer.js";
import { openPool, SILENCE_LIMIT_MS } from "./pool.js";
import { type SendForTexts, type StatementNames, textsFrom } from "./texts.js";

/** The connections to a replica of the database. None is made before the first statement. */
export interface ReplicaConnection {
  /** Like `readTexts` of the database, whose state the replica has later. */
  readonly readTexts: SendForTexts;
  /** The same on a connection of its own, which no reader keeps waiting. */
  readonly lookTexts: SendForTexts;
  /**
   * How many connections have broken, to the replica or to the database. Behind each break either may have started again,
   * with an older state.
   */
  losses(): number;
  isClosed(): boolean;
  /** Ends all connections at once, since they only read. */
  close(): Promise<void>;
}

export interface ReplicaOptions {
  /** Makes the names of one pool. */
  names(): StatementNames;
  readonly observer?: DatabaseObserver | undefined;
  losses(): number;
  onConnectionError(error: Error): void;
}

export function openReplica(
  settings: PoolConfig,
  { names, observer, losses, onConnectionError }: ReplicaOptions,
): ReplicaConnection {
  const open = (max?: number) =>
    openPool({ ...settings, ...(max && { max }) }, SILENCE_LIMIT_MS, (error) => {
      if (!readers.ending) onConnectionError(error);
    });
  const readers = open();
  if (observer) observePool(readers, observer);
  const looker = open(1);
  const pools = [readers, looker];
  const clients = new Set<PoolClient>();
  for (const each of pools) {
    each.on("connect", (client) => clients.add(client));
    each.on("remove", (client) => clients.delete(client));
  }
  return {
    readTexts: textsFrom(readers, names()),
    lookTexts: textsFrom(looker, names()),
    losses,
    isClosed: () => readers.ending,
    async close() {
      const ended = pools.map((each) => each.end());
      for (const { connection } of clients) connection.stream.destroy();
      await Promise.all(ended);
    },
  };
}
