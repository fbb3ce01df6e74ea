import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../core/context.js";

const CANCEL_AGAIN_MS = 100;

/**
 * Runs `change` inside a transaction. When `context.signal` is aborted, the running statement is cancelled and it
 * throws, so that the transaction is rolled back.
 */
export async function interruptible<Of extends Context, Result>(
  context: Of,
  change: (context: Of) => Promise<Result>,
): Promise<Result> {
  const { signal, cancelStatement } = context;
  if (!signal) return change(context);
  signal.throwIfAborted();
  const processId = cancelStatement && (await processOf(context));
  let running = true;
  let cancelled = Promise.resolve();
  const cancel = async () => {
    // Again and again, since one may hit the moment between two statements.
    while (running && cancelStatement && processId) {
      await cancelStatement(processId);
      await sleep(CANCEL_AGAIN_MS);
    }
  };
  const onAbort = () => {
    cancelled = cancel();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const result = await change(context);
    signal.throwIfAborted();
    return result;
  } finally {
    running = false;
    signal.removeEventListener("abort", onAbort);
    // The connection goes to another request after this, which must not be cancelled in its place.
    await cancelled;
  }
}

async function processOf({ db }: Context): Promise<number | null> {
  const [row] = await db.$queryRaw<{ id: number }[]>`SELECT pg_backend_pid() AS id`;
  return row?.id ?? null;
}
