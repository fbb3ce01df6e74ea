import type { Logger } from "pino";
import type { Config } from "../config.js";
import { openForServer } from "../installation/installation.js";
import { announceAddress, listenForMetrics } from "./listening.js";
import { forgetWhatIsOld, makeFirstKey } from "./once.js";
import { prepareServing } from "./serving.js";
import { drainMsOf, limitShutdown, once, onTermination } from "./stopping.js";

/** One process that does everything, until it is told to stop. Throws when it cannot start. */
export async function runSingle(config: Config, log: Logger): Promise<void> {
  const serving = await prepareServing(config, log, (observers) =>
    openForServer(config, log, observers, (error) => {
      log.fatal({ err: error }, "another process has taken over the data directory");
      process.exit(1);
    }),
  );
  const { metrics, installation } = serving;
  await makeFirstKey(installation.services);
  const pruning = forgetWhatIsOld(installation.services, config.CHANGE_LOG_DAYS, log);
  if (metrics) await listenForMetrics(metrics, config, log);
  announceAddress(config, await serving.listen());
  const stop = once(async () => {
    log.info("stopping");
    const drainMs = drainMsOf(config);
    limitShutdown(drainMs, log);
    clearInterval(pruning);
    await serving.stop(drainMs);
    log.flush();
    process.exit(0);
  });
  onTermination(stop);
}
