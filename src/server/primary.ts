import cluster from "node:cluster";
import type { Logger } from "pino";
import { memoryCounters } from "../admission/memory-counters.js";
import { type Config, rateLimitSettings } from "../config.js";
import { openForServer } from "../installation/installation.js";
import type { WorkersMetrics } from "../telemetry/workers-metrics.js";
import { relayChanges } from "./change-relay.js";
import { announceAddress, listenForMetrics } from "./listening.js";
import { createMetricsRound, type MetricsRound } from "./metrics-round.js";
import { forgetWhatIsOld, makeFirstKey } from "./once.js";
import { answerCounts } from "./request-counts.js";
import { drainMsOf, limitShutdown, once, onTermination } from "./stopping.js";
import { startWorkers, type Workers } from "./workers.js";

/**
 * Does what a command does once, and has workers serve, until it is told to stop. Throws when it cannot start, and when
 * no worker can.
 */
export async function runPrimary(config: Config, log: Logger): Promise<void> {
  if (!cluster.isPrimary) {
    throw new Error(
      "WORKERS is for a process that is no worker itself: unset it, or start edgeplane without the cluster of another program.",
    );
  }
  const installation = await openForServer(config, log, null, () => {});
  const { services } = installation;
  const pruning = forgetWhatIsOld(services, config.CHANGE_LOG_DAYS, log);
  const limit = rateLimitSettings(config);
  const counters = limit && memoryCounters(limit);

  let workers: Workers | null = null;
  const serving = () => workers?.serving() ?? [];
  const changes = relayChanges(services.changeSignal);
  const round = createMetricsRound(serving);
  const metrics = config.METRICS_PORT === undefined ? null : await loadMetrics(round);
  if (metrics) await listenForMetrics(metrics, config, log);

  const stop = once(async () => {
    log.info("stopping");
    limitShutdown(drainMsOf(config), log, () => workers?.kill());
    clearInterval(pruning);
    const isWell = await workers?.stop();
    await installation.close();
    log.flush();
    process.exit(isWell === false ? 1 : 0);
  });
  onTermination(stop);
  workers = startWorkers(config.WORKERS, config.PORT, log, {
    message(worker, message) {
      if (message.edgeplane === "changed") changes.changed(worker);
      if (message.edgeplane === "follows") changes.follows(worker);
      if (message.edgeplane === "count" && counters) void answerCounts(counters, worker, message);
      if (message.edgeplane === "metrics") {
        metrics?.answered(worker.id, message.values);
        round.answered(worker);
      }
    },
    ended(worker, wasTold) {
      changes.ended(worker);
      round.ended(worker);
      if (!wasTold) metrics?.ended(worker.id);
    },
  });
  const port = await workers.started;
  await makeFirstKey(services);
  announceAddress(config, port);
}

// Loaded only where they are asked for: they cost memory and timers.
async function loadMetrics({ ask }: MetricsRound): Promise<WorkersMetrics> {
  const { createWorkersMetrics } = await import("../telemetry/workers-metrics.js");
  return createWorkersMetrics(ask);
}
