import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";
import type { ReadableMetrics } from "./metrics-server.js";
import { collectProcessMetrics, type MetricValues, valuesOf } from "./process-metrics.js";

/** The metrics of all processes of one command, added up. */
export interface WorkersMetrics extends ReadableMetrics {
  /** A process has answered with its metrics. */
  answered(pid: number, values: MetricValues): void;
  /** A worker process has ended. What it had counted by its last answer stays counted. */
  ended(pid: number): void;
}

/** What may only grow: it would look to Prometheus as though all had been counted anew. */
const GROWING: ReadonlySet<string> = new Set(["counter", "histogram"]);

/**
 * `ask` asks the workers for their metrics and returns the ids of the processes that have answered. Of the others only
 * what they had counted by their last answer is shown.
 */
export function createWorkersMetrics(ask: () => Promise<ReadonlySet<number>>): WorkersMetrics {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const serving = new Gauge({
    name: "edgeplane_workers",
    help: "Workers that serve, and have answered with their metrics.",
    registers: [registry],
  });
  const ends = new Counter({
    name: "edgeplane_worker_ends_total",
    help: "Workers that have ended, and were not told to.",
    registers: [registry],
  });
  const latest = new Map<number, MetricValues>();
  let past: Promise<MetricValues> = Promise.resolve([]);
  let asking: Promise<ReadonlySet<number>> | null = null;

  return {
    answered(pid, values) {
      latest.set(pid, values);
    },
    ended(pid) {
      ends.inc();
      const counted = growing(latest.get(pid) ?? []);
      latest.delete(pid);
      past = past.then((before) => valuesOf(addUp([before, counted])));
    },
    async text() {
      asking ??= ask().finally(() => {
        asking = null;
      });
      const fresh = await asking;
      serving.set(fresh.size);
      const before = past;
      const parts = [...latest].map(([pid, values]) => (fresh.has(pid) ? values : growing(values)));
      return addUp([...parts, await before, await valuesOf(registry)]).metrics();
    },
    contentType: registry.contentType,
  };
}

function addUp(parts: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...parts]);
}

function growing(values: MetricValues): MetricValues {
  return values.filter(({ type }) => GROWING.has(type));
}
