import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig, type Pool } from "pg";

const CHANNEL = "edgeplane_changes";
/** The minimum time between two announcements of one process to others. Changes in between share one. */
const SPREAD_EVERY_MS = 20;
/** The interval at which waiting followers are woken without a notification. */
const WAKE_EVERY_MS = 2_000;
const RECONNECT_AFTER_MS = 1_000;
/** The time that the database may take to begin listening, and to end it. */
const ANSWER_LIMIT_MS = 2_000;

/**
 * Signals, inside a process and between processes, that the change log has grown. It is only a hint: a signal can be
 * lost.
 */
export interface ChangeSignal {
  /** To be called after a commit. */
  announce(): void;
  /**
   * Resolves at the next announcement of any process, when closed, and from time to time, since an announcement may
   * be lost: the same promise for all who wait.
   */
  next(): Promise<void>;
  /** Calls `heard` at each announcement of other processes, and when one may have been missed. */
  listen(heard: () => void): void;
  /** Set when the signal is closed: every follower of the log stops. */
  readonly closed: boolean;
  close(): Promise<void>;
}

/** What connects a process with others. */
export interface SignalRelay {
  /** Tells the others that the log has grown. Never rejects. */
  announce(): Promise<void>;
  /** Calls `heard` at each announcement of others, and when one may have been missed. Called once at most. */
  listen(heard: () => void): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly next: Promise<void>;
  end(): void;
}

/** The signal inside one process. */
export function localSignal(): ChangeSignal & { wake(): void } {
  let waiting: Waiting | null = null;
  let closed = false;
  const wake = () => {
    waiting?.end();
    waiting = null;
  };
  const wait = (): Waiting => {
    const timer = setTimeout(wake, WAKE_EVERY_MS);
    let resolve = () => {};
    const next = new Promise<void>((resolved) => {
      resolve = resolved;
    });
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    return { next, end };
  };
  return {
    wake,
    announce: wake,
    next() {
      if (closed) return Promise.resolve();
      waiting ??= wait();
      return waiting.next;
    },
    listen() {},
    get closed() {
      return closed;
    },
    async close() {
      closed = true;
      wake();
    },
  };
}

/** Between the processes that `relay` connects. */
export function relayedSignal(relay: SignalRelay): ChangeSignal {
  const local = localSignal();
  let telling: Promise<void> | null = null;
  let due = false;
  // Bound, so that it is no part of the request that it begins with, which does not wait for it.
  const tell = AsyncResource.bind(async (): Promise<void> => {
    while (due && !local.closed) {
      due = false;
      await relay.announce();
      await delay(SPREAD_EVERY_MS, undefined, { ref: false });
    }
  });

  const listeners = new Set<() => void>();
  // A process in which nobody follows the log needs no connection for it.
  const listen = (heard: () => void) => {
    const isFirst = listeners.size === 0;
    listeners.add(heard);
    if (!isFirst) return;
    relay.listen(() => {
      for (const listener of listeners) listener();
    });
  };

  return {
    announce() {
      local.wake();
      due = true;
      telling ??= tell().finally(() => {
        telling = null;
      });
    },
    next() {
      if (!local.closed) listen(local.wake);
      return local.next();
    },
    listen,
    get closed() {
      return local.closed;
    },
    async close() {
      if (local.closed) return;
      await local.close();
      await telling;
      await relay.close();
    },
  };
}

/** Between all processes on one PostgreSQL, by NOTIFY on `pool` and LISTEN on a connection of its own. */
export function notifyingSignal(
  pool: Pool,
  connection: ClientConfig,
  onConnectionError: (error: Error) => void,
): ChangeSignal {
  // Whoever is told inside of this process was already woken by the announcement.
  const own = randomUUID();
  let listening: Promise<Client | null> | null = null;
  let closed = false;

  async function listen(heard: () => void): Promise<Client | null> {
    const client = new Client({ ...connection, query_timeout: ANSWER_LIMIT_MS });
    client.on("error", onConnectionError);
    client.on("notification", ({ payload }) => {
      if (payload !== own) heard();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch {
      await ended(client);
      listenAgain(heard);
      return null;
    }
    client.once("end", () => listenAgain(heard));
    // Announcements from the time when nobody listened.
    heard();
    return client;
  }

  function listenAgain(heard: () => void): void {
    if (closed) return;
    listening = delay(RECONNECT_AFTER_MS, undefined, { ref: false }).then(() => listen(heard));
  }

  return relayedSignal({
    // After the commit and not in it: a commit with a notification waits for every other such commit.
    async announce() {
      await pool.query(`NOTIFY ${CHANNEL}, '${own}'`).catch(onConnectionError);
    },
    listen(heard) {
      listening = listen(heard);
    },
    async close() {
      closed = true;
      const client = await listening;
      if (client) await ended(client);
    },
  });
}

/** Ends a connection, also one whose other end answers nothing any more. */
async function ended(client: Client): Promise<void> {
  const silent = setTimeout(() => client.connection.stream.destroy(), ANSWER_LIMIT_MS);
  await client.end().catch(() => {});
  clearTimeout(silent);
}
