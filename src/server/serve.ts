import { setFlagsFromString } from "node:v8";
import type { Config } from "../config.js";
import { createServerLog } from "../log.js";
import { workerNumber } from "./messages.js";

/**
 * Serves both transports until the process is told to stop: by itself, or with `WORKERS` of 2 or more as the primary of
 * that many workers, which are processes that call this too. Throws when it cannot start.
 */
export async function serve(config: Config): Promise<void> {
  // By default the heap may come to four times what is in use before it is swept. Lists make much garbage: so a busy
  // process would keep 100 MB more than it needs, and be hardly faster for it.
  setFlagsFromString("--heap-growing-percent=150");
  const worker = workerNumber();
  const log = createServerLog(config, worker);
  // A defect that strands one request, which its deadline answers, is no reason to drop all others.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "an unhandled defect"));
  try {
    // Loaded only where they are needed: a primary serves no request.
    if (worker !== null) await (await import("./worker.js")).runWorker(config, log);
    else if (config.WORKERS > 1) await (await import("./primary.js")).runPrimary(config, log);
    else await (await import("./single.js")).runSingle(config, log);
  } catch (error) {
    log.flush();
    throw error;
  }
}
