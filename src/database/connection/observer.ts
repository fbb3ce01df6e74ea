import { AsyncResource } from "node:async_hooks";
import type { Pool, PoolClient } from "pg";

/** Is told what the connections of a pool do. None of its functions throws. */
export interface DatabaseObserver {
  /**
   * A statement is sent, by whoever waits for it. `kind` is its first word, such as `SELECT`. The function that it
   * returns is called with the answer, or with an error.
   */
  statement(kind: StatementKind): (error?: unknown) => void;
  /**
   * Someone asks for a connection, and has to wait when none is idle. The function that it returns is called when they
   * have one, or an error.
   */
  connection(isIdle: boolean): (error?: unknown) => void;
}

const KINDS = [
  "SELECT",
  "WITH",
  "INSERT",
  "UPDATE",
  "DELETE",
  "BEGIN",
  "COMMIT",
  "ROLLBACK",
  "NOTIFY",
  "OTHER",
] as const;

/** What a statement does, as far as its first word tells. */
export type StatementKind = (typeof KINDS)[number];

type Callback = (error: unknown, ...results: unknown[]) => void;
type Call = (...args: unknown[]) => unknown;

/** Tells `observer` of each statement and of each wait for a connection. To be called before the pool is used. */
export function observePool(pool: Pool, observer: DatabaseObserver): void {
  pool.on("connect", (client) => observeClient(client, observer));
  const connect: Call = pool.connect.bind(pool);
  Object.assign(pool, {
    connect: (callback?: Callback) => {
      const done = observer.connection(pool.idleCount > 0);
      // The pool calls back from where a connection became free, which is in the request that had it before.
      return callback
        ? connect(endingBack(AsyncResource.bind(callback), done))
        : ending(connect(), done);
    },
  });
}

function observeClient(client: PoolClient, observer: DatabaseObserver): void {
  const query: Call = client.query.bind(client);
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const done = observer.statement(kindOf(args[0]));
      const last = args.at(-1);
      if (typeof last !== "function") return ending(query(...args), done);
      return query(...args.slice(0, -1), endingBack(last as Callback, done));
    },
  });
}

function endingBack(callback: Callback, done: (error?: unknown) => void): Callback {
  return (error, ...results) => {
    done(error ?? undefined);
    callback(error, ...results);
  };
}

function ending(answer: unknown, done: (error?: unknown) => void): unknown {
  if (answer instanceof Promise) answer.then(() => done(), done);
  else done();
  return answer;
}

const FIRST_WORD = /^\s*(?:\/\*[^*]*\*\/\s*)?([a-z]+)/i;
const KNOWN: ReadonlyMap<string, StatementKind> = new Map(KINDS.map((kind) => [kind, kind]));

function kindOf(query: unknown): StatementKind {
  const text = typeof query === "string" ? query : Reflect.get(Object(query), "text");
  const [, word = ""] = FIRST_WORD.exec(String(text)) ?? [];
  return KNOWN.get(word.toUpperCase()) ?? "OTHER";
}
