import type { Logger } from "pino";
import { pruneRateLimits } from "../admission/database-counters.js";
import { createFirstApiKey } from "../domain/api-keys.js";
import { pruneChanges } from "../domain/changes/log.js";
import { forgetOutcomes } from "../domain/changes/repeatable-requests.js";
import type { Services } from "../domain/core/context.js";
import { operatorContext } from "../installation/installation.js";

// What a command does once, however many processes serve.

const MS_PER_DAY = 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Forgets, at start and every hour, what was changed longer ago than `days`, answers that are not kept any more, and how
 * many requests came before.
 */
export function forgetWhatIsOld(services: Services, days: number, log: Logger): NodeJS.Timeout {
  const prune = async () => {
    try {
      const entries = await pruneChanges(services, new Date(Date.now() - days * MS_PER_DAY));
      if (entries > 0) log.info({ entries }, "change log pruned");
      const outcomes = await forgetOutcomes(services);
      if (outcomes > 0) log.info({ outcomes }, "kept answers forgotten");
      await pruneRateLimits(services);
    } catch (error) {
      log.warn({ err: error }, "what is old could not be forgotten");
    }
  };
  void prune();
  return setInterval(prune, PRUNE_EVERY_MS);
}

/** Creates the first key where there is none, and shows it once: not on the standard output, which has the log. */
export async function makeFirstKey(services: Services): Promise<void> {
  if (services.bootstrapKey !== null) return;
  const key = await createFirstApiKey(operatorContext(services));
  if (key) console.error(`The first API key, shown this once: ${key.token}`);
}
