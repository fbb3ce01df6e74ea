import { type Aggregator, collectDefaultMetrics, type Registry } from "prom-client";

/** Metrics as a process passes them on to another one. */
export type MetricValues = readonly { readonly name: string; readonly type: string }[];

/** How those of several processes become one, where not as `prom-client` does it: a mean would hide the one that is late. */
const TOGETHER: ReadonlyMap<string, Aggregator> = new Map([
  ["process_start_time_seconds", "min"],
  ["nodejs_eventloop_lag_seconds", "max"],
  ["nodejs_eventloop_lag_mean_seconds", "max"],
  ["nodejs_eventloop_lag_stddev_seconds", "max"],
  ["nodejs_eventloop_lag_p50_seconds", "max"],
  ["nodejs_eventloop_lag_p90_seconds", "max"],
  ["nodejs_eventloop_lag_p99_seconds", "max"],
]);

/** Those of the process itself: its memory, processor time and event loop. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray()) {
    metric.aggregator = TOGETHER.get(metric.name) ?? metric.aggregator;
  }
}

/** Without what is not a number, such as the mean of nothing, since nothing can be added to it. */
export async function valuesOf(registry: Registry): Promise<MetricValues> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({
    ...metric,
    type: String(metric.type),
    values: metric.values.filter(({ value }) => !Number.isNaN(value)),
  }));
}
