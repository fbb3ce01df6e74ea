import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig, type Pool } from "pg";

const CHANNEL = "edgeplane_changes";
/** The minimum time between two notifications of one process. Changes in between share one. */
const NOTIFY_EVERY_MS = 20;
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
  /** Set when the signal is closed: every follower of the log stops. */
  readonly closed: boolean;
  close(): Promise<void>;
}

interface Waiting {
  readonly next: Promise<void>;
  end(): void;
}

/** The signal inside one process. `spread` passes it to the other processes. */
export function localSignal(spread: () => void = () => {}): ChangeSignal & { wake(): void } {
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
    announce() {
      wake();
      spread();
    },
    next() {
      if (closed) return Promise.resolve();
      waiting ??= wait();
      return waiting.next;
    },
    get closed() {
      return closed;
    },
    async close() {
      closed = true;
      wake();
    },
  };
}

/** Between all processes on one PostgreSQL, by NOTIFY on `pool` and LISTEN on a connection of its own. */
export function notifyingSignal(
  pool: Pool,
  connection: ClientConfig,
  onConnectionError: (error: Error) => void,
): ChangeSignal {
  // The followers in this process were already woken by the notification.
  const own = randomUUID();
  let notifying: Promise<void> | null = null;
  let due = false;
  const local = localSignal(() => {
    due = true;
    notifying ??= notify().finally(() => {
      notifying = null;
    });
  });

  // After the commit and not in it: a commit with a notification waits for every other such commit.
  // Bound, so that it is no part of the request that it begins with, which does not wait for it.
  const notify = AsyncResource.bind(async (): Promise<void> => {
    while (due && !local.closed) {
      due = false;
      await pool.query(`NOTIFY ${CHANNEL}, '${own}'`).catch(onConnectionError);
      await delay(NOTIFY_EVERY_MS, undefined, { ref: false });
    }
  });

  let listening: Promise<Client | null> | null = null;
  async function listen(): Promise<Client | null> {
    const client = new Client({ ...connection, query_timeout: ANSWER_LIMIT_MS });
    client.on("error", onConnectionError);
    client.on("notification", ({ payload }) => {
      if (payload !== own) local.wake();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch {
      await ended(client);
      listenAgain();
      return null;
    }
    client.once("end", listenAgain);
    // Announcements from the time when nobody listened.
    local.wake();
    return client;
  }

  function listenAgain(): void {
    if (local.closed) return;
    listening = delay(RECONNECT_AFTER_MS, undefined, { ref: false }).then(listen);
  }

  return {
    announce: local.announce,
    next() {
      // A process in which nobody follows the log needs no connection for it.
      listening ??= listen();
      return local.next();
    },
    get closed() {
      return local.closed;
    },
    async close() {
      if (local.closed) return;
      await local.close();
      await notifying;
      const client = await listening;
      if (client) await ended(client);
    },
  };
}

/** Ends a connection, also one whose other end answers nothing any more. */
async function ended(client: Client): Promise<void> {
  const silent = setTimeout(() => client.connection.stream.destroy(), ANSWER_LIMIT_MS);
  await client.end().catch(() => {});
  clearTimeout(silent);
}
