import { setTimeout as delay } from "node:timers/promises";
import { Client, type ClientConfig, type Pool } from "pg";

const CHANNEL = "edgeplane_changes";
/** The least time between two notifications of one process: changes made meanwhile share one. */
const NOTIFY_EVERY_MS = 20;
/** How often those who wait are woken without an announcement. */
const WAKE_EVERY_MS = 2_000;
const RECONNECT_AFTER_MS = 1_000;

/** Tells, inside a process and between processes, that the change log has grown. A hint: it may be lost. */
export interface ChangeSignal {
  /** To be called after a commit. */
  announce(): void;
  /**
   * Resolves at the next announcement of any process, when closed, when `gone` is aborted, and from time to time
   * for all who wait together, since an announcement may be lost.
   */
  next(gone: AbortSignal): Promise<void>;
  /** Set once closed: whoever follows the log stops. */
  readonly closed: boolean;
  close(): Promise<void>;
}

type Listener = () => void;

/** Inside one process. `spread` tells the others. */
export function localSignal(spread: () => void = () => {}): ChangeSignal & { wake(): void } {
  const waiting = new Set<Listener>();
  let closed = false;
  let waking: NodeJS.Timeout | undefined;
  const wake = () => {
    for (const listener of [...waiting]) listener();
  };
  return {
    wake,
    announce() {
      wake();
      spread();
    },
    next: (gone) =>
      new Promise((resolve) => {
        if (closed || gone.aborted) return resolve();
        const done = () => {
          gone.removeEventListener("abort", done);
          waiting.delete(done);
          if (waiting.size === 0) {
            clearInterval(waking);
            waking = undefined;
          }
          resolve();
        };
        gone.addEventListener("abort", done);
        waiting.add(done);
        waking ??= setInterval(wake, WAKE_EVERY_MS);
      }),
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
  let notifying: Promise<void> | null = null;
  let due = false;
  const local = localSignal(() => {
    due = true;
    notifying ??= notify().finally(() => {
      notifying = null;
    });
  });

  // After the commit and not in it: a commit with a notification waits for every other such commit.
  async function notify(): Promise<void> {
    while (due && !local.closed) {
      due = false;
      await pool.query(`NOTIFY ${CHANNEL}`).catch(onConnectionError);
      await delay(NOTIFY_EVERY_MS, undefined, { ref: false });
    }
  }

  let listening: Promise<Client | null> | null = null;
  async function listen(): Promise<Client | null> {
    const client = new Client(connection);
    client.on("error", onConnectionError);
    client.on("notification", local.wake);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch {
      await client.end().catch(() => {});
      listenAgain();
      return null;
    }
    client.once("end", listenAgain);
    // What was announced while nobody listened.
    local.wake();
    return client;
  }

  function listenAgain(): void {
    if (local.closed) return;
    listening = delay(RECONNECT_AFTER_MS, undefined, { ref: false }).then(listen);
  }

  return {
    announce: local.announce,
    next(gone) {
      // A process in which nobody follows the log needs no connection for it.
      listening ??= listen();
      return local.next(gone);
    },
    get closed() {
      return local.closed;
    },
    async close() {
      if (local.closed) return;
      await local.close();
      await notifying;
      const client = await listening;
      await client?.end();
    },
  };
}
