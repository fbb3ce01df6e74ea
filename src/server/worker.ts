import cluster from "node:cluster";
import type { EventEmitter } from "node:events";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { type Observers, openForWorker } from "../installation/installation.js";
import { messageOfPrimary, tellPrimary } from "./messages.js";
import { askForCounts } from "./request-counts.js";
import { prepareServing, type Serving } from "./serving.js";
import { drainMsOf, limitShutdown, once, onTermination } from "./stopping.js";

/**
 * One of several processes that serve, until the primary or a signal tells it to stop, or the primary has gone. Ends
 * with 1 when it cannot start, and tells the primary why.
 */
export async function runWorker(config: Config, log: Logger): Promise<void> {
  const { worker } = cluster;
  if (!worker) throw new Error("Only a primary starts workers.");
  let serving: Serving | null = null;
  let hear = () => {};
  const counts = askForCounts();
  const orphaned = new AbortController();

  const stop = once(async () => {
    // Nobody has sent it a request yet.
    if (serving === null) process.exit(0);
    log.info("stopping");
    const drainMs = drainMsOf(config);
    limitShutdown(drainMs, log);
    await serving.stop(drainMs, orphaned.signal);
    log.flush();
    process.exit(0);
  });

  process.on("message", async (sent) => {
    const message = messageOfPrimary(sent);
    if (message?.edgeplane === "stop") stop();
    if (message?.edgeplane === "changed") hear();
    if (message?.edgeplane === "counted") counts.answered(message);
    if (message?.edgeplane === "ask whether it is there") {
      await tellPrimary({ edgeplane: "is there" });
    }
    if (message?.edgeplane === "ask for metrics") {
      const values = await serving?.metrics?.values();
      if (values) await tellPrimary({ edgeplane: "metrics", values: [...values] });
    }
  });
  // Nobody replaces this process any more. The requests that run are answered.
  worker.on("disconnect", () => {
    // Otherwise node ends the process here.
    worker.exitedAfterDisconnect = true;
    log.error("the primary has gone");
    orphaned.abort();
    stop();
  });
  // What was sent to a primary that has just gone.
  const sending: EventEmitter = process;
  sending.on("error", (error) => log.debug({ err: error }, "a message to the primary was lost"));
  onTermination(stop);

  try {
    const relay = {
      async announce() {
        void tellPrimary({ edgeplane: "changed" });
      },
      listen(heard: () => void) {
        hear = heard;
        void tellPrimary({ edgeplane: "follows" });
      },
      close: async () => {},
    };
    const open = (observers: Observers) => openForWorker(config, log, observers, relay);
    const ready = await prepareServing(config, log, open, counts.counters);
    const port = await ready.listen();
    serving = ready;
    await tellPrimary({ edgeplane: "serves", port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await tellPrimary({ edgeplane: "failed", reason });
    log.flush();
    process.exit(1);
  }
}
