import { setImmediate as nextTurn } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { ReadBudget } from "../../../domain/core/read-budget.js";
import type { GraphqlContext } from "../../builder/builder.js";
import { limitExceeded } from "../../builder/errors.js";
import { operationOf } from "./documents.js";
import type { GraphqlSettings } from "./settings.js";

/**
 * Points above which an operation is one of many rows, and how many of these run at a time, each with one statement: so
 * others find connections and processors.
 */
const MANY_POINTS = 5_000;
const READING_AT_A_TIME = 2;
/** The number of bytes above which results are processed by one operation at a time, and in turns. */
const MANY_BYTES = 1024 * 1024;
/** Rows of a large answer between two turns of the event loop. */
const ROWS_PER_TURN = 200;

/** A budget, and what ends it: who comes after it may go on then. */
export interface OperationBudget extends ReadBudget {
  end(): void;
}

interface PricedContext extends GraphqlContext {
  /** The points of the operation. */
  readonly points: number;
}

/**
 * Prevents large operations from delaying all others. A statement that finds more than `maxAnswerBytes` sends nothing,
 * and no answer is longer. Operations of many points run two at a time. Large answers are put together one after the
 * other, with turns of the event loop between their parts.
 */
export function largeOperations({ maxAnswerBytes }: GraphqlSettings): Plugin<PricedContext> {
  const spent = new WeakMap<Request, Spent>();
  const reading = turnstile(READING_AT_A_TIME);
  const answering = turnstile(1);
  return {
    onExecute({ args, executeFn, setExecuteFn, extendContext }) {
      const { request, points } = args.contextValue;
      const total = spent.get(request) ?? { read: 0, answered: 0 };
      spent.set(request, total);
      const isQuery = operationOf(args.document, args.operationName).operation === "query";
      const isMany = points > MANY_POINTS && isQuery;
      const budget = createBudget(
        maxAnswerBytes,
        total,
        isQuery ? answering : null,
        isMany ? turnstile(1) : null,
      );
      extendContext({ budget });
      setExecuteFn(async (given) => {
        const { signal } = given.contextValue;
        const places = isMany ? reading : null;
        const run = () => executeFn(given) as Promise<ExecutionResult>;
        const result = await occupying(places, budget, signal, run);
        if (isAsyncIterable(result)) return result;
        total.answered += sizeUpTo(maxAnswerBytes - total.answered, result.data);
        if (total.answered <= maxAnswerBytes) return result;
        return { errors: [tooLong(maxAnswerBytes)] };
      });
    },
  };
}

/**
 * Runs an operation once one of `places` is free, null for at once, and ends its budget. Both are given back as well when
 * `signal` is aborted, since what a defect has stopped never ends.
 */
export async function occupying<Result>(
  places: Turnstile | null,
  budget: OperationBudget,
  signal: AbortSignal | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  const leave = places && (await places());
  const end = () => {
    budget.end();
    leave?.();
  };
  signal?.addEventListener("abort", end, { once: true });
  try {
    signal?.throwIfAborted();
    return await run();
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}

/** The bytes that the operations of a request have read and answered up to now. */
interface Spent {
  read: number;
  answered: number;
}

/**
 * The budget of an operation. `answering` is where it waits for its turn to go through what it has read; null for one
 * that may hold locks, which never waits for others. `statements` is where its statements wait for each other.
 */
export function createBudget(
  most: number,
  spent: Spent = { read: 0, answered: 0 },
  answering: Turnstile | null = null,
  statements: Turnstile | null = null,
): OperationBudget {
  let read = 0;
  let admitted: Promise<void> | null = null;
  let leave: (() => void) | null = null;
  let isOver = false;
  const turn = turns();
  return {
    place: () => statements?.() ?? null,
    get left() {
      return Math.max(0, most - spent.read);
    },
    get isLarge() {
      return read > MANY_BYTES;
    },
    take(bytes) {
      read += bytes;
      spent.read += bytes;
      if (spent.read > most) throw tooLong(most);
    },
    admit() {
      if (read <= MANY_BYTES || !answering) return null;
      admitted ??= answering().then((left) => {
        if (isOver) left();
        else leave = left;
      });
      return admitted;
    },
    turn: (rows) => (read > MANY_BYTES ? turn(rows) : null),
    end() {
      isOver = true;
      leave?.();
    },
  };
}

/** Shares out turns of the event loop: so many rows in each, in the order in which they are asked for. */
function turns() {
  let [room, last] = [ROWS_PER_TURN, null as Promise<void> | null];
  return (rows: number): Promise<void> | null => {
    room -= rows;
    if (room >= 0) return last;
    room = ROWS_PER_TURN - rows;
    const own = (last ?? Promise.resolve()).then(() => nextTurn());
    last = own;
    own.then(() => {
      // Nobody waits any more: what comes next begins in this turn.
      if (last === own) last = null;
    });
    return own;
  };
}

type Turnstile = () => Promise<() => void>;

/** Lets `places` through at a time, in order; each says when it leaves. */
export function turnstile(places: number): Turnstile {
  let free = places;
  const waiting: (() => void)[] = [];
  const leaveOnce = () => {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leaveOnce();
  };
}

function tooLong(limit: number) {
  const message = `has more than ${limit} bytes, which is the limit: select less in each request`;
  return limitExceeded([{ path: ["answer"], message, limit }]);
}

/** About how many characters `value` has as JSON; as soon as these are more than `most`, some number above it. */
export function sizeUpTo(most: number, value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 1 + sizeUpTo(most - size, item);
      if (size > most) return size;
    }
    return size;
  }
  for (const name in value) {
    size += name.length + 4 + sizeUpTo(most - size, (value as Record<string, unknown>)[name]);
    if (size > most) return size;
  }
  return size;
}
