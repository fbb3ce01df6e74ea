import { EventEmitter, once } from "node:events";
import type { TransactionClient } from "../../src/database/index.js";
import type { Context } from "../../src/domain/core/context.js";

/** Runs `action` while a transaction of its own holds what `lock` has locked. */
export async function whileLocked<Result>(
  { db }: Pick<Context, "db">,
  lock: (tx: TransactionClient) => Promise<unknown>,
  action: () => Promise<Result>,
): Promise<Result> {
  if (!("$transaction" in db)) throw new Error("The tests have the whole database.");
  const gate = new EventEmitter();
  const [locked, ended] = [once(gate, "locked"), once(gate, "ended")];
  const holding = db.$transaction(async (tx) => {
    await lock(tx);
    gate.emit("locked");
    await ended;
  });
  await locked;
  try {
    return await action();
  } finally {
    gate.emit("ended");
    await holding;
  }
}
