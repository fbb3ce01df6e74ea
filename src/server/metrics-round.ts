import type { Worker } from "node:cluster";
import { tellWorker } from "./workers.js";

/** Longer than a worker takes whose database does not answer. */
const ANSWER_LIMIT_MS = 3_000;

/** Asks all workers for their metrics. */
export interface MetricsRound {
  /** Resolves with the ids of the workers that have answered, once all have that still run; after 3 seconds at the latest. */
  ask(): Promise<ReadonlySet<number>>;
  answered(worker: Worker): void;
  ended(worker: Worker): void;
}

/** To be asked again only when it has resolved. */
export function createMetricsRound(serving: () => readonly Worker[]): MetricsRound {
  const missing = new Set<number>();
  let fresh = new Set<number>();
  let finish = () => {};
  const resolved = ({ id }: Worker) => {
    missing.delete(id);
    if (missing.size === 0) finish();
  };
  return {
    ask() {
      missing.clear();
      fresh = new Set();
      const workers = serving();
      for (const { id } of workers) missing.add(id);
      if (missing.size === 0) return Promise.resolve(fresh);
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish(), ANSWER_LIMIT_MS);
        finish = () => {
          clearTimeout(timer);
          resolve(fresh);
        };
        for (const worker of workers) tellWorker(worker, { edgeplane: "ask for metrics" });
      });
    },
    answered(worker) {
      fresh.add(worker.id);
      resolved(worker);
    },
    ended: resolved,
  };
}
